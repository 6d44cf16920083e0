"""Each update seeds the generators that it draws from, and no others.

Fault: fairseq 0.12.3 (``trainer.py: _set_seed``) calls ``torch.manual_seed`` in every update, which for each kind of
device that was not used yet (CUDA, MTIA, XPU) puts the call off to its first use, with the printed stack of the
caller: half a millisecond and more, in which a GPU has nothing to do.

No longer needed: when ``torch.manual_seed`` prints no stacks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap


def set_seed(original: Callable[..., None], self: Any) -> None:
    """The same numbers as after fairseq's, on the CPU and on the GPU of this process."""
    seed = self.cfg.common.seed + self.get_num_updates()
    torch.default_generator.manual_seed(seed)
    if self.cuda:
        torch.cuda.manual_seed(seed)


def install() -> None:
    """Patches ``Trainer._set_seed``."""
    wrap(Trainer, "_set_seed", set_seed)
