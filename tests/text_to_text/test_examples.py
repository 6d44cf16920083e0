"""Examples of a data folder as a text-to-text model is given them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.data.collate import collate, collate_candidates
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import World, examples, make_world

TARGETS = "targets: {F: 'no', T: 'yes'}"
NAMES = ("one", "pair", "choice", "grade", "wic", "nsp")


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    """Sequences so short that many texts are cut."""
    rows = {name: examples(name, 20, words=20) for name in NAMES}
    folder = tmp_path_factory.mktemp("data") / "bin"
    options = {"wic": TARGETS, "nsp": "targets: {next: ja, other: nein}"}
    return make_world(folder, encoders["sentencepiece"], rows, options, 40, variant="mt5", prefixed=True)


def segment(world: World, name: str, training: bool) -> SegmentExamples:
    found = world.examples(name, training=training)
    made = [found.example(number) for number in range(len(found))]
    return SegmentExamples(0, found.active, found.head, np.arange(len(made)), made)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_lengths_for_the_plan(world: World, name: str, training: bool) -> None:
    found = world.examples(name, training=training)
    lengths = segment(world, name, training).lengths
    answers = world.items(name).answers  # type: ignore[attr-defined]
    spread = max(map(len, answers)) - min(map(len, answers)) if training else 0
    assert (lengths <= found.lengths).all()
    if name != "nsp":  # what is drawn in place of the actual next sentences may be shorter
        assert (found.lengths <= lengths + spread * found.sequence_counts).all()
    assert found.lengths.dtype == np.int64


@pytest.mark.parametrize("name", NAMES)
def test_what_is_learned_has_a_unit_for_each_token_of_the_right_answers(world: World, name: str) -> None:
    sample = collate([segment(world, name, True), segment(world, "one", True)], token_types=False)
    targets = PackedBatch(**sample["net_input"]).targets
    assert targets is not None
    assert targets.tokens.tolist() == [token for one in sample["targets"] for token in one["classes"].tolist()]
    assert [sum(units) for units in sample["units"]] == [len(one["classes"]) for one in sample["targets"]]
    assert set(targets.counts) == {1}
    assert sample["ntokens"] == sum(segment(world, one, True).lengths.sum() for one in (name, "one"))


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_asked_about_candidates_as_it_is_asked_to_answer(world: World, name: str) -> None:
    candidates = segment(world, name, True)
    (asked,) = collate_candidates([candidates], token_types=False, max_tokens=None)["packs"]
    (candidates_units,) = asked["units"]
    scored = segment(world, name, False)
    sequences = [one for example in scored.examples for one in example.sequences]
    batch = PackedBatch(**asked["net_input"])
    assert candidates_units == scored.units == [len(example.sequences) for example in scored.examples]
    assert batch.targets is not None
    answers = world.items(name).answers  # type: ignore[attr-defined]
    assert set(batch.targets.counts) == {len(answers)}
    assert batch.targets.tokens.tolist() == np.concatenate(answers * len(sequences)).tolist()


def test_a_run_of_several_prefixes_has_them_and_one_of_several_languages_has_not(world: World) -> None:
    alone = replace(world, bundle=replace(world.bundle, prefixed=False))
    encoder = world.bundle.text_encoder
    with_prefix, without = (one.examples("one").example(0).sequences[0].tokens for one in (world, alone))
    prefix = encoder.encode("one:").ids.tolist()
    assert with_prefix[: len(prefix)].tolist() == prefix
    assert without[: len(prefix)].tolist() != prefix


def test_an_encoder_with_heads_reads_what_it_read(world: World, tmp_path: Path) -> None:
    heads = replace(world, bundle=replace(world.bundle, variant="dense"))
    for training in (False, True):
        (example,) = segment(heads, "one", training).examples[:1]
        assert example.asked is example.sequences
        assert example.sequences[0].targets == ()
        assert example.target["classes"].tolist() == heads.examples("one").split[0].arrays["label"].tolist()
