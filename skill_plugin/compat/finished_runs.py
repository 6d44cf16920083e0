"""A run that has come to its end is not trained any further when its command is given again.

Fault: fairseq 0.12.3 (``fairseq_cli.train.train``) asks whether a run is at its end after an update only. The command
of a run that ended by ``--max-update``, ``--stop-time-hours`` or ``--patience`` makes one more update each time that it
is given, with a rate that no schedule meant, and writes that model over ``checkpoint_last.pt``.

No longer needed: when it asks before the first update too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from skill_plugin.compat.patching import wrap_in_programs
from skill_plugin.compat.task_stops import is_used_up

logger = logging.getLogger(__name__)


def train(original: Callable[..., Any], cfg: Any, trainer: Any, task: Any, epoch_itr: Any) -> Any:
    """An epoch of training, of a run that is not at its end."""
    reason = _end(cfg, trainer, task)
    if reason is None:
        return original(cfg, trainer, task, epoch_itr)
    logger.info(f"nothing is left to train: {trainer.get_num_updates():,} updates are made; {reason}")
    return [None], True


def _end(cfg: Any, trainer: Any, task: Any) -> str | None:
    """The option that has ended the run, as fairseq asks after an update; None for a run that goes on."""
    most, hours = cfg.optimization.max_update, cfg.optimization.stop_time_hours
    if 0 < most <= trainer.get_num_updates():
        return f"--max-update {most}"
    if 0 < hours < trainer._previous_training_time / 3600:  # of the starts before this one
        return f"--stop-time-hours {hours}"
    return f"--patience {cfg.checkpoint.patience}" if is_used_up(cfg, task) else None


def install() -> None:
    """Patches fairseq's program where it is loaded."""
    wrap_in_programs(train)
