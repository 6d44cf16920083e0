"""Seeding the random numbers of an update costs nothing.

Fault: fairseq 0.12.3 (``trainer.py: _set_seed``) seeds every kind of device that torch knows before each update, and
saves all their states, which nobody reads. For kinds that the machine has not, torch notes the caller's stack each
time: 2 to 4 ms an update.

No longer needed: when ``torch.manual_seed`` takes less than 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap


def set_seed(original: Callable[[Any], None], self: Any) -> None:
    """The same seed, for the devices that a run of ours computes on."""
    if not hasattr(self.task, "update_losses"):
        original(self)
        return
    seed = self.cfg.common.seed + self.get_num_updates()
    torch.default_generator.manual_seed(seed)
    if self.cuda:
        torch.cuda.manual_seed(seed)


def install() -> None:
    """Patches ``Trainer._set_seed``."""
    wrap(Trainer, "_set_seed", set_seed)
