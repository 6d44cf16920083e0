"""Ranks on CPU: they exist, they train in one world, and what they compute is what one process computes."""

import argparse
import os
import subprocess
import sys

import pytest
import torch

from skill_plugin.compat import launched_ranks
from skill_plugin.errors import InputError
from tests.compat.fairseq_runs import PROGRAMS, assert_same_weights, train, train_here, weights

TWO = ("--distributed-world-size", "2", "--distributed-backend", "gloo", "--points", "48")
ONE = ("--update-freq", "2", "--points", "48")


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    """Weights after six updates of two batches each, in one process."""
    save = tmp_path_factory.mktemp("one")
    with pytest.MonkeyPatch.context() as monkeypatch:
        train_here(monkeypatch, save, *ONE)
    return weights(save)


# The two batches of an update use different skills, so that each rank lacks what the other has.


@pytest.mark.slow
def test_spawned_ranks_equal_one_process_with_pytorch_ddp(tmp_path, one_process):
    run = train(tmp_path, *TWO, "--ddp-backend", "pytorch_ddp")
    assert run.status == 0, run.err[-3000:]
    assert "training on 2 devices" in run.out
    assert "Warning" not in run.err
    assert_same_weights(weights(tmp_path), one_process, atol=1e-6)


@pytest.mark.slow
def test_spawned_ranks_equal_one_process_with_legacy_ddp_stopped_and_resumed(tmp_path, one_process):
    """Logs are gathered unsummed here, and what rank 0 sends to the other on resuming passes the allow-list."""
    legacy = (*TWO, "--ddp-backend", "legacy_ddp")
    assert train(tmp_path, *legacy, "--max-update", "3", TOY_SUMMED="0").status == 0
    run = train(tmp_path, *legacy, TOY_SUMMED="0")
    assert run.status == 0, run.err[-3000:]
    assert "Loaded checkpoint" in run.out
    assert_same_weights(weights(tmp_path), one_process, atol=1e-6)


@pytest.mark.slow
def test_torchrun_forms_one_world(tmp_path, one_process):
    ends = tmp_path / "ends.py"  # of the program's path and options; the ranks' group must be gone by its end
    ends.write_text(
        "import sys, torch\n"
        "from fairseq_cli.train import cli_main\n"
        "sys.argv = sys.argv[1:]\n"
        "cli_main()\n"
        "assert not torch.distributed.is_initialized()\n"
    )
    launcher = [str(PROGRAMS / "torchrun"), "--standalone", "--nproc_per_node", "2", str(ends)]
    run = train(tmp_path, "--points", "48", "--distributed-backend", "gloo", launcher=launcher)
    assert run.status == 0, run.err[-3000:]
    assert run.out.count("done training") == 1  # rank 1 logs warnings only
    assert "training on 2 devices" in run.out
    assert_same_weights(weights(tmp_path), one_process, atol=1e-6)


