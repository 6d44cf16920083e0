"""A checkpoint that cannot be used is one line that says why.

Fault: fairseq 0.12.3 (``checkpoint_utils.load_checkpoint_to_cpu``, ``_upgrade_state_dict``,
``Trainer.load_checkpoint``) lets every fault of the file through as a traceback: a file cut short, one that is no
checkpoint (``KeyError: 'best_loss'``), one with objects that are not loaded from untrusted files; and where the sizes
do not fit, or another optimizer, schedule or criterion was used, or other parameters were trained, the reason is in the
middle of it. A schedule whose state happens to fit, as ``fixed`` takes that of any other, is not refused at all, nor is
a checkpoint without the state of an optimizer (``--no-save-optimizer-state``, or one that a sweep scored): it goes on
in the middle of its data with a new optimizer, whose schedule begins at the first update. Parts that were changed by
hand are tracebacks wherever they are used first.

No longer needed: when each of them ends in one line that names the file without ``install()``.
"""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairseq import checkpoint_utils
from fairseq.trainer import Trainer

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.run_state import check_run_state
from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError
from skill_plugin.weights.undamaged import check_zip, checked_weights, damage_named


@dataclass(frozen=True)
class _Read:
    """What a checkpoint that was read has for a run that goes on.

    Attributes:
        schedule: of the learning rate; None where it does not say it.
        optimizer: whether it holds the state of one.
    """

    schedule: str | None = None
    optimizer: bool = True


_read: dict[str, _Read] = {}  # by their files


def load_checkpoint_to_cpu(original: Callable[..., Any], path: str, *args: Any, **kwargs: Any) -> Any:
    """fairseq's reading of a checkpoint file."""
    try:
        if os.path.isfile(path):
            check_zip(Path(path))
        state = original(path, *args, **kwargs)
        if "bundle" in (state.get("task_state") or {}):  # ours, no weight or buffer of which may be without end
            check_run_state(state, path)
            with damage_named(path):
                Bundle.from_state(state["task_state"]["bundle"], os.fspath(path))
            checked_weights(state["model"], path)
        _read[os.fspath(path)] = _Read(_name_of(state, "lr_scheduler"), state.get("last_optimizer_state") is not None)
        return state
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(_why_unreadable(error), path) from error


def _why_unreadable(error: Exception) -> str:
    text = str(error)
    forbidden = re.search(r"GLOBAL (\S+) (was not an allowed global|whose module)", text)
    if forbidden:
        return f"holds an object of {forbidden[1]}, which is not loaded from a file that may be untrusted"
    if isinstance(error, KeyError):
        return f"is not a checkpoint that a run goes on from: it lacks {text}; a file of weights is for --init-from"
    if isinstance(error, TypeError | AttributeError):
        return "is not a checkpoint: it holds no dictionary of its parts"
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        return str(error.strerror)
    reason = "is not a whole checkpoint; was its writing or copying cut short?"
    if isinstance(error, pickle.UnpicklingError | EOFError) or not text:
        return reason  # torch's words there are advice on how to load untrusted files all the same
    return f"{reason} ({text.splitlines()[0]})"


def load_checkpoint(
    original: Callable[..., Any],
    self: Any,
    filename: str,
    reset_optimizer: bool = False,
    reset_lr_scheduler: bool = False,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """fairseq's loading of a checkpoint into a model and its optimizer."""
    try:
        found = original(self, filename, reset_optimizer, reset_lr_scheduler, *args, **kwargs)
        if not reset_optimizer:
            _check_optimizer(filename)
            if not reset_lr_scheduler:
                _check_schedule(self, filename)
        return found
    except InputError:
        raise
    except AssertionError as error:
        if "does not match; please reset the optimizer" not in str(error):
            raise
        raise InputError(" ".join(str(error).split()), filename) from error
    except Exception as error:
        unfit = str(error).startswith("Cannot load model parameters from checkpoint")
        arch = getattr(self.cfg.model, "_name", None)
        if unfit and (was := _arch_of(filename)) not in (None, arch):
            message = f"cannot resume: --arch was {was}, now {arch}; keep it, or start a new run with --init-from"
            raise InputError(message, filename) from error
        if isinstance(error.__context__, InputError):
            raise error.__context__ from None
        if isinstance(error, KeyError):  # of the state of another schedule
            _check_schedule(self, filename)
        if "doesn't match the size of optimizer's group" in str(error):
            raise InputError(
                "its optimizer is that of other parameters than this run trains; keep --freeze as it was, or give "
                "--reset-optimizer",
                filename,
            ) from error
        if not unfit:
            if isinstance(error, RuntimeError):  # such as memory that ran out
                raise
            with damage_named(filename):
                raise
        raise InputError(f"does not fit --arch {arch}: {_first_misfit(error.__context__)}", filename) from error


def load_model_ensemble_and_task(original: Callable[..., Any], filenames: Sequence[str], *args: Any, **kw: Any) -> Any:
    """fairseq's way to a trained model."""
    try:
        return original(filenames, *args, **kw)
    except RuntimeError as error:
        if not str(error).startswith("Error(s) in loading state_dict"):
            raise
        raise InputError(f"damaged: {_first_misfit(error)}", ", ".join(filenames)) from error


def _check_optimizer(filename: str) -> None:
    """Refuses a checkpoint with which no run can go on exactly."""
    if not _read.get(os.fspath(filename), _Read()).optimizer:
        message = "cannot resume: holds no state of an optimizer; start a new run with --init-from, or give"
        raise InputError(f"{message} --reset-optimizer", filename)


def _check_schedule(trainer: Any, filename: str) -> None:
    """Refuses another schedule than the checkpoint's, which was just read, here or by the first rank for all."""
    was, now = _read.get(os.fspath(filename), _Read()).schedule, getattr(trainer.cfg.lr_scheduler, "_name", None)
    if was not in (None, now):
        message = f"cannot resume: --lr-scheduler was {was}, now {now}; keep it, or give --reset-lr-scheduler"
        raise InputError(message, filename)


def _arch_of(filename: str) -> str | None:
    """The architecture of a checkpoint that can be read; None for one that does not say it."""
    return _name_of(checkpoint_utils.load_checkpoint_to_cpu(filename), "model")


def _name_of(state: Mapping[str, Any], group: str) -> str | None:
    """What a checkpoint was trained with, of a group of options."""
    name = getattr((state.get("cfg") or {}).get(group), "_name", None)
    return None if name is None else str(name)


def _first_misfit(error: BaseException | None) -> str:
    """The first line of torch's list of missing names and differing sizes, below its heading."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    details = lines[1:] if len(lines) > 1 and lines[0].startswith("Error(s) in loading state_dict") else lines
    first = details[0] if details else "unknown reason"
    first = first if len(first) <= 300 else f"{first[:300]}…"
    return first if len(details) < 2 else f"{first} (and {len(details) - 1} more)"


def install() -> None:
    """Patches ``checkpoint_utils`` and ``Trainer.load_checkpoint``."""
    wrap(checkpoint_utils, "load_checkpoint_to_cpu", load_checkpoint_to_cpu)
    wrap(checkpoint_utils, "load_model_ensemble_and_task", load_model_ensemble_and_task)
    wrap(Trainer, "load_checkpoint", load_checkpoint)
