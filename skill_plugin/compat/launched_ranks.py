"""Several ranks: on CPU (``--cpu --distributed-world-size N``), by torchrun on any machine, on GPUs with a thread each.

Fault: fairseq 0.12.3 (``distributed/utils.py``: ``call_main``, ``infer_init_method``) takes the number of GPUs for the
number of processes that a machine can hold. Without GPUs it then stops with an assertion, divides by zero, or (with an
init method given) starts no process at all and reports success. A torchrun of N processes with one GPU or none each is
not noticed either: N runs train alone and write the same checkpoints. Each rank takes all cores for its threads, which
then wait for those of the others, and one that fairseq has spawned spawns the processes that read its batches too: they
import everything anew in each epoch, which takes seconds. Two GPUs were slower than one. The threads by which a rank of
torchrun talks to the others still run when it ends, and now and then abort it ("terminate called without an active
exception").

No longer needed: when ``fairseq-train --cpu --distributed-world-size 2 --distributed-backend gloo`` and
``torchrun --nproc_per_node 2 $(which fairseq-train) --cpu`` train in one world of two without ``install()``.

Limit: ``fairseq-hydra-train`` imports the plugin after the ranks were launched, too late for this; ``refused_modes``
stops there and names the settings that work.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import torch
from fairseq.distributed import utils as distributed_utils
from torch.multiprocessing.spawn import spawn

from skill_plugin.compat.patching import wrap
from skill_plugin.errors import InputError

logger = logging.getLogger(__name__)

TORCHRUN = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")


def torchrun_world_size() -> int:
    """How many processes torchrun (or a launcher that sets the same variables) started; 1 without one."""
    return int(os.environ["WORLD_SIZE"]) if all(name in os.environ for name in TORCHRUN) else 1


def runs_on_cpu(cfg: Any) -> bool:
    """Whether fairseq's trainer will compute on the CPU."""
    return not cfg.common.tpu and (cfg.common.cpu or not torch.cuda.is_available())


def call_main(original: Callable[..., None], cfg: Any, main: Callable[..., None], **kwargs: Any) -> None:
    """fairseq's ``call_main``, which launches the ranks; those on CPU are counted by what was asked for."""
    _call_main(original, cfg, main, **kwargs)
    if torch.distributed.is_initialized():  # this process is a rank itself, and all have come to their end
        torch.distributed.destroy_process_group()


def _call_main(original: Callable[..., None], cfg: Any, main: Callable[..., None], **kwargs: Any) -> None:
    training = cfg.distributed_training
    if torchrun_world_size() > 1 and training.distributed_init_method is None:
        training.distributed_world_size = torchrun_world_size()
    if not runs_on_cpu(cfg):
        with _threads(1) if training.distributed_world_size > 1 else contextlib.nullcontext():
            original(cfg, main, **kwargs)
        return
    _fill_in(training)
    if training.distributed_init_method is None or training.distributed_no_spawn:
        original(cfg, main, **kwargs)
        return
    first = training.distributed_rank
    here = training.distributed_world_size - first
    if training.distributed_num_procs is not None and training.distributed_num_procs > 1:
        here = min(here, training.distributed_num_procs)  # the other ranks are launched on other machines
    training.distributed_rank = None  # each process finds out its own
    with _threads(max(1, torch.get_num_threads() // here)):
        spawn(
            fn=distributed_utils.distributed_main,
            args=(main, cfg, {**kwargs, "start_rank": first}),
            nprocs=here,
            join=True,
        )


def _fill_in(training: Any) -> None:
    """How the ranks meet, where that was left open."""
    gpus = torch.cuda.device_count()
    if (
        torchrun_world_size() == 1
        and training.distributed_backend == "nccl"
        and training.distributed_world_size == gpus
    ):
        training.distributed_world_size = 1  # the default on a machine with GPUs, not a wish for that many CPU ranks
    if training.distributed_world_size == 1:
        return
    if training.distributed_backend == "nccl":
        logger.info("ranks on CPU: --distributed-backend gloo instead of nccl, which is for GPUs only")
        training.distributed_backend = "gloo"
    if training.distributed_init_method is not None:
        return
    if torchrun_world_size() > 1:
        training.distributed_init_method = "env://"
        training.distributed_rank = int(os.environ["RANK"])
        training.device_id = 0
        training.distributed_no_spawn = True
    elif "SLURM_STEP_NODELIST" in os.environ or "SLURM_JOB_NODELIST" in os.environ:
        _join_slurm(training)
    else:
        port = training.distributed_port if training.distributed_port > 0 else _free_port()
        training.distributed_init_method = f"tcp://localhost:{port}"


def _join_slurm(training: Any) -> None:
    tasks = int(os.environ.get("SLURM_NTASKS_PER_NODE") or os.environ.get("SLURM_NTASKS") or "1")
    if tasks == 1:  # fairseq would start one rank per GPU of the node, that is none
        raise InputError("ranks on CPU under Slurm: start one task per rank (srun --ntasks-per-node N)")
    distributed_utils._infer_slurm_init(training, None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def _threads(number: int) -> Iterator[None]:
    """Meanwhile this process, and those that it starts, have so many threads each, unless the user has said how many.

    Ranks on CPU divide the cores. What a rank on a GPU leaves to the CPU is too small to be divided: it has one thread,
    as torchrun sets it.
    """
    if "OMP_NUM_THREADS" in os.environ:
        yield
        return
    here = torch.get_num_threads()
    os.environ["OMP_NUM_THREADS"] = str(number)
    torch.set_num_threads(number)
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
        torch.set_num_threads(here)


def install() -> None:
    """Patches ``fairseq.distributed.utils.call_main``, which every fairseq program launches through.

    In a rank that was spawned, what it starts itself is started as anywhere else.
    """
    wrap(distributed_utils, "call_main", call_main)
    if multiprocessing.parent_process() is not None:
        multiprocessing.set_start_method(None, force=True)
