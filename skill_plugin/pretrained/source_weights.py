"""Weights of another program, taken one by one, so that what is missing, misfits or is left can be told by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from skill_plugin.errors import InputError

_SHOWN = 3


class SourceWeights:
    """Weights by the source's names.

    Args:
        tensors: the weights, of any number type.
        path: path of their file, for messages.
        sizes_from: what decides the sizes, for messages, such as ``config.json``.
    """

    def __init__(self, tensors: Mapping[str, Tensor], path: Path, sizes_from: str) -> None:
        self._tensors, self._path, self._sizes_from = tensors, path, sizes_from
        self._used: set[str] = set()
        self._missing: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def has_size(self, name: str, *size: int) -> bool:
        """Whether a weight is there, with this size."""
        return name in self._tensors and tuple(self._tensors[name].shape) == size

    def is_equal(self, name: str, expected: Tensor) -> bool:
        """Whether a weight that is there equals one that was taken; it does not count as taken by this."""
        return torch.equal(self._tensors[name].float(), expected)

    def take(self, name: str, *size: int) -> Tensor:
        """A weight as float32. A missing one is noted for ``check``, and zeros stand in its place.

        Raises:
            InputError: another size, or whole numbers, as quantised weights are.
        """
        self._used.add(name)
        if name not in self._tensors:
            if name not in self._missing:
                self._missing.append(name)
            return torch.zeros(size)
        tensor = self._tensors[name]
        if tuple(tensor.shape) != size:
            raise InputError(
                f"{name} has the size {list(tensor.shape)}, {self._sizes_from} says {list(size)}", self._path
            )
        if not tensor.is_floating_point():
            raise InputError(f"{name} holds numbers of {tensor.dtype}, expected floating point", self._path)
        return tensor.float()

    def take_linear(self, source: str, target: str, outputs: int, inputs: int) -> dict[str, Tensor]:
        """``weight`` [outputs, inputs] and ``bias`` of a linear map under their new names."""
        return {
            f"{target}.weight": self.take(f"{source}.weight", outputs, inputs),
            f"{target}.bias": self.take(f"{source}.bias", outputs),
        }

    def take_norm(self, source: str, target: str, width: int) -> dict[str, Tensor]:
        """``weight`` and ``bias`` of a layer normalisation under their new names."""
        return {
            f"{target}.weight": self.take(f"{source}.weight", width),
            f"{target}.bias": self.take(f"{source}.bias", width),
        }

    def take_qkv(self, sources: tuple[str, str, str], target: str, width: int) -> dict[str, Tensor]:
        """Query, key and value maps stacked: ``weight`` [3 width, width] and ``bias`` [3 width]."""
        parts = [self.take_linear(source, str(i), width, width) for i, source in enumerate(sources)]
        return {
            f"{target}.{kind}": torch.cat([part[f"{i}.{kind}"] for i, part in enumerate(parts)])
            for kind in ("weight", "bias")
        }

    def ignore(self, *names: str) -> None:
        """Counts weights that say nothing new as taken, so that they are not listed as left."""
        self._used.update(names)

    def check(self) -> None:
        """Checks that nothing was missing.

        Raises:
            InputError: names what was.
        """
        if self._missing:
            more = f" and {len(self._missing) - _SHOWN} more" if len(self._missing) > _SHOWN else ""
            raise InputError(f"lacks the weights {', '.join(self._missing[:_SHOWN])}{more}", self._path)

    def left(self) -> tuple[str, ...]:
        """Names of what was not taken."""
        return tuple(sorted(set(self._tensors) - self._used))
