"""What a text-to-text model reads of rows, and what it is to write.

Against the text of the whole input, put together in the test and encoded at once by the same tokenizer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.items import TextToText
from skill_plugin.kinds.registry import kind_named
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.row_sizes import RowSizes
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text_to_text.items import TextToTextItems
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import example, make_reading

# corpus -> names of the texts of a sequence, in its order; its answers; as in `tests.every_kind`
NAMES = {
    "one": (("a",), ("b", "a", "c")),
    "pair": (("a", "b"), ("b", "a")),
    "wic": (("a", "b"), ("F", "T")),
    "wsc": (("a",), ("F", "T")),
    "choice": (("a", "c"), ("0", "1")),
    "grade": (("a", "c"), ("0", "1", "2")),
    "asked": (("a", "q", "c"), ("0", "1")),
}
SEEDS = st.integers(0, 1 << 30)


def make(
    name: str, encoder: TextEncoder, length: int = 1000, form: TextToText = TextToText(), **changes: Any
) -> TextToTextItems:
    if name == "asked":
        name, changes = "search", {"loss": "pointwise", "ranked_by": "probability", **changes}
    if name in ("wic", "wsc"):  # the tokenizer knows no capital letters
        changes = {"targets": {"F": "no", "T": "yes"}, **changes}
    items = make_items(replace(make_reading(name, encoder, length, {"grades": 3}, **changes), text_to_text=form))
    assert isinstance(items, TextToTextItems)
    return items


def row_of(items: TextToTextItems, name: str, seed: int, words: int = 12) -> tuple[Example, EncodedRow]:
    """An example and its row, with its right answers as the store has them."""
    made = example("search" if name == "asked" else name, np.random.default_rng(seed), words)
    (row,) = items.encode([made])
    if items.reading.labels:
        row = replace(row, arrays={**row.arrays, "label": np.array([items.reading.labels.index(str(made.answer))])})
    return made, row


def marked(made: Example) -> tuple[str, ...]:
    """The texts, with asterisks around words."""
    texts = list(made.texts)
    for number, start, end in sorted(made.spans, key=lambda span: -span[1]):
        text = texts[number]
        texts[number] = f"{text[:start]}* {text[start:end]} *{text[end:]}"
    return tuple(texts)


def inputs(name: str, made: Example, prefix: str = "") -> list[str]:
    """The whole text of each sequence."""
    rows = [(*made.texts, candidate) for candidate in made.candidates] or [marked(made)]
    return [prefix + " ".join(f"{n}: {text}" for n, text in zip(NAMES[name][0], row, strict=True)) for row in rows]


def ended(encoder: TextEncoder, text: str) -> list[int]:
    return [*encoder.encode(text).ids.tolist(), Vocabulary.eos]


def targets(sequence: EncodedSequence) -> list[list[int]]:
    return [target.tolist() for target in sequence.targets]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(SEEDS, st.booleans())
def test_the_source_is_the_whole_text(encoders: dict[str, TextEncoder], name: str, seed: int, prefixed: bool) -> None:
    encoder = encoders["sentencepiece"]
    items = make(name, encoder, form=TextToText(prefixed))
    made, row = row_of(items, name, seed)
    if len(set(made.spans)) < len(made.spans):
        return  # one word twice, whose marks stand in one another, which ``marked`` does not do
    prefix = f"{items.corpus.head}: " if prefixed else ""
    found = [one.tokens.tolist() for one in items.sequences(row)]
    assert found == [ended(encoder, text) for text in inputs(name, made, prefix)]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_answers_are_chosen_among_all_texts_and_learned_by_the_right_one(
    encoders: dict[str, TextEncoder], name: str, seed: int
) -> None:
    encoder = encoders["sentencepiece"]
    words = {"b": "the cat", "1": "läuft gern", "T": "yes", "F": "no"}
    known = {label: words[label] for label in NAMES[name][1] if label in words}
    items = make(name, encoder, targets=known)
    texts = [ended(encoder, words.get(label, label)) for label in NAMES[name][1]]
    made, row = row_of(items, name, seed)
    asked = items.sequences(row)
    assert all(targets(one) == texts and one.units.tolist() == [0] for one in asked)
    learned, target = items.learned(row, asked)
    relevance = made.answer if made.candidates else (row.arrays["label"][0],)
    assert isinstance(relevance, tuple)
    right = [texts[min(int(number), len(texts) - 1)] for number in relevance]
    assert [targets(one) for one in learned] == [[one] for one in right]
    assert target["classes"].tolist() == [token for one in right for token in one]
    assert [len(one.units) for one in learned] == [len(one) for one in right]
    assert [one.tokens.tolist() for one in learned] == [one.tokens.tolist() for one in asked]
    written = make(name, encoder, targets=known, form=TextToText(greedy=True)).sequences(row)
    assert [one.targets for one in written] == [()] * len(asked)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(0, 30))
def test_lengths_are_those_of_both_sides_and_no_source_is_longer_than_allowed(
    encoders: dict[str, TextEncoder], name: str, seed: int, room: int
) -> None:
    encoder = encoders["sentencepiece"]
    least = make(name, encoder).rule.special + 1
    items = make(name, encoder, least + room, TextToText(prefixed=False))
    _, row = row_of(items, name, seed)
    sizes = RowSizes.of([[len(text) for text in row.texts]], [[len(member) for member in row.members]])

    class Split:  # all that `lengths` asks of a split
        pass

    split: Any = Split()
    split.sizes = sizes
    asked = items.sequences(row)
    assert max(len(one.tokens) for one in asked) <= least + room
    assert items.lengths(split).tokens.tolist() == [one.size for one in asked]
    learned, _ = items.learned(row, asked)
    longest = items.lengths(split, training=True).tokens.tolist()
    most = max(map(len, items.answers)) - min(map(len, items.answers))
    assert all(0 <= bound - one.size <= most for bound, one in zip(longest, learned, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_outputs_mean_what_those_of_a_head_mean(encoders: dict[str, TextEncoder], name: str) -> None:
    """The log-likelihoods of all texts are logits: the kind's own answers, scores and probabilities."""
    items = make(name, encoders["sentencepiece"])
    made, row = row_of(items, name, 3)
    sequences = items.sequences(row)
    outputs = -10 * torch.rand(len(sequences), len(items.answers), generator=torch.Generator().manual_seed(0))
    kind = kind_named(items.corpus.kind).items(replace(items.reading, text_to_text=None))
    assert items.predict(outputs, row, sequences, made) == kind.predict(outputs, row, sequences, made)
    assert repr(items.score(outputs, row, sequences, made)) == repr(kind.score(outputs, row, sequences, made))
    assert items.tell(outputs, row, sequences, made) == kind.tell(outputs, row, sequences, made)
    heads, own = (one.target(row, sequences) for one in (kind, items))
    assert {name: value.tolist() for name, value in heads.items()} == {name: v.tolist() for name, v in own.items()}


