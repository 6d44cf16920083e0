"""Wrong options are refused before anything is launched or loaded, and what does not fit the data before training.

Fault: fairseq 0.12.3 shows a task its own options only, and looks at few of its own: sizes below 1 hang, a NaN is
trained with, a missing batch size is a traceback. A ``--best-checkpoint-metric`` that validation does not log is a
``KeyError`` at the end of the first epoch (``fairseq_cli.train.validate``), and one whose better values are the other
way round keeps the worst checkpoint for the best.

No longer needed: when a task is asked about the whole configuration once it is read, and once its data is loaded.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from fairseq import options
from fairseq.dataclass import initialize, utils
from fairseq.tasks import TASK_REGISTRY
from fairseq.trainer import Trainer

from skill_plugin import compat
from skill_plugin.compat.patching import wrap, wrap_in_programs
from skill_plugin.compat.refused_modes import check_modes
from skill_plugin.errors import InputError
from skill_plugin.variants.catalogue import ARCHITECTURES


def check(cfg: Any, trains: bool) -> None:
    """Everything that can be known from the options alone.

    Args:
        cfg: fairseq's whole configuration.
        trains: it is that of a training run; others lack parts of it.

    Raises:
        InputError: the first fault.
    """
    task = TASK_REGISTRY.get(str(getattr(cfg.task, "_name", None)))
    if hasattr(task, "check_options"):  # first, since a model may lack a mode that is named in place of another
        task.check_options(cfg, trains)
    check_modes(cfg)


def convert_namespace_to_omegaconf(original: Callable[..., Any], args: Any) -> Any:
    """Once the command line is read, in ``fairseq-train`` and ``fairseq-validate``.

    ``--total-num-update`` is that of ``--max-update`` where it is not given, as it says; fairseq takes neither.
    """
    if getattr(args, "total_num_update", 0) is None:
        if not args.max_update > 0:
            raise InputError(f"--lr-scheduler {args.lr_scheduler} needs --total-num-update, or --max-update")
        args.total_num_update = float(args.max_update)
    cfg = original(args)
    check(cfg, trains=not hasattr(args, "path"))
    return cfg


def add_defaults(original: Callable[..., None], cfg: Any) -> None:
    """The first thing that training does in each of its processes; ``fairseq-hydra-train`` has the plugin only then.

    fairseq's program may be younger than the plugin, in a program that imports ``skill_plugin.register`` first: what it
    calls is patched now.
    """
    compat.install()
    original(cfg)
    check(cfg, trains=True)


def eval_str_list(original: Callable[..., Any], text: Any, *args: Any, **kwargs: Any) -> Any:
    """Numbers of ``--lr`` and ``--update-freq``; what Python cannot evaluate is wrong usage."""
    try:
        return original(text, *args, **kwargs)
    except Exception as error:
        raise ArgumentTypeError(f"expected numbers separated by commas, not {text!r}") from error


def parse_args_and_arch(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """fairseq's, whose refusals (``--fp16`` with ``--bf16``, no ``--arch``) are errors without a line."""
    try:
        return original(*args, **kwargs)
    except ValueError as error:
        raise InputError(str(error)) from None
    except RuntimeError as error:
        if error.args:
            raise
        raise InputError(f"--arch is needed, such as {next(iter(ARCHITECTURES))}") from None


def build_trainer(original: Callable[..., None], self: Any, cfg: Any, task: Any, *args: Any, **kwargs: Any) -> None:
    """A ``Trainer`` is made when the model is built and the validation data loaded, but no training data."""
    check(cfg, trains=True)  # again, for a program that is none of fairseq's
    if hasattr(task, "check_run"):
        task.check_run(cfg)
    original(self, cfg, task, *args, **kwargs)


def install() -> None:
    """Patches the programs where they are loaded, and what they take from fairseq where they are not."""
    wrap(utils, "eval_str_list", eval_str_list)
    wrap(initialize, "add_defaults", add_defaults)
    wrap(options, "parse_args_and_arch", parse_args_and_arch)
    wrap_in_programs(add_defaults)
    wrap_in_programs(convert_namespace_to_omegaconf)
    wrap(Trainer, "__init__", build_trainer)
