"""``--keep-interval-updates 0``: a save within an epoch writes the best and the last checkpoint, and no numbered one.

Fault: fairseq 0.12.3 (``checkpoint_utils.save_checkpoint``) writes ``checkpoint_<epoch>_<updates>.pt`` in every such
save, a copy of ``checkpoint_last.pt``, and takes ``--keep-interval-updates 0`` for -1, with which it keeps all of them.
A run that needs none writes a third to a half more than it has to.

No longer needed: when ``--save-interval-updates 2 --keep-interval-updates 0`` leaves no numbered checkpoint without
``install()``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from fairseq import checkpoint_utils

from skill_plugin.compat.patching import wrap


def save_checkpoint(original: Callable[..., Any], cfg: Any, *args: Any, **kwargs: Any) -> Any:
    """fairseq's, which names a file by its interval where there is one."""
    if cfg.keep_interval_updates == 0:
        cfg = copy.deepcopy(cfg)  # the run's own says when to save
        cfg.save_interval_updates = 0
    return original(cfg, *args, **kwargs)


def install() -> None:
    """Patches ``checkpoint_utils.save_checkpoint``."""
    wrap(checkpoint_utils, "save_checkpoint", save_checkpoint)
