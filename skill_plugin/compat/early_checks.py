"""What a task refuses of the whole configuration is refused before training.

Fault: fairseq 0.12.3 shows a task its own options only. A ``--best-checkpoint-metric`` that validation does not log is
a ``KeyError`` at the end of the first epoch (``fairseq_cli.train.validate``), and one whose better values are the other
way round keeps the worst checkpoint for the best.

No longer needed: when a task is asked about the configuration once its validation data is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap


def build_trainer(original: Callable[..., None], self: Any, cfg: Any, task: Any, *args: Any, **kwargs: Any) -> None:
    """A ``Trainer`` is made when the model is built and the validation data loaded, but no training data."""
    if hasattr(task, "check_run"):
        task.check_run(cfg)
    original(self, cfg, task, *args, **kwargs)


def install() -> None:
    """Patches the constructor of ``Trainer``."""
    wrap(Trainer, "__init__", build_trainer)
