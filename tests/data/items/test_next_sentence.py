"""Pairs of sentences: half follow one another, the others are of other documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.data.items.next_sentence import NEXT, OTHER, sentence_pairs
from skill_plugin.readers.example import Example
from skill_plugin.store.indexed_file import IndexedFile, write_indexed
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.text_encoder import TextEncoder
from tests.data.every_kind import examples, make_world


def split_of(folder: Path, documents: list[int]) -> StoredSplit:
    """Sentence number n is the one token n."""
    write_indexed(folder / "input0", ([n] for n in range(sum(documents))), 1 << 20)
    return StoredSplit((), (IndexedFile(folder / "input0"), np.cumsum([0, *documents])))


def test_half_and_half_of_many(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    documents = random.integers(0, 9, 5_000).tolist()
    pairs = sentence_pairs(split_of(tmp_path, documents)).pairs
    owner = np.repeat(np.arange(len(documents)), documents)
    with_next = [n for n in range(len(owner) - 1) if owner[n] == owner[n + 1]]
    assert pairs[:, 0].tolist() == with_next
    following = pairs[pairs[:, 2] == NEXT]
    assert (following[:, 1] == following[:, 0] + 1).all()
    other = pairs[pairs[:, 2] == OTHER]
    assert (owner[other[:, 0]] != owner[other[:, 1]]).all()
    assert abs(len(other) / len(pairs) - 0.5) < 0.02  # five standard deviations
    tenths = np.bincount(other[:, 1] * 10 // len(owner), minlength=10) / len(other)
    assert tenths == pytest.approx([0.1] * 10, abs=0.02)  # from everywhere


def test_pairs_are_a_function_of_the_seed(tmp_path: Path) -> None:
    split = split_of(tmp_path, [5] * 50)
    first, again, other = (sentence_pairs(split, seed).pairs for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("documents", [[60], [0, 60, 0]])
def test_one_document_alone(tmp_path: Path, documents: list[int]) -> None:
    pairs = sentence_pairs(split_of(tmp_path, documents)).pairs
    assert pairs[:, 0].tolist() == list(range(59))
    other = pairs[pairs[:, 2] == OTHER]
    assert 15 < len(other) < 44
    assert not ((other[:, 1] == other[:, 0]) | (other[:, 1] == other[:, 0] + 1)).any()
    assert set(other[:, 1]) <= set(range(60))


@pytest.mark.parametrize(("documents", "expected"), [([2], [[0, 1, NEXT]]), ([1, 1], []), ([0], []), ([], [])])
def test_too_few_sentences(tmp_path: Path, documents: list[int], expected: list[list[int]]) -> None:
    split = sentence_pairs(split_of(tmp_path, documents))
    assert split.pairs.tolist() == expected
    assert len(split) == len(expected)


def test_rows_of_stored_documents(encoder: TextEncoder, tmp_path: Path) -> None:
    documents = examples("nsp", 20)
    world = make_world(tmp_path / "bin", encoder, {"nsp": documents})
    found = world.examples("nsp", training=True, seed=3)
    sentences = [sentence for document in documents for sentence in document.texts]
    pairs = found.split.pairs  # type: ignore[attr-defined]
    assert len(found) == len(pairs) == sum(len(document.texts) - 1 for document in documents)
    for i, (first, second, label) in enumerate(pairs.tolist()):
        example, ids = found.example(i), [encoder.encode(sentences[n]).ids for n in (first, second)]
        (sequence,) = example.sequences
        assert sequence.tokens.tolist() == encoder.template.assemble(ids, 24).tokens.tolist()
        assert example.target["classes"].tolist() == [label]
        assert len(sequence.tokens) == found.lengths[i]


def test_documents_without_two_sentences(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    alone = [Example(("one",), None, "", 0)] * 3
    found = make_world(tmp_path / "bin", encoders["word_piece"], {"nsp": alone}).examples("nsp")
    assert len(found) == 0
