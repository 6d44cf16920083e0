"""Checkpoints that a task keeps besides fairseq's.

Fault: fairseq 0.12.3 tells a task of a save (``post_save``) only when ``checkpoint_last.pt`` has replaced the one
before. A run that is killed then goes on from a checkpoint that says what was kept, while the files say something else.
And it gives a task its state (``set_checkpoint_dict``) only together with the position in the data, so not after
``--reset-dataloader``.

A task that keeps checkpoints has a ``best_of_corpora`` (``tasks.best_of_corpora``). What it wants to keep is written
first, and fairseq's own files are copies of that.

No longer needed: when fairseq asks a task for further names of a checkpoint before it replaces the last one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fairseq.file_io import PathManager
from fairseq.trainer import Trainer

from skill_plugin.compat.patching import wrap

STATE = "best_of_corpora"  # in a checkpoint's extra_state


def save_checkpoint(original: Callable[..., Any], self: Any, filename: str, extra_state: dict[str, Any]) -> Any:
    """The first writing of a save; called only on the rank that writes."""
    kept = getattr(self.task, "best_of_corpora", None)
    if kept is None:
        return original(self, filename, extra_state)
    peaks = kept.peaks(self.get_num_updates())
    extra_state = {**extra_state, STATE: kept.best | peaks}
    if not peaks:
        return original(self, filename, extra_state)
    folder = os.path.dirname(filename)
    first, *others = (os.path.join(folder, kept.file(corpus, self.checkpoint_suffix or "")) for corpus in peaks)
    original(self, first, extra_state)
    link(first, others)
    PathManager.copy(first, filename, overwrite=True)
    kept.best |= peaks
    return os.path.abspath(filename)


def link(file: str, names: Sequence[str]) -> None:
    """Gives a file further names, each whole or not at all, which costs neither time nor space.

    Only names of this kind share a file: others may be written over in place (see ``whole_copies``).
    """
    for name in names:
        beside = f"{name}.tmp"
        try:
            Path(beside).unlink(missing_ok=True)
            os.link(file, beside)
            os.replace(beside, name)
        except OSError:  # a file system without hard links, or none of the operating system's
            PathManager.copy(file, name, overwrite=True)


def load_checkpoint(
    original: Callable[..., Any],
    self: Any,
    filename: str,
    reset_optimizer: bool = False,
    reset_lr_scheduler: bool = False,
    optimizer_overrides: Any = None,
    reset_meters: bool = False,
) -> Any:
    """A run that goes on; where fairseq forgets its best checkpoint, those of corpora are forgotten too."""
    extra_state = original(
        self, filename, reset_optimizer, reset_lr_scheduler, optimizer_overrides, reset_meters=reset_meters
    )
    kept = getattr(self.task, "best_of_corpora", None)
    if kept is not None and extra_state is not None and not (reset_optimizer or reset_meters):
        suffix = self.checkpoint_suffix or ""
        kept.restore(extra_state.get(STATE, {}), Path(self.cfg.checkpoint.save_dir), suffix)
    return extra_state


def install() -> None:
    """Patches ``Trainer``'s ``save_checkpoint`` and ``load_checkpoint``."""
    wrap(Trainer, "save_checkpoint", save_checkpoint)
    wrap(Trainer, "load_checkpoint", load_checkpoint)
