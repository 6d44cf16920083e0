"""Pairs of spans of sentences: half follow one another, the others are of other documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.checking.token_lengths import report_tokens
from skill_plugin.kinds.next_sentence.items import NEXT, OTHER, Pair, SentencePairs, sentence_pairs
from skill_plugin.kinds.next_sentence.storage import NextSentenceStorage
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.store.indexed_file import IndexedFile, write_indexed
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.text.sequences.truncation import truncate_lengths
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import examples, make_world


def split_of(folder: Path, documents: list[int], sizes: list[int] | None = None) -> StoredSplit:
    """Sentence number n is the token n, as many times as its size."""
    sizes = sizes or [1] * sum(documents)
    write_indexed(folder / "input0", ([n] * size for n, size in enumerate(sizes)), 1 << 20)
    return StoredSplit(NextSentenceStorage(), (), (IndexedFile(folder / "input0"), np.cumsum([0, *documents])))


def all_pairs(split: SentencePairs, epoch: int = 0) -> list[Pair]:
    return [split.pair(row, epoch) for row in range(len(split))]


def test_half_and_half_of_many(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    documents = random.integers(0, 30, 2_000).tolist()
    sizes = random.integers(1, 9, sum(documents)).tolist()
    split = sentence_pairs(split_of(tmp_path, documents, sizes), room=40)
    owner = np.repeat(np.arange(len(documents)), documents)
    cuts, starts, lengths = [], [], {NEXT: [0], OTHER: [0]}
    for (first, end), pair in zip(split.spans.tolist(), all_pairs(split), strict=True):
        assert pair.a[0] == first < pair.a[1] < end
        assert len({int(owner[i]) for i in range(*pair.b)}) == 1 <= pair.b[1] - pair.b[0]
        if end - first == 6:
            cuts.append(pair.a[1] - first)
        replaced = sum(sizes[pair.a[1] : end])
        if pair.label == NEXT:
            assert pair.b == (pair.a[1], end)
        else:
            assert owner[pair.b[0]] != owner[first]
            starts.append(pair.b[0])
            # as many sentences as are no longer, at least one
            assert sum(sizes[slice(*pair.b)]) <= replaced or pair.b[1] - pair.b[0] == 1
            more = pair.b[1] < len(owner) and owner[pair.b[1]] == owner[pair.b[0]]
            assert not more or sum(sizes[pair.b[0] : pair.b[1] + 1]) > replaced
        if end - first > 2:
            lengths[pair.label].append(sum(sizes[first:end]))
    share = len(starts) / len(split)
    assert abs(share - 0.5) < 5 * 0.5 / len(split) ** 0.5  # five standard deviations
    assert np.bincount(cuts, minlength=6)[1:6] / len(cuts) == pytest.approx([0.2] * 5, abs=0.08)
    tenths = np.bincount(np.array(starts) * 10 // len(owner), minlength=10) / len(starts)
    assert tenths == pytest.approx([0.1] * 10, abs=0.03)  # from everywhere
    assert np.mean([sum(sizes[a:b]) for a, b in split.spans.tolist()]) > 30  # of 40; documents end


def test_pairs_are_drawn_anew_in_each_epoch(tmp_path: Path) -> None:
    stored = split_of(tmp_path, [9] * 50)
    first, again = (sentence_pairs(stored, 6, seed=1) for _ in range(2))
    assert all_pairs(first) == all_pairs(again) != all_pairs(sentence_pairs(stored, 6, seed=2))
    drawn = [all_pairs(first, epoch) for epoch in range(8)]
    assert all(one != other for i, one in enumerate(drawn) for other in drawn[:i])
    assert drawn[5] == [again.pair(row, 5) for row in reversed(range(len(again)))][::-1]  # whatever was drawn before
    assert all(len({pairs[row].label for pairs in drawn}) == 2 for row in range(0, len(first), 50))
    assert first[3].texts[0].tolist() == list(range(*first.pair(3).a))  # what is scored is that of epoch 0


@pytest.mark.parametrize("documents", [[60], [0, 60, 0]])
def test_one_document_alone(tmp_path: Path, documents: list[int]) -> None:
    split = sentence_pairs(split_of(tmp_path, documents), room=6)
    others = [
        (pair, span)
        for epoch in range(9)
        for pair, span in zip(all_pairs(split, epoch), split.spans.tolist(), strict=True)
        if pair.label == OTHER
    ]
    assert 20 < len(others) < 70
    for pair, (first, end) in others:  # its own sentences, but none of the span
        assert 0 <= pair.b[0] < pair.b[1] <= 60
        assert pair.b[1] <= first or pair.b[0] >= end
    whole = sentence_pairs(split_of(tmp_path, documents), room=60)
    assert [pair.label for epoch in range(9) for pair in all_pairs(whole, epoch)] == [NEXT] * 9


@pytest.mark.parametrize(("documents", "expected"), [([2], [(0, 1, 1, 2)]), ([1, 1], []), ([0], []), ([], [])])
def test_too_few_sentences(tmp_path: Path, documents: list[int], expected: list[tuple[int, ...]]) -> None:
    split = sentence_pairs(split_of(tmp_path, documents), room=9)
    assert [(*pair.a, *pair.b) for pair in all_pairs(split)] == expected
    assert len(split) == len(expected)


def test_a_longer_sentence_of_elsewhere_is_cut(tmp_path: Path) -> None:
    """So that no pair is longer than what its batch was planned for."""
    split = sentence_pairs(split_of(tmp_path, [2, 2], [3, 2, 50, 50]), room=20)
    rows = [split.row(0, epoch) for epoch in range(20)]
    others = [row for row in rows if row.arrays["label"][0] == OTHER]
    assert others
    assert {tuple(map(len, row.texts)) for row in rows} == {(3, 2)}
    assert all(set(row.texts[1].tolist()) <= {2, 3} for row in others)


@pytest.mark.parametrize("training", [True, False])
def test_rows_of_stored_documents(encoder: TextEncoder, tmp_path: Path, training: bool) -> None:
    documents = examples("nsp", 20)
    world = make_world(tmp_path / "bin", encoder, {"nsp": documents}, max_length=40)
    found = world.examples("nsp", training=training, seed=3)
    ids = [encoder.encode(sentence).ids for document in documents for sentence in document.texts]
    split = found.split
    assert isinstance(split, SentencePairs)
    seen = set()
    for epoch in (0, 1, 2):
        for i, (first, end) in enumerate(split.spans.tolist()):
            example, pair = found.example(i, epoch), split.pair(i, epoch)
            (sequence,) = example.sequences
            a, b = (np.concatenate(ids[slice(*part)]) for part in (pair.a, pair.b))
            b = b[: sum(map(len, ids[first:end])) - len(a)]
            kept = truncate_lengths([len(a), len(b)], 40 - encoder.template.special_tokens(2), "longest")
            assert sequence.tokens.tolist() == encoder.template.assemble([a[: kept[0]], b[: kept[1]]]).tokens.tolist()
            assert example.target["classes"].tolist() == [pair.label]
            assert len(sequence.tokens) <= found.lengths[i] <= 40
            assert pair.label == OTHER or len(sequence.tokens) == found.lengths[i]
            seen.add((i, tuple(sequence.tokens)))
    assert len(seen) > 1.5 * len(found)
    # check and training count the same sequences
    report = report_tokens(world.bundle.corpus("nsp"), ExampleRows(documents), encoder, 40)
    assert report.counts.sequences == len(found)
    assert report.lengths is not None
    assert min(report.lengths.maximum, 40) == found.lengths.max()


def test_documents_without_two_sentences(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    alone = [Example(("one",), None, "", 0)] * 3
    found = make_world(tmp_path / "bin", encoders["word_piece"], {"nsp": alone}).examples("nsp")
    assert len(found) == 0
