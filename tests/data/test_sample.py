"""A sample is read like the dict that it was made of, from one tensor of each type."""

from __future__ import annotations

import pickle
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.data.sample import Sample, move_sample

shapes = st.one_of(st.tuples(st.integers(0, 4)), st.tuples(st.integers(0, 4), st.integers(1, 3)), st.just(()))
tensors = st.builds(
    lambda shape, dtype: torch.arange(torch.Size(shape).numel()).view(shape).to(dtype),
    shapes,
    st.sampled_from([torch.int64, torch.float32, torch.bool]),
)
values = st.recursive(
    st.one_of(tensors, st.none(), st.integers(), st.text(max_size=2), st.just((1, 2))),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=2), inner, max_size=4)),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor):
        return isinstance(other, Tensor) and one.dtype == other.dtype and one.shape == other.shape and one.equal(other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [tensor for one in inner for tensor in tensors_in(one)]


@given(st.dictionaries(st.text(max_size=2), values, max_size=4))
def test_it_reads_like_the_dict(made: dict[str, Any]) -> None:
    sample = Sample.of(made)
    assert len(sample) == len(made)
    for one in (sample, pickle.loads(pickle.dumps(sample))):
        assert same(dict(one), made)
        storages = {(tensor.dtype, tensor.untyped_storage().data_ptr()) for tensor in tensors_in(dict(one))}
        assert len(storages) == len({tensor.dtype for tensor in tensors_in(made)})  # one a type


def test_it_moves_as_a_whole_and_others_stay() -> None:
    sample = Sample.of(
        {"a": [torch.arange(3), torch.arange(4).view(2, 2)], "b": torch.ones(2), "c": "word", "id": torch.ones(1)}
    )
    there = sample.to(torch.device("meta"))
    assert there["id"].device.type == "cpu"
    moved = tensors_in({"a": there["a"], "b": there["b"]})
    assert {tensor.device.type for tensor in moved} == {"meta"}
    assert [tensor.shape for tensor in moved] == [(3,), (2, 2), (2,)]
    assert there["c"] == "word"
    assert sample.to(torch.device("cpu")) is sample
    plain = {"a": torch.ones(1)}
    assert move_sample(plain, torch.device("meta")) is plain
