"""Optimizer and learning rates of a run, tried on one number before anything is loaded."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from fairseq.optim import build_optimizer
from fairseq.optim.lr_scheduler import build_lr_scheduler

from skill_plugin.errors import InputError

# what fairseq's optimizers and schedules raise where options do not go together, most of it without a word
_REFUSALS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, RuntimeError, TypeError, ValueError,
)  # fmt: skip


def check_first_steps(cfg: Any) -> None:
    """Checks that both can be made of their options, and give learning rates of 0 or more.

    Args:
        cfg: fairseq's whole configuration.

    Raises:
        InputError: the option that is missing, or what fairseq says.
    """
    schedule = cfg.lr_scheduler
    name = f"--lr-scheduler {schedule._name}"
    if schedule._name == "polynomial_decay" and not schedule.total_num_update > 0:
        raise InputError(f"{name} needs --total-num-update, or --max-update")
    if schedule._name == "inverse_sqrt" and schedule.warmup_updates < 1:
        raise InputError(f"--warmup-updates {schedule.warmup_updates}: {name} needs 1 or more")
    number = torch.nn.Parameter(torch.zeros(1))
    try:
        optimizer = build_optimizer(copy.deepcopy(cfg.optimizer), [number])
    except _REFUSALS as error:
        raise InputError(f"--optimizer {cfg.optimizer._name} cannot be made: {_said(error)}") from None
    try:
        made = build_lr_scheduler(copy.deepcopy(schedule), optimizer)
        made.step_begin_epoch(1)
        rates = [made.step_update(update) for update in (0, 1, max(1, cfg.optimization.max_update))]
    except _REFUSALS as error:
        raise InputError(f"{name} cannot be made: {_said(error)}") from None
    for rate in rates:
        if not (isinstance(rate, float | int) and math.isfinite(rate) and rate >= 0):
            raise InputError(f"{name}: a learning rate of {rate}; expected 0 or more throughout")


def _said(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0]
