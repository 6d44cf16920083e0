"""F of parameters and of outputs, against one pass back an example whose log p is written out here, for every kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.analysis.relatedness.task_embedding import task_embedding
from skill_plugin.kinds.items import join_targets
from skill_plugin.nn.packed_batch import pack
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import CORPORA, World, examples, make_world

ROWS = 5


@pytest.fixture(scope="module")
def world(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: {"train": examples(name, ROWS)} for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, rows, variant="dense", skill_layers=None)


def _classes(answers: Tensor, target: dict[str, Tensor]) -> Tensor:
    known = target["classes"] >= 0  # a word whose tag no class stands for has no probability
    return answers.log_softmax(1)[known].gather(1, target["classes"][known, None]).sum()


def _span(answers: Tensor, target: dict[str, Tensor]) -> Tensor:
    (start,), (end,) = target["starts"].tolist(), target["ends"].tolist()
    return answers[:, 0].log_softmax(0)[start] + answers[:, 1].log_softmax(0)[end]


def _topics(answers: Tensor, target: dict[str, Tensor]) -> Tensor:
    given = answers.sigmoid()
    return torch.where(target["labels"] > 0, given, 1 - given).log().sum()


def _listwise(answers: Tensor, target: dict[str, Tensor]) -> Tensor:
    relevance = target["relevance"].float()
    return (relevance / max(1.0, float(relevance.sum())) * answers[:, 0].log_softmax(0)).sum()


LOG_P: dict[str, Callable[[Tensor, dict[str, Tensor]], Tensor]] = {
    "topics": _topics,
    "score": lambda answers, target: -((answers[:, 0] - target["scores"].float()) ** 2).sum(),
    "choice": lambda answers, target: _classes(answers, {"classes": (target["relevance"] > 0).long()}),
    "grade": lambda answers, target: _classes(answers, {"classes": target["relevance"]}),
    "search": _listwise,
    "span": _span,
}


@pytest.mark.parametrize("name", CORPORA)
def test_squares_of_each_example_by_itself(world: World, name: str) -> None:
    model = world.model(seed=5)
    split = world.examples(name, "train", training=True)
    told: list[tuple[str, int, int]] = []
    found = task_embedding(model, split, lambda *numbers: told.append(numbers))
    assert told == [(name, len(split), number) for number in range(1, len(split) + 1)]

    model, head = world.model(seed=5), world.bundle.corpus(name).head
    network, encoder = model.model, model.model.encoder
    expected: dict[str, Tensor] = {}

    def add(component: str, value: Tensor) -> None:
        expected[component] = expected.get(component, torch.zeros(())) + value.double() / len(split)

    for index in range(len(split)):
        example = split.example(index)
        batch = pack([(split.active, head, example.sequences)], world.bundle.reads_token_types)
        target = join_targets([example.target])
        network.zero_grad()
        x, states = encoder.embeddings(batch).hidden, []
        for layer in encoder.layers:  # the layer by hand, to keep what its last map of attention reads
            context = batch.layout.attend(layer.attention.qkv(x), layer.attention.heads, 0.0)
            lower = layer.attention_norm(x + layer.attention.output(context))
            x = layer.feed_forward_norm(lower + layer.feed_forward(lower))
            states += [context, x]
        units, own = batch.units[0], network.heads[head]
        read = x[units.flatten()].view(len(units), units[:1].numel() * x.shape[1] if len(units) else x.shape[1])
        if name == "mlm":
            read = own.norm(F.gelu(own.dense(read)))
            answers = read @ encoder.embeddings.tokens.weight.T + own.bias
        else:
            read = torch.tanh(own.dense(read)) if hasattr(own, "dense") else read
            answers = own.out_proj(read)
        for one in (*states, read):
            one.retain_grad()
        LOG_P.get(name, _classes)(answers, target).backward()
        for parameter_name, parameter in network.named_parameters():
            if parameter.grad is not None:
                ours = parameter_name.removeprefix("encoder.").replace(f"heads.{head}.", "head.")
                squares = parameter.grad**2
                add(ours, squares if squares.dim() == 1 else squares.mean(0))
        for number, (context, output) in enumerate(zip(states[::2], states[1::2], strict=True)):
            assert context.grad is not None and output.grad is not None
            add(f"layers.{number}.context", (context.grad**2).mean(0))
            add(f"layers.{number}.output", (output.grad**2).mean(0))
        starts = np.cumsum([0, *map(len, (one.tokens for one in example.sequences[:-1]))])
        assert states[-1].grad is not None
        add("first_token", (states[-1].grad[starts] ** 2).mean(0))
        add("head", (read.grad**2).mean(0) if len(read) and read.grad is not None else torch.zeros(read.shape[1]))

    assert set(found) >= set(expected)
    largest = max(values.max() for values in found.values())  # a bias that changes nothing has rounding errors alone
    for component, values in found.items():
        right = expected.get(component)
        right = np.zeros_like(values) if right is None else right.detach().numpy()
        assert values.shape == right.shape, component
        np.testing.assert_allclose(values, right, rtol=2e-3, atol=1e-9 * largest, err_msg=component)


def test_it_is_not_the_square_of_a_mean(world: World) -> None:
    """Two examples whose gradients cancel would have no information otherwise."""
    split = world.examples("one", "train", training=True)
    found = task_embedding(world.model(), split, lambda *_: None)
    network, head = world.model().model, world.bundle.corpus("one").head
    made = [split.example(index) for index in range(len(split))]
    batch = pack([(split.active, head, [one.sequences[0] for one in made])], world.bundle.reads_token_types)
    (answers,) = network(batch).answers
    classes = torch.tensor([int(one.target["classes"][0]) for one in made])
    F.cross_entropy(answers, classes).backward()
    bias = network.heads[head].get_submodule("out_proj").bias
    assert (found["head.out_proj.bias"] > 1.2 * (bias.grad**2).numpy()).any()
