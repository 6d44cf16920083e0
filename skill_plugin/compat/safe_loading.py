"""What a checkpoint may hold, so that fairseq's ``torch.load`` reads it without executing an untrusted pickle.

Fault: fairseq 0.12.3 (``checkpoint_utils.load_checkpoint_to_cpu``, ``distributed.utils._broadcast_object_slow``) calls
``torch.load`` without ``weights_only``. Since torch 2.6 that means True, and the load stops at the first object that is
not a tensor or a plain container: ``argparse.Namespace`` in the configuration of every part without a dataclass,
omegaconf's nodes, numpy scalars among the metrics, fairseq's placeholder for tensors that travel to other ranks, meters
in checkpoints of fairseq before 0.9. All of them are harmless to rebuild, so they are allowed by name.

No longer needed: when ``torch.serialization.get_unsafe_globals_in_checkpoint`` is empty for checkpoints of every age,
and a run of two ranks resumes without ``install()`` (tests/compat/test_safe_loading.py).

What reads weights only (``weights.torch_file``) needs neither fairseq nor its classes; a run that goes on from its
checkpoint does.
"""

from __future__ import annotations

import pkgutil
from typing import Any

import torch
from fairseq.distributed import utils as distributed_utils

from skill_plugin.weights.stand_ins import STAND_INS, made_as_they_are


def safe_globals() -> list[Any]:
    """Classes and functions that a checkpoint may name: as they are, or with the name they had when it was written."""
    today = {name: name.replace("fairseq.meters.", "fairseq.logging.meters.") for name in STAND_INS}
    theirs = [(pkgutil.resolve_name(where), name) for name, where in today.items()]
    return [*made_as_they_are(), *theirs, distributed_utils._TensorPlaceholder]


def install() -> None:
    """Lets every later ``torch.load(weights_only=True)`` of this process rebuild them."""
    torch.serialization.add_safe_globals(safe_globals())