def test_a_cut_text_keeps_its_names_and_its_marks(encoders: dict[str, TextEncoder]) -> None:
    encoder = encoders["sentencepiece"]
    text = "the cat sat on the mat and looked at the dog"
    made = Example((text,), "T", "file", 1, spans=((0, 4, 7), (0, 41, 44)))
    items = make("wsc", encoder, make("wsc", encoder).rule.special + 4)
    (row,) = items.encode([made])
    (sequence,) = items.sequences(row)
    pieces = [encoder.vocabulary.symbols[token] for token in sequence.tokens]
    assert len(pieces) == items.rule.max_length
    mark = [encoder.vocabulary.symbols[token] for token in encoder.encode("*").ids]
    assert sum(pieces[at : at + len(mark)] == mark for at in range(len(pieces))) == 4


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("topics", {}, "corpus 'topics': a text-to-text model does not answer the kind multilabel; it answers "),
        ("search", {"loss": "listwise"}, "corpus 'search': a text-to-text model answers for each candidate by itself"),
        ("one", {"class_weights": "balanced"}, "corpus 'one': class_weights: a text-to-text model learns the texts"),
        ("one", {"label_smoothing": 0.1}, "corpus 'one': label_smoothing: a text-to-text model learns the texts"),
        ("one", {"targets": {"bb": "x"}}, "targets: unknown label 'bb'; did you mean 'b'?"),
        ("one", {"targets": dict.fromkeys("ab", "x")}, "the text 'x' is written in the same pieces as 'x'"),
        ("one", {"targets": {"b": "a"}}, "targets: the text 'a' is written in the same pieces as 'a'"),
        (
            "one",
            {"targets": {"b": "\xe9", "a": "e\u0301"}},
            "the text 'e\\u0301' is written in the same pieces as '\\xe9', which looks like it; expected another one",
        ),
        ("one", {"targets": {"b": "\u200b"}}, "targets: the text '\\u200b' has no piece of the vocabulary"),
    ],
)
def test_what_cannot_be_written_is_refused(
    encoders: dict[str, TextEncoder], name: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make(name, encoders["sentencepiece"], **changes)
    assert message in str(caught.value)
