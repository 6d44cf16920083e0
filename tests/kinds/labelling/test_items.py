"""Every word is read once, at its first sub-word, in the window where it has most context."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.labelling.answer import Entity
from skill_plugin.kinds.labelling.items import LabellingItems
from skill_plugin.kinds.labelling.metric import Labelling
from skill_plugin.spec.tag_schemes import find_scheme
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import example, make_reading


def row_of(sub_words: list[int], labels: int = 4) -> EncodedRow:
    """A sentence whose words have so many sub-words: token t has the id 10 + t."""
    first = np.cumsum([0, *sub_words])[:-1].astype(np.int32)
    label = np.random.default_rng(len(sub_words)).integers(-1, labels, len(sub_words)).astype(np.int32)
    ids = 10 + np.arange(sum(sub_words), dtype=np.int32)
    return EncodedRow((ids,), arrays={"first": first, "label": label})


def plain(text: str) -> str:
    """Lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))


@given(st.lists(st.integers(1, 4), max_size=40), st.integers(3, 30), st.none() | st.integers(1, 40))
def test_windows_of_a_sentence(
    encoders: dict[str, TextEncoder], sub_words: list[int], max_length: int, stride: int | None
) -> None:
    items = LabellingItems(make_reading("tags", encoders["sentencepiece"], max_length, stride=stride))
    row = row_of(sub_words)
    windows, sequences = items.row_windows(row), items.sequences(row)
    read: list[int] = []
    for number, (sequence, (start, end)) in enumerate(zip(sequences, windows, strict=True)):
        assert sequence.tokens.tolist() == [0, *range(10 + start, 10 + end), 2]
        expected = []
        for token in row.arrays["first"].tolist():
            context = [min(token - s, e - 1 - token) if s <= token < e else -1 for s, e in windows]
            if context.index(max(context)) == number:
                expected.append(10 + token)
        assert sequence.tokens[sequence.units].tolist() == expected
        alone = items.sequences(row, number)
        assert [one.units.tolist() for one in alone] == [sequence.units.tolist()]
        target = items.target(row, alone, number)["classes"].tolist()
        words = [row.arrays["first"].tolist().index(token - 10) for token in expected]
        assert target == [-100 if row.arrays["label"][word] < 0 else row.arrays["label"][word] for word in words]
        read += words
    assert read == list(range(len(sub_words)))
    assert items.target(row, sequences)["classes"].tolist() == [-100 if i < 0 else i for i in row.arrays["label"]]
    assert sorted({token for start, end in windows for token in range(start, end)}) == list(range(sum(sub_words)))


def test_words_of_a_text(encoder: TextEncoder) -> None:
    """Units of an encoded sentence, in windows, stand at the pieces in which the words begin."""
    items = LabellingItems(make_reading("tags", encoder, 9))
    random = np.random.default_rng(0)
    for made in [example("tags", random, 30) for _ in range(30)]:
        (row,) = items.encode([made])
        pieces = [encoder.vocabulary.symbols[s.tokens[unit]] for s in items.sequences(row) for unit in s.units]
        assert len(pieces) == len(made.words)
        for piece, (start, end) in zip(pieces, made.words, strict=True):
            assert piece == "<unk>" or plain(made.texts[0][start:end]).startswith(plain(piece.replace("\u2581", "")))


@pytest.mark.parametrize("lenient", [False, True])
def test_tags_and_entities_of_a_sentence_in_windows(encoder: TextEncoder, lenient: bool) -> None:
    made = example("tags", np.random.default_rng(5), 40)
    items = LabellingItems(make_reading("tags", encoder, 9, {"scheme": "bio"}, lenient=lenient))
    (row,) = items.encode([made])
    labels = items.reading.labels
    chosen = [0, 1, 2, 2, 3, 0, 2] + [0] * (len(made.words) - 7)
    outputs = torch.nn.functional.one_hot(torch.tensor(chosen), len(labels)).float()
    found = items.predict(outputs, row, items.sequences(row), made)
    words = [made.texts[0][start:end] for start, end in made.words]
    assert (found.words, found.tags) == (words, [labels[tag] for tag in chosen])
    expected = []
    for kind, first, last in (("X", 1, 3), ("Y", 4, 4), *([("X", 6, 6)] if lenient else [])):  # O I-X at the end
        start, end = made.words[first][0], made.words[last][1]
        expected.append(Entity(kind, first, last, " ".join(words[first : last + 1]), start, end))
    assert found.entities == expected
    assert items.score(outputs, row, items.sequences(row), made) == (found.tags, list(made.answer or ()))
    raw = LabellingItems(make_reading("tags", encoder, 9, {"scheme": "raw"}))
    assert raw.predict(outputs, row, [], made).entities == []


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("labels", [("O", "B-X", "I-X", "B-Y"), ("O", "I-X", "I-Y", "I"), ("O", "X")])
def test_entities_shown_are_those_that_are_scored(encoder: TextEncoder, lenient: bool, labels: tuple[str, ...]) -> None:
    random = np.random.default_rng(len(labels))
    scheme = find_scheme(labels)
    reading = make_reading("tags", encoder, 9, {"scheme": scheme}, lenient=lenient)
    items = LabellingItems(replace(reading, labels=labels))
    metric = Labelling("accuracy", labels, scheme, lenient)
    for _ in range(30):
        made = example("tags", random, 20)
        (row,) = items.encode([made])
        outputs = torch.from_numpy(random.normal(size=(len(made.words), len(labels))))
        found = items.predict(outputs, row, items.sequences(row), made)
        state = np.zeros(metric.size)
        metric.count(state, [found.tags], [found.tags], [0])
        scored = 0 if scheme == "raw" else int(state[: -len(("right", "words", "sentences"))].reshape(-1, 3).sum(0)[1])
        assert len(found.entities) == scored


def test_a_sentence_without_words(encoder: TextEncoder) -> None:
    items = LabellingItems(make_reading("tags", encoder, 9, {"scheme": "bio"}))
    made = example("tags", np.random.default_rng(0))._replace(texts=("",), words=(), answer=())
    (row,) = items.encode([made])
    (sequence,) = items.sequences(row)
    assert (sequence.tokens.tolist(), sequence.units.tolist()) == ([0, 2], [])
    assert items.predict(torch.zeros(0, 4), row, [sequence], made).to_line() == ""


def test_a_sequence_needs_room_for_a_token(encoder: TextEncoder) -> None:
    with pytest.raises(InputError, match="'tags': the longest sequence has 2 tokens; expected at least 3"):
        LabellingItems(make_reading("tags", encoder, 2))


def test_no_quadratic_time(encoder: TextEncoder) -> None:
    """20,000 words in 20,000 windows."""
    items = LabellingItems(make_reading("tags", encoder, 3))
    row = row_of([1] * 20_000)
    begin = time.process_time()
    sequences = items.sequences(row)
    items.target(row, sequences)
    assert len(sequences) == 20_000
    assert time.process_time() - begin < 5  # takes half a second; a pass over the words for each window takes a minute
