"""Experts' tokens as counted are those of a loop over single sequences that runs gates and experts by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.analysis.usage.collect import collect_usage
from skill_plugin.api import Model
from skill_plugin.errors import InputError
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.expert_options import ExpertOptions
from tests.every_kind import CORPORA, World, examples, make_world

ROWS = {name: examples(name, 12, words=20) for name in CORPORA}
MODELS = {
    "mt_tag": (1, ExpertOptions(), (1,)),  # skill_layers=1 of 2: the upper one
    "mt_switch": (None, ExpertOptions(number=3, layers=(0,)), (0,)),
    "moe_top2": (None, ExpertOptions(), (0, 1)),
}


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def model_of(world: World, variant: str) -> Model:
    skill_layers, options, _ = MODELS[variant]
    bundle = replace(world.bundle, variant=variant, skill_layers=skill_layers, experts=options)
    return World(world.folder, bundle).model()


def experts_by_hand(slot: ExpertFeedForward, h: Tensor, gate: str, normalised: bool) -> tuple[Tensor, list[list[int]]]:
    """Equations 3 to 6 for each token, for k > 1 with the softmax over the k largest logits (Shazeer et al. 2017)."""
    weight = dict(slot.gates.items()).get(gate, slot.gate).weight  # type: ignore[union-attr]
    outputs, choices = [], []
    for x in h:
        logits = weight @ x  # type: ignore[operator]
        chosen = sorted(range(len(logits)), key=lambda i: -float(logits[i]))[: slot.per_token]
        probabilities = logits.softmax(0) if not normalised else logits[chosen].softmax(0)
        factors = [probabilities[i if not normalised else chosen.index(i)] for i in chosen]
        outputs.append(sum(f * slot.experts[str(i)](x[None], None)[0] for f, i in zip(factors, chosen, strict=True)))
        choices.append(chosen)
    return torch.stack(outputs), choices  # type: ignore[arg-type]


@torch.no_grad()
def count_by_hand(model: Model, name: str, sequences: Sequence[EncodedSequence]) -> NDArray[np.int64]:
    """Choices [L, E] of sequences that run through the layers one after the other."""
    counts: dict[int, NDArray[np.int64]] = {}
    encoder, active = model.model.encoder, model.bundle.active_set(name)
    for sequence in sequences:
        batch = pack([(active, name, [sequence])], model.bundle.reads_token_types)
        x = encoder.embeddings(batch).hidden
        for index, layer in enumerate(encoder.layers):
            h = layer.attention_norm(x + layer.attention(x, batch))  # type: ignore[operator]
            slot = layer.feed_forward
            if isinstance(slot, ExpertFeedForward):
                y, choices = experts_by_hand(slot, h, active.gate, model.bundle.variant == "moe_top2")
                layer_counts = counts.setdefault(index, np.zeros(len(slot.experts), np.int64))
                for expert in (expert for token in choices for expert in token):
                    layer_counts[expert] += 1
            else:
                y = slot(h, batch)  # type: ignore[operator]
            x = layer.feed_forward_norm(h + y)  # type: ignore[operator]
    assert tuple(counts) == MODELS[model.bundle.variant][2]
    return np.stack(list(counts.values()))


@pytest.mark.parametrize("variant", MODELS)
def test_counts_are_those_of_gates_by_hand(world: World, variant: str) -> None:
    model = model_of(world, variant)
    found = collect_usage(model, str(world.folder))
    usage = found.found
    assert found.left_out == {}
    assert (usage.variant, usage.split, usage.layers) == (variant, "valid", MODELS[variant][2])
    assert usage.per_token == (2 if variant == "moe_top2" else 1)
    assert list(usage.corpora) == list(CORPORA)
    distinct = set()
    for name, corpus in usage.corpora.items():
        read = world.examples(name)
        sequences = [one for row in range(len(read)) for one in read.example(row).sequences]
        assert corpus.tokens == sum(len(one.tokens) for one in sequences)
        assert corpus.rows == len(read)
        assert corpus.language == world.bundle.corpus(name).language
        np.testing.assert_array_equal(corpus.counts, count_by_hand(model, name, sequences), name)
        np.testing.assert_array_equal(corpus.counts.sum(-1), corpus.tokens * usage.per_token)
        distinct.add(tuple(corpus.counts.argmax(-1)))
    assert len(distinct) > 1  # else the comparison would say little


@pytest.mark.parametrize("variant", MODELS)
def test_batches_do_not_matter(world: World, variant: str) -> None:
    model, told = model_of(world, variant), []
    first = collect_usage(model, str(world.folder)).found
    for batch_size, max_tokens in ((1, 8192), (7, 60)):
        other = collect_usage(
            model,
            str(world.folder),
            batch_size=batch_size,
            max_tokens=max_tokens,
            progress=lambda *one: told.append(one),
        ).found
        assert other.to_json() == first.to_json()
    of_one = [(total, done) for name, total, done in told if name == "one"]
    assert of_one == [(total, done) for total in (12, of_one[-1][0]) for done in range(1, total + 1)]


def test_the_same_gate_and_texts_give_full_overlap(encoder: TextEncoder, tmp_path: Path) -> None:
    """A shared gate cannot tell two corpora of the same texts apart; a gate per corpus can."""
    rows = {name: [made._replace(answer="a") for made in ROWS["pair"]] for name in ("pair",)}
    rows["topics"] = [made._replace(answer=("x",)) for made in ROWS["pair"]]
    world = make_world(tmp_path / "bin", encoder, rows)
    shared = collect_usage(model_of(world, "mt_switch"), str(world.folder)).found
    np.testing.assert_allclose(shared.overlap, 1)
    own = collect_usage(model_of(world, "mt_tag"), str(world.folder)).found
    assert own.mean_overlap[0, 1] < 0.99


def test_selection_and_limit(world: World) -> None:
    model = model_of(world, "mt_tag")
    found = collect_usage(model, str(world.folder), only=["span", "one"], limit=5)
    assert list(found.found.corpora) == ["one", "span"]  # in the model's order
    assert found.left_out == {}
    spread = [0, 2, 4, 7, 9]  # of 12 rows
    for name, corpus in found.found.corpora.items():
        read = world.examples(name)
        sequences = [one for row in spread for one in read.example(row).sequences]
        assert corpus.rows == 5
        np.testing.assert_array_equal(corpus.counts, count_by_hand(model, name, sequences))
    beyond = collect_usage(model, str(world.folder), only=["one"], limit=99)
    assert beyond.found.corpora["one"].rows == 12


def test_what_is_left_out(encoder: TextEncoder, tmp_path: Path) -> None:
    unanswered = {"train": ROWS["score"], "valid": [made._replace(answer=None) for made in ROWS["score"]]}
    rows = {
        "pair": {"train": ROWS["pair"]},
        "score": unanswered,
        "nsp": {"valid": [made._replace(texts=made.texts[:1]) for made in ROWS["nsp"]]},
        "wic": {"valid": ROWS["wic"]},
    }
    world = make_world(tmp_path / "bin", encoder, rows)
    labels = {name: labels for name, labels in world.bundle.labels.items() if name != "wic"}
    model = model_of(World(world.folder, replace(world.bundle, labels=labels)), "mt_tag")
    found = collect_usage(model, str(world.folder))
    assert list(found.found.corpora) == ["score"]  # it needs no answers
    assert found.left_out == {
        "wic": "not a corpus of the model",
        "pair": "no valid split",
        "nsp": "its valid split holds nothing to read",
    }
    with pytest.raises(InputError, match=r"nothing to count \(pair: no valid split\)"):
        collect_usage(model, str(world.folder), only=["pair"])
    with pytest.raises(InputError, match=r"the model has no corpus 'wic'"):
        collect_usage(model, str(world.folder), only=["wic"])


def test_unanswered_splits_of_every_kind(encoder: TextEncoder, tmp_path: Path) -> None:
    answered = [name for name in CORPORA if name not in ("mlm", "nsp")]
    rows = {name: {"train": ROWS[name], "test": [one._replace(answer=None) for one in ROWS[name]]} for name in answered}
    world = make_world(tmp_path / "bin", encoder, rows)
    model = model_of(world, "mt_tag")
    train, test = (collect_usage(model, str(world.folder), split).found for split in ("train", "test"))
    for name in answered:
        np.testing.assert_array_equal(test.corpora[name].counts, train.corpora[name].counts, name)


def test_models_without_experts_are_refused(world: World) -> None:
    with pytest.raises(
        InputError, match="this skillnet_x_ffn_mha model has no experts; expected a checkpoint of moe_top2"
    ):
        collect_usage(world.model(), str(world.folder))
    bundle = replace(world.bundle, variant="mt_tag", skill_layers=0)
    with pytest.raises(InputError, match="this mt_tag model has no experts"):
        collect_usage(World(world.folder, bundle).model(), str(world.folder))