@pytest.mark.slow
def test_spawned_ranks_start_processes_as_others_do(tmp_path):
    """Those that read batches are forked where that is usual, and not made to import everything in each epoch."""
    script = tmp_path / "start_methods.py"
    script.write_text(
        "import multiprocessing, sys, torch\n"
        "def rank(number):\n"
        "    before = multiprocessing.get_start_method()\n"
        "    import skill_plugin.register\n"
        "    print(before, multiprocessing.get_start_method())\n"
        "if __name__ == '__main__':\n"
        "    torch.multiprocessing.spawn(rank, nprocs=1)\n"
        "    print(multiprocessing.get_start_method())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    first, usual = done.stdout.splitlines()
    assert first == f"spawn {usual}" and usual != "spawn"


@pytest.mark.slow
def test_without_the_patch_no_rank_is_started(tmp_path):
    run = train(tmp_path, *TWO, TOY_PATCHES="0")
    assert run.status != 0
    assert "world size is 2 but have 0 available devices" in run.err


def settings(**training):
    common = argparse.Namespace(cpu=True, tpu=False)
    defaults = {
        "distributed_world_size": 1,
        "distributed_backend": "gloo",
        "distributed_init_method": None,
        "distributed_rank": 0,
        "distributed_port": -1,
        "distributed_no_spawn": False,
        "distributed_num_procs": 1,
        "device_id": 0,
    }
    training = argparse.Namespace(**{**defaults, **training})
    return argparse.Namespace(common=common, distributed_training=training)


@pytest.fixture
def spawned(monkeypatch):
    """Calls of spawn and of fairseq's own call_main, instead of processes."""
    calls = []
    monkeypatch.setattr(launched_ranks, "spawn", lambda fn, args, nprocs, join: calls.append((nprocs, args[2])))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    for name in (*launched_ranks.TORCHRUN, "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"):
        monkeypatch.delenv(name, raising=False)
    return calls


def launch(cfg):
    """How often fairseq's own launcher is called."""
    own = []
    launched_ranks.call_main(lambda cfg, main: own.append(cfg), cfg, print)
    return len(own)


def threads_of(cfg, monkeypatch, **environment):
    """Threads of the process that launches, and of those that it starts, while it launches."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    seen = []

    def look(*args, **kwargs):
        seen.append((torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")))

    monkeypatch.setattr(launched_ranks, "spawn", look)
    before, given = torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")
    torch.set_num_threads(8)
    try:
        launched_ranks.call_main(look, cfg, print)
        assert (torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")) == (8, given)
    finally:
        torch.set_num_threads(before)
    return seen


def test_ranks_on_cpu_divide_the_cores_and_those_on_gpus_have_one_thread(spawned, monkeypatch):
    two = settings(distributed_world_size=2)
    assert threads_of(two, monkeypatch) == [(4, "4")]
    assert threads_of(settings(), monkeypatch) == [(8, None)]
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    two = settings(distributed_world_size=2, distributed_backend="nccl")
    two.common.cpu = False
    assert threads_of(two, monkeypatch) == [(1, "1")]
    assert threads_of(two, monkeypatch, OMP_NUM_THREADS="3") == [(8, "3")]
    two.distributed_training.distributed_world_size = 1
    assert threads_of(two, monkeypatch) == [(8, None)]


def test_one_process_is_left_to_fairseq(spawned):
    assert launch(settings()) == 1
    assert spawned == []


def test_nccl_becomes_gloo(spawned):
    cfg = settings(distributed_world_size=3, distributed_backend="nccl")
    assert launch(cfg) == 0
    assert cfg.distributed_training.distributed_backend == "gloo"
    assert spawned == [(3, {"start_rank": 0})]


def test_all_gpus_of_the_machine_are_no_wish_for_as_many_cpu_ranks(spawned, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 8)
    cfg = settings(distributed_world_size=8, distributed_backend="nccl")
    assert launch(cfg) == 1
    assert cfg.distributed_training.distributed_world_size == 1


def test_ranks_of_several_machines(spawned):
    address = "tcp://10.0.0.1:1234"
    launch(settings(distributed_world_size=4, distributed_init_method=address, distributed_num_procs=2))
    launch(
        settings(distributed_world_size=4, distributed_init_method=address, distributed_num_procs=2, distributed_rank=2)
    )
    assert spawned == [(2, {"start_rank": 0}), (2, {"start_rank": 2})]


def test_a_rank_launched_by_hand_is_left_to_fairseq(spawned):
    cfg = settings(distributed_world_size=2, distributed_init_method="tcp://x:1", distributed_no_spawn=True)
    assert launch(cfg) == 1
    assert spawned == []


def test_torchrun_is_noticed_without_a_world_size(spawned, monkeypatch):
    for name, value in zip(launched_ranks.TORCHRUN, ("localhost", "1", "2", "1"), strict=True):
        monkeypatch.setenv(name, value)
    cfg = settings(distributed_backend="nccl")
    assert launch(cfg) == 1
    training = cfg.distributed_training
    assert (training.distributed_world_size, training.distributed_rank, training.distributed_no_spawn) == (2, 1, True)
    assert (training.distributed_init_method, training.distributed_backend) == ("env://", "gloo")


def test_slurm_with_one_task_per_node_is_refused(spawned, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_NODELIST", "node[1-2]")
    monkeypatch.setenv("SLURM_NTASKS_PER_NODE", "1")
    with pytest.raises(InputError, match="ntasks-per-node"):
        launch(settings(distributed_world_size=2))
