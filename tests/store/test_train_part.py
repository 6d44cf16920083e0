"""A part of a training split: the same rows, of every kind, nested, with labels in their shares."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.spec.sizes import TrainRows
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.stored_split import StoredSplit
from skill_plugin.store.train_part import take_part
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import CORPORA, World, examples, make_world

ROWS = 60


@pytest.fixture(scope="module")
def world(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: {"train": examples(name, ROWS)} for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, rows)


def stored(world: World, name: str) -> StoredSplit:
    from skill_plugin.store.corpus_store import open_corpus

    return open_corpus(world.folder, world.bundle.corpus(name), "train", world.bundle.labels[name])


def plain(row: EncodedRow) -> object:
    texts, members = ([one.tolist() for one in many] for many in (row.texts, row.members))
    return texts, members, {name: one.tolist() for name, one in row.arrays.items()}, row.score


@pytest.mark.parametrize("name", CORPORA)
def test_rows_are_those_of_the_split(world: World, name: str) -> None:
    whole = stored(world, name)
    numbers = np.array([3, 4, 17, 59])
    for part in (whole.take(numbers), whole.take(np.arange(2, 60)).take(numbers - 2)):
        assert len(part) == 4
        assert [plain(part[row]) for row in range(4)] == [plain(whole[row]) for row in numbers.tolist()]
        assert np.array_equal(part.sizes.texts, whole.sizes.texts[:, numbers])
        again = pickle.loads(pickle.dumps(part))
        assert [plain(again[row]) for row in range(4)] == [plain(part[row]) for row in range(4)]
        if whole.members is not None:
            assert np.diff(part.sizes.starts).tolist() == np.diff(whole.sizes.starts)[numbers].tolist()


@pytest.mark.parametrize("name", CORPORA)
def test_examples_of_a_part(world: World, name: str) -> None:
    """A part is what a corpus of those rows alone would be: as many rows for a sampler, and equal lengths."""
    part = world.examples(name, "train", training=True, part=lambda rows: rows // 4)
    lengths = [sum(len(s.tokens) for s in part.example(i).sequences) for i in range(len(part))]
    if name == "nsp":  # of what is drawn in place of the next sentences
        assert all(length <= most for length, most in zip(lengths, part.lengths.tolist(), strict=True))
    else:
        assert lengths == part.lengths.tolist()
    whole = world.examples(name, "train", training=True)
    assert 0 < len(part) < len(whole)
    if name not in ("mlm", "nsp"):  # there, windows and pairs are the rows
        assert part.rows == ROWS // 4


@given(st.integers(1, ROWS), st.integers(1, ROWS), st.integers(0, 3), st.sampled_from(["one", "tags", "mlm"]))
def test_a_smaller_part_is_of_a_larger_one(world: World, first: int, second: int, seed: int, name: str) -> None:
    whole = stored(world, name)
    parts = [take_part(whole, rows, seed).numbers for rows in sorted((first, second))]
    assert parts[0] is not None and parts[1] is not None
    assert len(parts[0]) == min(first, second)
    assert set(parts[0].tolist()) <= set(parts[1].tolist())
    assert parts[1].tolist() == sorted(set(parts[1].tolist()))


@pytest.mark.parametrize("name", ["one", "pair", "topics", "tags", "wic"])
def test_labels_have_their_shares(world: World, name: str) -> None:
    whole = stored(world, name)

    def sets(split: StoredSplit) -> Counter[frozenset[int]]:
        return Counter(frozenset(split[row].arrays["label"].tolist()) for row in range(len(split)))

    expected, part = sets(whole), sets(take_part(whole, 30, 1))
    for labels, number in expected.items():
        # how far the whole order has come may differ by a row for each of the sets
        assert abs(part[labels] - number / 2) <= 1 + number * len(expected) / ROWS


@given(st.floats(0.000001, 1), st.floats(0.000001, 1), st.integers(1, 1000))
def test_a_larger_share_is_not_fewer_rows(first: float, second: float, rows: int) -> None:
    low, high = (TrainRows(size=share).count(rows) for share in sorted((first, second)))
    assert 1 <= low <= high <= rows
    assert TrainRows(size=1.0).count(rows) == rows


def test_a_damaged_row_is_named_by_its_place_in_the_file(world: World, tmp_path: Path) -> None:
    from dataclasses import replace

    whole = stored(world, "span")
    broken = replace(whole, verified=False, arrays={**whole.arrays, "offset": whole.arrays["answer"]})
    part = broken.take(np.array([7]))
    with pytest.raises(InputError, match="row 7: "):
        part[0]
