"""A slice gives what the whole model gives for its corpus, though it is an ordinary dense model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.errors import InputError
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.lora_options import LoraOptions
from tests.checkpoints.nli_and_topic import FILE, LABELS, SHAPE

LORA = LoraOptions(rank=2, targets=("query", "value", "fc1"))
NORM = ConditionalOptions(modules=("norm",))


def trained(variant: str, **options: object) -> Checkpoint:
    """A model with random weights, none of them at its start."""
    bundle = Bundle(variant, SHAPE, FILE, "corpora.yaml", LABELS, {name: {} for name in LABELS}, 40, {})
    bundle = replace(bundle, **options)  # type: ignore[arg-type]
    torch.manual_seed(0)
    model = build_model(bundle)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return Checkpoint(bundle, model.state_dict())


def logits(checkpoint: Checkpoint, corpus: str) -> torch.Tensor:
    random = np.random.default_rng(0)
    sequences = [
        EncodedSequence(random.integers(4, 50, length), np.sort(random.integers(0, 2, length)))
        for length in (3, 17, 40)
    ]
    bundle = checkpoint.bundle
    batch = pack([(bundle.active_set(corpus), bundle.corpus(corpus).head, sequences)], True)
    with torch.no_grad():
        found = checkpoint.model()(batch).answers[0]
    assert isinstance(found, torch.Tensor)
    return found


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("dense", {}),
        ("skillnet", {}),
        ("skillnet_x_ffn", {}),
        ("skillnet_x_ffn_mha", {}),
        ("skillnet_x_ffn", {"skill_layers": 1}),
        ("skillnet_x_ffn_mha", {"lora": LORA}),
        ("skillnet_x_ffn", {"r4f": True, "linear_heads": True}),
        ("ca_mtl", {"conditional": NORM}),
    ],
)
@pytest.mark.parametrize("corpus", LABELS)
def test_the_slice_gives_the_same(variant: str, options: dict[str, object], corpus: str) -> None:
    whole = trained(variant, **options)
    found = take_slice(whole, corpus)
    assert found.bundle.variant == "dense"
    assert list(found.bundle.labels) == [corpus]
    assert not [name for name in found.state if "skills" in name or "languages" in name or "lora" in name]
    torch.testing.assert_close(logits(found, corpus), logits(whole, corpus), rtol=0, atol=1e-5)
    read = Bundle.from_state(found.bundle.to_state())
    torch.testing.assert_close(logits(Checkpoint(read, found.state), corpus), logits(found, corpus), rtol=0, atol=0)


@pytest.mark.parametrize(("corpus", "times"), [("nli", 2), ("topic", 1)])
def test_it_is_as_wide_as_the_skills_that_it_uses(corpus: str, times: int) -> None:
    assert take_slice(trained("skillnet"), corpus).bundle.shape.inner == times * SHAPE.inner
    assert take_slice(trained("skillnet_x_ffn"), corpus).bundle.shape.inner == (times + 1) * SHAPE.inner


def test_units_of_narrower_layers_give_nothing() -> None:
    state = take_slice(trained("skillnet", skill_layers=1), "nli").state
    assert not state["encoder.layers.0.feed_forward.fc1.weight"][SHAPE.inner :].any()
    assert not state["encoder.layers.0.feed_forward.fc2.weight"][:, SHAPE.inner :].any()
    assert state["encoder.layers.2.feed_forward.fc1.weight"][SHAPE.inner :].all()


@pytest.mark.parametrize(
    ("variant", "options", "named"),
    [
        ("mt_tag", {"experts": ExpertOptions(number=3)}, "ExpertFeedForward"),
        ("ca_mtl", {}, "conditional alignment"),
        ("ca_mtl", {"conditional": ConditionalOptions(modules=("attention",))}, "ConditionalAttention"),
        ("ca_mtl", {"conditional": ConditionalOptions(modules=("bottleneck",))}, "BottleneckFeedForward"),
    ],
)
def test_what_no_dense_model_does_is_named(variant: str, options: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=f"corpus 'nli' of {variant} has no dense slice: .*{named}"):
        take_slice(trained(variant, **options), "nli")


def test_a_wrong_corpus_names_the_nearest() -> None:
    with pytest.raises(InputError, match="no corpus 'topics'; did you mean 'topic'"):
        take_slice(trained("dense"), "topics")
