"""A sample whose tensors lie in one tensor of each type, so that it goes to a GPU in one copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from skill_plugin.nn.packed_targets import PackedTargets


@dataclass(frozen=True)
class _Place:
    """Where a tensor lies: in the flat tensor of its type, as the part of this number, with this shape."""

    dtype: torch.dtype
    part: int
    shape: torch.Size


@dataclass(frozen=True)
class _Branch:
    """A dict or a list with tensors in it, or the fields of targets; others are kept as they are."""

    items: dict[str, Any] | list[Any]
    targets: bool = False


class Sample(Mapping[str, Any]):
    """What a collater made, read like its dict; the tensors are views.

    fairseq moves dicts of tensors one by one, and leaves this one alone: whoever reads it moves it.

    Args:
        flat: the tensors of each type end to end.
        sizes: their numbers of elements.
        form: the dict, with places instead of tensors.
    """

    def __init__(
        self, flat: dict[torch.dtype, Tensor], sizes: dict[torch.dtype, list[int]], form: dict[str, Any]
    ) -> None:
        self._flat, self._sizes, self._form = flat, sizes, form
        self._read: dict[str, Any] | None = None

    @classmethod
    def of(cls, made: dict[str, Any]) -> Sample:
        """A copy of a dict of anything: of its tensors, in dicts and lists in it, and of nothing else.

        Numbers of examples (``id``) stay on the host, where seeds are made of them.
        """
        tensors: dict[torch.dtype, list[Tensor]] = {}
        form = {key: value if key == "id" else _without_tensors(value, tensors) for key, value in made.items()}
        sizes = {dtype: [one.numel() for one in those] for dtype, those in tensors.items()}
        return cls(
            {dtype: torch.cat([one.flatten() for one in those]) for dtype, those in tensors.items()}, sizes, form
        )

    def to(self, device: torch.device) -> Sample:
        """The same on a device, which is not waited for where the sample is pinned."""
        if all(one.device == device for one in self._flat.values()):
            return self
        flat = {dtype: one.to(device, non_blocking=True) for dtype, one in self._flat.items()}
        return Sample(flat, self._sizes, self._form)

    def pin_memory(self) -> Sample:
        """The same in pinned memory; called by torch's ``DataLoader``."""
        return Sample({dtype: one.pin_memory() for dtype, one in self._flat.items()}, self._sizes, self._form)

    def __reduce__(self) -> tuple[Any, ...]:
        """By its bytes, to the process that trains. torch's way, shared memory, costs that process a socket and four
        messages for each tensor, more than packs of usual sizes do, and containers have little of it."""
        arrays = {dtype: one.numpy() for dtype, one in self._flat.items()}
        return _from_arrays, (arrays, self._sizes, self._form)

    def __getitem__(self, key: str) -> Any:
        return self._as_dict[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._form)

    def __len__(self) -> int:
        return len(self._form)

    @property
    def _as_dict(self) -> dict[str, Any]:
        if self._read is None:
            parts = {dtype: one.split(self._sizes[dtype]) for dtype, one in self._flat.items()}
            self._read = {key: _with_tensors(value, parts) for key, value in self._form.items()}
        return self._read


def move_sample(sample: Mapping[str, Any], device: torch.device) -> Mapping[str, Any]:
    """A sample on a device; another mapping as it is, since fairseq moves those."""
    return sample.to(device) if isinstance(sample, Sample) else sample


def _from_arrays(
    arrays: dict[torch.dtype, NDArray[Any]], sizes: dict[torch.dtype, list[int]], form: dict[str, Any]
) -> Sample:
    return Sample({dtype: torch.from_numpy(one) for dtype, one in arrays.items()}, sizes, form)


def _without_tensors(value: Any, tensors: dict[torch.dtype, list[Tensor]]) -> Any:
    """A value with places instead of tensors, which are added to those of their types."""
    if isinstance(value, Tensor):
        those = tensors.setdefault(value.dtype, [])
        those.append(value)
        return _Place(value.dtype, len(those) - 1, value.shape)
    if isinstance(value, dict):
        items: Any = {key: _without_tensors(one, tensors) for key, one in value.items()}
        return _Branch(items) if any(isinstance(one, (_Place, _Branch)) for one in items.values()) else value
    if isinstance(value, PackedTargets):
        return _Branch({key: _without_tensors(one, tensors) for key, one in vars(value).items()}, targets=True)
    if isinstance(value, list):
        items = [_without_tensors(one, tensors) for one in value]
        return _Branch(items) if any(isinstance(one, (_Place, _Branch)) for one in items) else value
    return value


def _with_tensors(form: Any, parts: Mapping[torch.dtype, tuple[Tensor, ...]]) -> Any:
    if isinstance(form, _Place):
        part = parts[form.dtype][form.part]
        return part if len(form.shape) == 1 else part.view(form.shape)
    if isinstance(form, _Branch):
        if isinstance(form.items, dict):
            items = {key: _with_tensors(one, parts) for key, one in form.items.items()}
            return PackedTargets(**items) if form.targets else items
        return [_with_tensors(one, parts) for one in form.items]
    return form
