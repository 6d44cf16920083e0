from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.store.indexed_file import IndexedFile, write_indexed

ROWS = st.lists(st.lists(st.integers(0, 60000), max_size=20).map(lambda r: [*r, 2]), max_size=20)


@settings(deadline=None)
@given(ROWS, st.sampled_from([60001, 65499, 65500, 250002]))
def test_fairseq_reads_what_is_written_and_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], size: int
) -> None:
    from fairseq.data.indexed_dataset import MMapIndexedDataset, make_builder

    folder = tmp_path_factory.mktemp("indexed")
    assert write_indexed(folder / "ours", rows, size) == len(rows)
    builder = make_builder(str(folder / "theirs.bin"), impl="mmap", vocab_size=size)
    for row in rows:
        builder.add_item(torch.IntTensor(row))
    builder.finalize(str(folder / "theirs.idx"))
    for suffix in ("bin", "idx"):
        assert (folder / f"ours.{suffix}").read_bytes() == (folder / f"theirs.{suffix}").read_bytes()
    read = IndexedFile(folder / "theirs")
    assert [read[i].tolist() for i in range(len(read))] == rows
    assert read.sizes.tolist() == [len(row) for row in rows]
    assert read.largest() == max((max(row) for row in rows), default=-1)
    if rows:
        theirs = MMapIndexedDataset(str(folder / "ours"))
        assert [theirs[i].tolist() for i in range(len(theirs))] == rows
        assert read.last().tolist() == [2] * len(rows)


def test_cutting_and_pickling(tmp_path: Path) -> None:
    write_indexed(tmp_path / "x", [[5, 6, 2], [2], [7, 2]], 10)
    file = pickle.loads(pickle.dumps(IndexedFile(str(tmp_path / "x"), cut=1)))
    assert [file[i].tolist() for i in range(3)] == [[5, 6], [], [7]]
    assert file.sizes.tolist() == [3, 1, 2]
    assert file[0].dtype == np.int64


@pytest.mark.parametrize("code", [2, 3, 4, 5])
def test_other_number_types(tmp_path: Path, code: int) -> None:
    from fairseq.data.indexed_dataset import MMapIndexedDatasetBuilder, _code_to_dtype

    builder = MMapIndexedDatasetBuilder(str(tmp_path / "x.bin"), dtype=_code_to_dtype[code])
    builder.add_item(torch.tensor([5, 6, 2]))
    builder.add_item(torch.tensor([7, 2]))
    builder.finalize(str(tmp_path / "x.idx"))
    file = IndexedFile(tmp_path / "x")
    assert [file[0].tolist(), file[1].tolist()] == [[5, 6, 2], [7, 2]]


def test_damage_is_told(tmp_path: Path) -> None:
    prefix = tmp_path / "x"
    with pytest.raises(InputError, match=r"x.idx: no such file"):
        IndexedFile(prefix)
    write_indexed(prefix, [[5, 6, 2], [7, 2]], 10)
    data, index = (tmp_path / "x.bin").read_bytes(), (tmp_path / "x.idx").read_bytes()
    (tmp_path / "x.bin").write_bytes(data[:-2])
    with pytest.raises(InputError, match=r"x.bin: is shorter than its index says"):
        IndexedFile(prefix)
    (tmp_path / "x.bin").unlink()
    with pytest.raises(InputError, match=r"x.bin: no such file"):
        IndexedFile(prefix)
    (tmp_path / "x.bin").write_bytes(data)
    (tmp_path / "x.idx").write_bytes(index[:-3])
    with pytest.raises(InputError, match=r"x.idx: the index is damaged"):
        IndexedFile(prefix)
    (tmp_path / "x.idx").write_bytes(b"TNTIDX\x00\x00" + index)
    with pytest.raises(InputError, match=r"x.idx: not an index of fairseq's mmap format"):
        IndexedFile(prefix)
    write_indexed(prefix, [[5, 2], []], 10)
    with pytest.raises(InputError, match=r"x.bin: row 1 is empty"):
        IndexedFile(prefix, cut=1)
