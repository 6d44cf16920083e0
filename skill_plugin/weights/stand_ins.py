"""What files of weights name beside tensors, and what is made of it.

fairseq's files of every age hold their options and meters as objects. Python's and numpy's are made as they are. Of
fairseq's and omegaconf's no more is kept than the values inside: neither library is needed, and none of its code runs.
``torch.load(weights_only=True)`` refuses whatever is not named here.
"""

from __future__ import annotations

import argparse
import collections
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy._core import multiarray

_PLAIN = (collections.defaultdict, dict, list, int, float, str, bool, tuple, set)
_NUMPY_TYPES = ("Float16DType", "Float32DType", "Float64DType", "Int32DType", "Int64DType", "BoolDType")


class StoredValues:
    """The values of an object, as attributes of the names that they were stored under."""


class StoredConfig(Mapping[str, Any]):
    """The options of a ``DictConfig``; what refers to another option is given as it is written (``${…}``)."""

    def __getitem__(self, name: str) -> Any:
        value = self._options[name]
        return value._val if isinstance(value, StoredValues) and hasattr(value, "_val") else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    @property
    def _options(self) -> Mapping[str, Any]:
        content = getattr(self, "_content", None)  # of one that has no value: None, or a text
        return content if isinstance(content, dict) else {}


#: full name of a class of fairseq's or omegaconf's -> what is made of its objects
STAND_INS: dict[str, type] = {
    "omegaconf.dictconfig.DictConfig": StoredConfig,
    **dict.fromkeys(
        (
            "omegaconf.listconfig.ListConfig",
            "omegaconf.base.ContainerMetadata",
            "omegaconf.base.Metadata",
            "omegaconf.nodes.AnyNode",
            "omegaconf.nodes.StringNode",
            "omegaconf.nodes.IntegerNode",
            "omegaconf.nodes.FloatNode",
            "omegaconf.nodes.BooleanNode",
            "omegaconf.nodes.InterpolationResultNode",
            "fairseq.logging.meters.AverageMeter",
            "fairseq.logging.meters.TimeMeter",
            "fairseq.logging.meters.StopwatchMeter",
            "fairseq.meters.AverageMeter",  # before 0.9
            "fairseq.meters.TimeMeter",
            "fairseq.meters.StopwatchMeter",
        ),
        StoredValues,
    ),
}


def made_as_they_are() -> list[Any]:
    """Classes and functions of Python and numpy, for ``torch.serialization.safe_globals``.

    With the name that a file has for them, where it is not today's.
    """
    found: list[Any] = [*_PLAIN, argparse.Namespace, (typing.Any, "typing.Any"), np.dtype, np.ndarray]
    found += [getattr(np.dtypes, name) for name in _NUMPY_TYPES]
    for name in ("scalar", "_reconstruct"):  # numpy 2 and numpy 1 call them by different modules
        function = getattr(multiarray, name)
        found += [(function, f"numpy._core.multiarray.{name}"), (function, f"numpy.core.multiarray.{name}")]
    return found


def stand_ins() -> list[Any]:
    """The classes of ``STAND_INS`` under the names that files have, for ``torch.serialization.safe_globals``."""
    return [(made, name) for name, made in STAND_INS.items()]
