"""TextEmb and TaskEmb of an mT5: of its encoder, by the text of the right answer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from skill_plugin.analysis.relatedness.task_embedding import TABLE, task_embedding
from skill_plugin.analysis.relatedness.text_embedding import text_embedding
from skill_plugin.analysis.relatedness.train_models import find_architecture
from skill_plugin.kinds.items import join_targets
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.t5_shape import T5_SIZES, T5Shape
from tests.every_kind import World, examples, make_world

ROWS = 4


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    encoder, rows = encoders["sentencepiece"], {name: {"train": examples(name, ROWS)} for name in ("one", "choice")}
    shape = T5Shape(2, 2, 16, 2, 8, 32, len(encoder.vocabulary))
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, encoder, rows, max_length=200, variant="mt5", shape=shape, skill_layers=None)


@pytest.mark.parametrize("name", ["one", "choice"])
def test_squares_of_each_example_by_itself(world: World, name: str) -> None:
    model, split = world.model(seed=3), world.examples(name, "train", training=True)
    found = task_embedding(model, split, lambda *_: None)
    network, expected = world.model(seed=3).model, dict[str, Tensor]()
    looked_up: list[Tensor] = []
    network.encoder.embeddings.tokens.register_forward_hook(lambda _, __, out: looked_up.append(out))
    for index in range(len(split)):
        example = split.example(index)
        batch = pack([(split.active, split.head, example.sequences)], False)
        classes = join_targets([example.target])["classes"]
        network.zero_grad()
        looked_up.clear()
        (logits,) = network(batch).answers
        looked_up[0].retain_grad()
        logits.log_softmax(-1).gather(1, classes[:, None]).sum().backward()
        for component, parameter in network.encoder.named_parameters():
            if component != TABLE and parameter.grad is not None:
                squares = parameter.grad.square().double()
                value = squares.flatten(0, -2).mean(0) if squares.dim() > 1 else squares
                expected[component] = expected.get(component, torch.zeros(())) + value / len(split)
        rows = torch.zeros_like(network.encoder.embeddings.tokens.weight)
        assert looked_up[0].grad is not None
        rows.index_add_(0, batch.tokens, looked_up[0].grad)  # what the encoder reads; the decoder's part is its own
        expected[TABLE] = expected.get(TABLE, torch.zeros(())) + rows.square().double().mean(0) / len(split)
    assert {"embeddings.positions.weight", "norm.weight", TABLE} <= expected.keys() <= found.keys()
    for component, value in expected.items():
        np.testing.assert_allclose(found[component], value.numpy(), rtol=1e-4, atol=1e-10, err_msg=component)
    assert {"layers.1.output", "layers.0.context", "first_token"} <= found.keys()


def test_text_embedding_reads_the_encoder_alone(world: World) -> None:
    model, split = world.model(seed=3), world.examples("one", "train", training=True)
    encoder = model.model.encoder.eval()
    found = text_embedding(encoder, split, torch.device("cpu"), 3, 10_000, lambda *_: None)
    means = []
    for index in range(len(split)):
        (sequence,) = split.sequences(index)
        alone = EncodedSequence(sequence.tokens, sequence.token_types)
        with torch.no_grad():
            means.append(encoder(pack([(split.active, split.head, [alone])], False)).hidden.double().mean(0))
    np.testing.assert_allclose(found, torch.stack(means).mean(0).numpy(), rtol=1e-5, atol=1e-7)


def test_models_to_train_are_of_its_architecture() -> None:
    size = T5_SIZES["small"]
    shape = T5Shape(size.layers, size.decoder_layers, size.width, size.heads, size.head_width, size.inner, 100)
    assert find_architecture(shape, "mt5.pt") == "mt5_small"
