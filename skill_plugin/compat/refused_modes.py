"""Modes that are broken in fairseq are refused in one line that names the mode to use.

Faults of fairseq 0.12.3: ``--amp`` divides the gradients by the loss scale twice (``optim/amp_optimizer.py``);
``--bf16`` and ``--memory-efficient-bf16`` on the command line demand a TPU (``options.py``); flat ``--fp16`` moves
every skill, used or not, on momentum, and the optimizer cannot tell them apart; ``slowmo``, ``fully_sharded`` and
``--zero-sharding`` need a package that is not installed, and end in a traceback; ``fairseq-hydra-train`` under torchrun
trains as many separate runs.

No longer needed: mode by mode, when it trains as float32 does, in a test of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch
import torch.distributed as dist
from fairseq.trainer import Trainer

from skill_plugin.compat.launched_ranks import torchrun_world_size
from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError

TASK = "multilingual_multitask"
OPTIMIZER = "skill_adam"
BF16 = "--autocast bf16 (bf16 compute, float32 weights)"


def check_modes(cfg: Any) -> None:
    """Refuses what is broken.

    Args:
        cfg: fairseq's whole configuration.

    Raises:
        InputError: the mode, and what to use instead.
    """
    if not is_ours(cfg):
        return
    common, training = cfg.common, cfg.distributed_training
    if common.amp:
        raise InputError(f"--amp divides the gradients by the loss scale twice in fairseq; use {BF16}")
    if common.bf16 or common.memory_efficient_bf16:
        raise InputError(f"--bf16 and --memory-efficient-bf16 need a TPU in fairseq; use {BF16}")
    if common.tpu:
        raise InputError("--tpu is not supported; leave it out")
    if common.fp16 and not (common.fp16_no_flatten_grads or common.memory_efficient_fp16):
        raise InputError(
            "--fp16 alone keeps all parameters in one flat copy, where inactive skills would move; "
            "use --fp16 --fp16-no-flatten-grads, or --memory-efficient-fp16"
        )
    _check_sharding(cfg, training)
    _check_leftovers(cfg)


def _check_leftovers(cfg: Any) -> None:
    """Modes of fairseq's that need what the plugin or the machine does not have."""
    common, training = cfg.common, cfg.distributed_training
    if common.profile and not torch.cuda.is_available():
        raise InputError("--profile needs a GPU; leave it out")
    if common.model_parallel_size != 1:
        raise InputError(f"--model-parallel-size {common.model_parallel_size}: models here are not split; leave it out")
    if training.pipeline_model_parallel:
        raise InputError("--pipeline-model-parallel: models here are not split; leave it out")
    if common.quantization_config_path is not None:
        raise InputError("--quantization-config-path is not supported; leave it out")
    if common.use_plasma_view:
        raise InputError("--use-plasma-view is not supported: data is mapped from its files; leave it out")
    if cfg.checkpoint.write_checkpoints_asynchronously:
        raise InputError("--write-checkpoints-asynchronously: files that are written so may be cut short; leave it out")


def _check_sharding(cfg: Any, training: Any) -> None:
    plain = "use --ddp-backend pytorch_ddp or legacy_ddp"
    if training.ddp_backend == "fully_sharded":
        # first what no package helps against; candidates are sent past the wrapper, which alone gathers the weights
        for option, present in (
            (f"--optimizer {OPTIMIZER}", _name(cfg.optimizer) == OPTIMIZER),
            ("--sampling uncertainty", str(getattr(cfg.task, "corpus_sampling", "")) == "uncertainty"),
        ):
            if present:
                raise InputError(f"--ddp-backend fully_sharded does not work with {option}; {plain}")
    if training.ddp_backend in ("fully_sharded", "slowmo") and find_spec("fairscale") is None:
        raise InputError(f"--ddp-backend {training.ddp_backend} needs the package fairscale; {plain}")
    if training.zero_sharding == "os" and find_spec("fairscale") is None:
        raise InputError("--zero-sharding os needs the package fairscale; leave it out")


def _name(part: Any) -> str | None:
    return getattr(part, "_name", None)


def is_ours(cfg: Any) -> bool:
    """Other tasks that happen to be trained beside the plugin keep all modes."""
    return _name(cfg.task) == TASK or _name(cfg.optimizer) == OPTIMIZER


def build_trainer(original: Callable[..., None], self: Any, cfg: Any, *args: Any, **kwargs: Any) -> None:
    """Before training: torchrun's processes are in one world by then, or never."""
    if is_ours(cfg):
        _check_world()
    original(self, cfg, *args, **kwargs)


def _check_world() -> None:
    n = torchrun_world_size()
    if n > 1 and not dist.is_initialized():
        raise InputError(
            f"torchrun started {n} processes, but each is about to train alone; use fairseq-train, or give "
            f"fairseq-hydra-train distributed_training.distributed_init_method=env:// distributed_world_size={n} "
            "distributed_rank=$RANK distributed_no_spawn=true (all of distributed_training)"
        )


def install() -> None:
    """Patches the constructor of ``Trainer``; ``early_checks`` asks for the modes before."""
    wrap(Trainer, "__init__", build_trainer)
