"""What is wrong with the options of a run, before anything is launched, made or loaded."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from fairseq.models import ARCH_MODEL_NAME_REGISTRY, MODEL_DATACLASS_REGISTRY
from fairseq.registry import REGISTRIES
from fairseq.tasks import TASK_DATACLASS_REGISTRY

from skill_plugin.compat.fairseq_options import ALLOWED
from skill_plugin.compat.refused_modes import OPTIMIZER
from skill_plugin.errors import InputError, nearest, reason_of
from skill_plugin.options.allowed_values import check_value
from skill_plugin.options.flag import flag_of
from skill_plugin.spec.names import read_only_corpora
from skill_plugin.tasks.first_steps import check_first_steps
from skill_plugin.tasks.options_together import check_together
from skill_plugin.tasks.sampling_options import read_alphas
from skill_plugin.tasks.text_to_text_options import check_text_to_text_options

CRITERIONS = ("multitask_cross_entropy", "multitask_r3f")


def check_run_options(cfg: Any, trains: bool, architectures: tuple[str, ...]) -> None:
    """Checks that every option has a value that it may have, and that a training run has all that it needs.

    Args:
        cfg: fairseq's whole configuration.
        trains: it is that of a training run.
        architectures: which models the task has.

    Raises:
        InputError: the first fault.
    """
    for group in ("task", "model", "criterion", *ALLOWED):
        _check_group(group, getattr(cfg, group, None))
    if cfg.dataset.batch_size is None and cfg.dataset.max_tokens is None:
        raise InputError("--batch-size or --max-tokens is needed: how many sentences, or tokens, a batch has")
    read_only_corpora(getattr(cfg.task, "only_corpora", ""))
    read_alphas(getattr(cfg.task, "sampling_alpha", "0"))
    if trains:
        _check_parts(cfg, architectures)
        check_text_to_text_options(cfg)
        check_together(cfg)
        check_first_steps(cfg)
        _check_save_dir(cfg.checkpoint.save_dir)


def _check_group(group: str, part: Any) -> None:
    """What fairseq's table and the dataclass of the part say of its values."""
    if part is None:
        return
    allowed = dict(ALLOWED.get(group, {}))
    for one in dataclasses.fields(kind) if (kind := _dataclass(group, _name(part))) else ():
        if "allowed" in one.metadata:
            allowed[one.name] = one.metadata["allowed"]
    for name, values in allowed.items():
        check_value(flag_of(name), getattr(part, name, None), values)


def _dataclass(group: str, name: str | None) -> Any:
    if group == "task":
        return TASK_DATACLASS_REGISTRY.get(name)
    if group == "model":
        return MODEL_DATACLASS_REGISTRY.get(ARCH_MODEL_NAME_REGISTRY.get(name, name))
    return REGISTRIES[group]["dataclass_registry"].get(name) if group in REGISTRIES else None


def _name(part: Any) -> str | None:
    return getattr(part, "_name", None)


def _check_parts(cfg: Any, architectures: tuple[str, ...]) -> None:
    """Checks that the task can be trained with this model, criterion and optimizer."""
    for option, part, known, example in (
        ("--arch", cfg.model, architectures, architectures[0]),
        ("--criterion", cfg.criterion, CRITERIONS, CRITERIONS[0]),
        ("--optimizer", cfg.optimizer, None, OPTIMIZER),
    ):
        name = _name(part)
        if name is None:
            raise InputError(f"{option} is needed, such as {example}")
        if known is not None and name not in known:
            raise InputError(f"{option} {name}: not of this plugin{nearest(name, known)}")
    for option in ("layer_lr_decay", "head_lr_factor"):
        if getattr(cfg.model, option, 1.0) != 1.0 and _name(cfg.optimizer) != OPTIMIZER:
            flag = f"{flag_of(option)} {getattr(cfg.model, option)}"
            raise InputError(f"{flag}: goes with --optimizer {OPTIMIZER}; {_name(cfg.optimizer)} has one rate for all")


def _check_save_dir(folder: str) -> None:
    """Checks that checkpoints can be saved there; nothing is made yet."""
    if not folder:
        raise InputError("--save-dir: expected the name of a folder")
    try:
        place = Path(folder).absolute()
        while not place.exists():
            place = place.parent
    except OSError as error:
        raise InputError(f"--save-dir: {reason_of(error, 'cannot be made')}", folder) from None
    if not place.is_dir():
        raise InputError(f"--save-dir: expected a folder, but {place} is a file", folder)
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"--save-dir: {place} may not be written", folder)
