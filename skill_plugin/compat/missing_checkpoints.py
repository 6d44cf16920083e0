"""A checkpoint that was asked for and is not there stops the run.

Fault: fairseq 0.12.3 (``checkpoint_utils.load_checkpoint``, ``Trainer.load_checkpoint``) answers a ``--restore-file``
or ``--continue-once`` that does not exist with one line among the log, and trains from random weights. A missing
``--finetune-from-model``, and a missing ``--path`` of ``fairseq-validate``, end in a traceback.

No longer needed: when each of them ends in one line that names the file without ``install()``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from fairseq import checkpoint_utils
from fairseq.file_io import PathManager

from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError

DEFAULT = "checkpoint_last.pt"  # of --restore-file: resumes where it exists, begins anew where it does not


def load_checkpoint(original: Callable[..., Any], cfg: Any, trainer: Any, **kwargs: Any) -> Any:
    """fairseq's ``load_checkpoint``, after a look at the files that its options name."""
    suffix = trainer.checkpoint_suffix or ""
    if cfg.restore_file != DEFAULT:
        _need(cfg.restore_file.replace(".pt", f"{suffix}.pt"), "--restore-file")
    elif not PathManager.exists(os.path.join(cfg.save_dir, DEFAULT.replace(".pt", f"{suffix}.pt"))):
        if getattr(cfg, "continue_once", None) is not None:
            _need(cfg.continue_once, "--continue-once")
        elif cfg.finetune_from_model is not None:
            _need(cfg.finetune_from_model, "--finetune-from-model")
    return original(cfg, trainer, **kwargs)


def load_model_ensemble_and_task(
    original: Callable[..., Any], filenames: Iterable[str], *args: Any, **kwargs: Any
) -> Any:
    """fairseq's way to a trained model; without suffixes and shards, which change the names, the files must exist."""
    filenames = list(filenames)
    if not kwargs.get("suffix") and kwargs.get("num_shards", 1) == 1 and len(args) < 4:
        for filename in filenames:
            _need(filename, "--path")
    return original(filenames, *args, **kwargs)


def _need(path: str | None, option: str) -> None:
    if path is None or not PathManager.isfile(path):
        raise InputError(f"{option}: no such checkpoint", path)


def install() -> None:
    """Patches ``checkpoint_utils``."""
    wrap(checkpoint_utils, "load_checkpoint", load_checkpoint)
    wrap(checkpoint_utils, "load_model_ensemble_and_task", load_model_ensemble_and_task)
