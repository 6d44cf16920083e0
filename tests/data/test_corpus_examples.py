"""Lengths that the sampler plans with are those of the sequences that the model gets."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.errors import InputError
from skill_plugin.kinds.next_sentence.items import NEXT
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.store.indexed_file import IndexedFile, write_indexed
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import CORPORA, World, examples, make_reading, make_world

WINDOWED = ("tags", "signs", "span", "mlm")


@pytest.fixture(scope="module", params=[8, 24, 500])
def world(request: pytest.FixtureRequest, encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Sequences so short that nearly all texts are cut or divided, some, or none."""
    rows = {name: examples(name, 40, words=20) for name in CORPORA}
    options = {"mlm": "stride: 5", "span": "stride: 2, max_question: 3", "pair": "truncate: right"}
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, rows, options, max_length=request.param)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", CORPORA)
def test_lengths_and_counts(world: World, name: str, training: bool) -> None:
    found = world.examples(name, training=training)
    made = [found.example(i) for i in range(len(found))]
    lengths = np.array([sum(len(s.tokens) for s in example.sequences) for example in made])
    settled = np.ones(len(made), bool)
    if name == "nsp":  # what is drawn in place of the actual next sentences may be shorter
        settled = np.array([example.target["classes"][0] == NEXT for example in made])
    assert (lengths <= found.lengths).all()
    assert found.lengths[settled].tolist() == lengths[settled].tolist()
    assert found.sequence_counts.tolist() == [len(example.sequences) for example in made]
    assert found.lengths.dtype == found.sequence_counts.dtype == np.int64
    assert max(len(s.tokens) for example in made for s in example.sequences) <= world.bundle.max_length
    for example in made:
        for sequence in example.sequences:
            assert len(sequence.tokens) == len(sequence.token_types)
            assert ((sequence.units >= 0) & (sequence.units < len(sequence.tokens))).all()


@pytest.mark.parametrize("training", [False, True])
def test_rows_with_another_number_of_texts_are_refused(world: World, training: bool) -> None:
    """As soon as they are asked for, though training may need no lengths."""
    found = world.examples("pair", training=training)
    assert found.left_out is None
    other = replace(found, split=replace(found.split, texts=found.split.texts[:1]))
    with pytest.raises(InputError, match="corpus 'pair' has 2 text columns, but its rows have 1 text"):
        assert other.left_out


@pytest.mark.parametrize("name", [name for name in CORPORA if name != "mlm"])  # of other masks: tests/kinds/masked_lm
def test_training_sees_the_sequences_that_are_scored(world: World, name: str) -> None:
    training, scoring = world.examples(name, training=True), world.examples(name)
    trained = [training.example(i) for i in range(len(training))]
    scored = [scoring.example(i) for i in range(len(scoring))]
    assert [s.tokens.tolist() for e in trained for s in e.sequences] == [
        s.tokens.tolist() for e in scored for s in e.sequences
    ]
    assert [s.units.tolist() for e in trained for s in e.sequences] == [
        s.units.tolist() for e in scored for s in e.sequences
    ]
    for key in trained[0].target:
        pairs = [np.concatenate([example.target[key] for example in made]) for made in (trained, scored)]
        assert pairs[0].tolist() == pairs[1].tolist()
    rows = [example.row for example in trained]
    assert rows == [row for row, count in enumerate(scoring.sequence_counts) for _ in range(count)] or (
        name not in WINDOWED and rows == list(range(len(scoring)))
    )


def test_what_is_scored_comes_with_its_row(world: World) -> None:
    for name in CORPORA:
        first = world.examples(name).example(0)
        assert first.encoded is not None
        assert (first.text is not None) == (name in ("tags", "signs", "span"))
        trained = world.examples(name, training=True).example(0)
        assert (trained.encoded, trained.text) == (None, None)


def test_corpora_without_answers(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    known = examples("one", 3)
    rows = {"one": {"train": known, "test": [made._replace(answer=None) for made in known]}, "mlm": examples("mlm", 2)}
    world = make_world(tmp_path / "bin", encoders["word_piece"], rows)
    assert world.examples("one", "train").left_out is None
    assert world.examples("one", "test").left_out == "has no labels"
    assert world.examples("mlm").left_out is None


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> IndexedFile:
    prefix = tmp_path_factory.mktemp("many") / "rows"
    write_indexed(prefix, (np.full(n, 5) for n in np.random.default_rng(0).integers(1, 300, 200_000)), 100)
    return IndexedFile(prefix)


@pytest.mark.parametrize("name", ["one", "span", "tags", "mlm", "choice"])
def test_lengths_of_200_000_rows(encoders: dict[str, TextEncoder], many: IndexedFile, name: str) -> None:
    texts = (many, many) if name == "span" else (many,)
    split = StoredSplit(RowStorage(), texts, (many, np.arange(len(many) + 1)) if name == "choice" else None)
    items = make_items(make_reading(name, encoders["sentencepiece"], 128))
    found = CorpusExamples(name, split, items, ActiveSet(("generic",), "en"), name, training=True)
    begin = time.process_time()
    assert len(found.lengths) == len(found.sequence_counts) >= len(many)
    assert time.process_time() - begin < 5  # takes a second


@pytest.mark.parametrize("name", list(CORPORA))
def test_rows_are_what_a_sampler_counts(world: World, name: str) -> None:
    """Questions and sentences, not their windows; of raw text the windows, since a text has no answer of its own."""
    found = world.examples(name, training=True)
    assert found.rows == (len(found) if name in ("mlm", "nsp") else len(found.split))
