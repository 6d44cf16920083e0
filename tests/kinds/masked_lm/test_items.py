"""Hidden tokens: others in every epoch, the same whenever a text is scored; and a person's own masks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.errors import InputError
from skill_plugin.kinds.masked_lm.answer import FillPrediction
from skill_plugin.kinds.masked_lm.items import MaskedLmItems
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from tests.every_kind import World, examples, make_reading, make_world


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    made = [*examples("mlm", 20, words=40), Example(("",), None, "", 0), Example((" \u200b",), None, "", 0)]
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoders["sentencepiece"], {"mlm": made})


def hidden(example: CorpusExample) -> list[int]:
    """Tokens as the encoder sees them, and what is to be guessed at which place."""
    places = [int(place) for sequence in example.sequences for place in sequence.units]
    tokens = [int(token) for sequence in example.sequences for token in sequence.tokens]
    return [*tokens, *places, *example.target["classes"].tolist()]


def test_masks_of_an_epoch(world: World) -> None:
    training, again, other = (world.examples("mlm", training=True, seed=seed) for seed in (1, 1, 2))
    epochs = [[hidden(training.example(i, epoch)) for i in range(len(training))] for epoch in (1, 2)]
    assert epochs[0] != epochs[1]
    assert epochs[0] == [hidden(again.example(i, 1)) for i in range(len(again))]
    assert epochs[0] != [hidden(other.example(i, 1)) for i in range(len(other))]


def test_masks_of_a_score_are_always_the_same(world: World) -> None:
    once, again = world.examples("mlm", seed=1), world.examples("mlm", seed=2)
    assert [hidden(once.example(i)) for i in range(len(once))] == [hidden(again.example(i)) for i in range(len(again))]


def test_every_token_is_in_one_window_and_15_in_100_are_hidden(world: World) -> None:
    mask = len(world.bundle.text_encoder.vocabulary) - 1
    for training in (False, True):
        found = world.examples("mlm", training=training)
        by_row: dict[int, list[int]] = {}
        for i in range(len(found)):
            example = found.example(i)
            at = 0
            for sequence in example.sequences:
                count = len(sequence.units)
                original = np.array(sequence.tokens)
                original[sequence.units] = example.target["classes"][at : at + count]
                at += count
                assert (original != mask).all()
                assert original[[0, -1]].tolist() == [0, 2]
                by_row.setdefault(example.row, []).extend(original[1:-1].tolist())
                ordinary = int((original > 3).sum())  # neither special nor <unk>
                assert count == min(ordinary, max(1, round(0.15 * ordinary)))
                assert (original[sequence.units] > 3).all()
        assert by_row == {i: found.split[i].texts[0].tolist() for i in range(len(found.split))}


@given(st.integers(0, 60), st.integers(3, 20), st.none() | st.integers(1, 20), st.sets(st.integers(0, 59)))
def test_masks_of_a_text_are_read_once(
    encoders: dict[str, TextEncoder], length: int, max_length: int, stride: int | None, places: set[int]
) -> None:
    items = MaskedLmItems(make_reading("mlm", encoders["sentencepiece"], max_length, stride=stride))
    masks = sorted(place for place in places if place < length)
    ids = np.arange(10, 10 + length, dtype=np.int32)
    ids[masks] = items.mask
    row = EncodedRow((ids,))
    windows, sequences = items.row_windows(row), items.sequences(row)
    if stride is None:
        assert [token for start, end in windows for token in range(start, end)] == list(range(length))
    read = [start + unit - 1 for (start, _), one in zip(windows, sequences, strict=True) for unit in one.units.tolist()]
    assert read == masks


@pytest.mark.parametrize(
    "text", ["", "<mask>", "the <mask> sat", "<mask><mask> the", "a < mask > <mask>.", "<mas<mask>"]
)
def test_masks_that_a_person_writes(encoder: TextEncoder, text: str) -> None:
    items = MaskedLmItems(make_reading("mlm", encoder))
    (row,) = items.encode([Example((text,), None, "", 0)])
    parts = [encoder.encode(part).ids.tolist() for part in text.split("<mask>")]
    expected = parts[0]
    for part in parts[1:]:
        expected = [*expected, items.mask, *part]
    assert row.texts[0].tolist() == expected
    vocabulary = len(encoder.vocabulary)
    logits = torch.from_numpy(np.random.default_rng(0).normal(size=(text.count("<mask>"), vocabulary))).float()
    found = items.predict(items.reduce(logits, None), row, items.sequences(row), None)
    assert isinstance(found, FillPrediction)
    assert len(found.fills) == text.count("<mask>")
    assert len(found.to_line().split("\t")) == max(1, text.count("<mask>"))
    for fill, one in zip(found.fills, logits.softmax(-1), strict=True):
        best = sorted(range(vocabulary), key=lambda i, one=one: -float(one[i]))[:5]
        assert list(fill) == [encoder.vocabulary.symbols[i] for i in best]
        assert list(fill.values()) == pytest.approx([float(one[i]) for i in best])


def test_scores(encoders: dict[str, TextEncoder]) -> None:
    items = MaskedLmItems(make_reading("mlm", encoders["sentencepiece"]))
    logits = torch.randn(6, 30)
    classes = torch.tensor([int(logits[0].argmax()), 3, 4, 5, 6, 7])
    answer, count = items.score(items.reduce(logits, {"classes": classes}), EncodedRow(()), [], None)
    loss = torch.nn.functional.cross_entropy(logits, classes, reduction="sum")
    right = int((logits.argmax(-1) == classes).sum())
    assert (answer, count) == (MaskedAnswer(pytest.approx(float(loss), rel=1e-5), right), 6)


def test_a_vocabulary_without_a_mask(encoders: dict[str, TextEncoder]) -> None:
    encoder = encoders["word_piece"]
    without = TextEncoder(encoder.tokenizer, Vocabulary(encoder.vocabulary.symbols[:-1]), encoder.template)
    with pytest.raises(InputError, match="'mlm' needs a mask"):
        MaskedLmItems(make_reading("mlm", without))
