"""What a checkpoint may hold, so that fairseq's ``torch.load`` reads it without executing an untrusted pickle.

Fault: fairseq 0.12.3 (``checkpoint_utils.load_checkpoint_to_cpu``, ``distributed.utils._broadcast_object_slow``) calls
``torch.load`` without ``weights_only``. Since torch 2.6 that means True, and the load stops at the first object that is
not a tensor or a plain container: ``argparse.Namespace`` in the configuration of every part without a dataclass,
omegaconf's nodes, numpy scalars among the metrics, fairseq's placeholder for tensors that travel to other ranks, meters
in checkpoints of fairseq before 0.9. All of them are harmless to rebuild, so they are allowed by name.

No longer needed: when ``torch.serialization.get_unsafe_globals_in_checkpoint`` is empty for checkpoints of every age,
and a run of two ranks resumes without ``install()`` (tests/compat/test_safe_loading.py).
"""

from __future__ import annotations

import argparse
import collections
import typing
from typing import Any

import numpy as np
import torch
from fairseq.distributed import utils as distributed_utils
from fairseq.logging import meters
from numpy._core import multiarray
from omegaconf import base, dictconfig, listconfig, nodes

PLAIN = (collections.defaultdict, dict, list, int, float, str, bool, tuple, set)
NUMPY_TYPES = ("Float16DType", "Float32DType", "Float64DType", "Int32DType", "Int64DType", "BoolDType")


def safe_globals() -> list[Any]:
    """Classes and functions that a checkpoint may name: as they are, or with the name they had when it was written."""
    allowed: list[Any] = [
        *PLAIN,
        argparse.Namespace,
        distributed_utils._TensorPlaceholder,
        dictconfig.DictConfig,
        listconfig.ListConfig,
        base.ContainerMetadata,
        base.Metadata,
        nodes.AnyNode,
        nodes.StringNode,
        nodes.IntegerNode,
        nodes.FloatNode,
        nodes.BooleanNode,
        nodes.InterpolationResultNode,
        (typing.Any, "typing.Any"),
        np.dtype,
        np.ndarray,
    ]
    allowed += [getattr(np.dtypes, name) for name in NUMPY_TYPES]
    for name in ("scalar", "_reconstruct"):  # numpy 2 and numpy 1 call them by different modules
        function = getattr(multiarray, name)
        allowed += [(function, f"numpy._core.multiarray.{name}"), (function, f"numpy.core.multiarray.{name}")]
    for name in ("AverageMeter", "TimeMeter", "StopwatchMeter"):
        meter = getattr(meters, name)
        allowed += [meter, (meter, f"fairseq.meters.{name}")]
    return allowed


def install() -> None:
    """Lets every later ``torch.load(weights_only=True)`` of this process rebuild them."""
    torch.serialization.add_safe_globals(safe_globals())
