"""Broken modes are refused before anything is launched, in one line that names what to use."""

import copy

import pytest
from fairseq.trainer import Trainer
from omegaconf import OmegaConf

from skill_plugin.compat.refused_modes import check_modes
from skill_plugin.errors import InputError
from tests.compat.fairseq_runs import train, train_here, unpatch

PLAIN = {
    "common": {
        "amp": False,
        "tpu": False,
        "fp16": False,
        "bf16": False,
        "fp16_no_flatten_grads": False,
        "memory_efficient_fp16": False,
        "memory_efficient_bf16": False,
        "profile": False,
        "model_parallel_size": 1,
        "quantization_config_path": None,
        "use_plasma_view": False,
    },
    "distributed_training": {
        "ddp_backend": "pytorch_ddp",
        "zero_sharding": "none",
        "pipeline_model_parallel": False,
    },
    "checkpoint": {"write_checkpoints_asynchronously": False},
    "optimizer": {"_name": "skill_adam"},
    "task": {"_name": "multilingual_multitask", "corpus_sampling": "proportional"},
}


def config(**changes):
    merged = copy.deepcopy(PLAIN)
    for key, value in changes.items():
        part = next(name for name in ("common", "distributed_training", "checkpoint") if key in PLAIN[name])
        merged[part][key] = value
    return OmegaConf.create(merged)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"fp16": True, "fp16_no_flatten_grads": True},
        {"fp16": True, "memory_efficient_fp16": True},
        {"ddp_backend": "legacy_ddp"},
    ],
)
def test_offered(changes):
    check_modes(config(**changes))


@pytest.mark.parametrize(
    ("changes", "instead"),
    [
        ({"amp": True}, "--autocast bf16"),
        ({"tpu": True, "bf16": True}, "--autocast bf16"),
        ({"tpu": True, "bf16": True, "memory_efficient_bf16": True}, "--autocast bf16"),
        ({"bf16": True}, "--autocast bf16"),  # as fairseq-hydra-train sets it
        ({"memory_efficient_bf16": True}, "--autocast bf16"),
        ({"tpu": True}, "leave it out"),
        ({"profile": True}, "--profile needs a GPU"),
        ({"model_parallel_size": 2}, "--model-parallel-size 2: .*; leave it out"),
        ({"pipeline_model_parallel": True}, "leave it out"),
        ({"quantization_config_path": "x"}, "leave it out"),
        ({"use_plasma_view": True}, "leave it out"),
        ({"write_checkpoints_asynchronously": True}, "leave it out"),
        ({"fp16": True}, "--fp16 --fp16-no-flatten-grads"),
        ({"ddp_backend": "fully_sharded"}, "pytorch_ddp or legacy_ddp"),
        ({"ddp_backend": "slowmo"}, "pytorch_ddp or legacy_ddp"),
        ({"zero_sharding": "os"}, "fairscale"),
    ],
)
def test_refused(changes, instead, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(InputError, match=instead) as caught:
        check_modes(config(**changes))
    assert "\n" not in str(caught.value)


def test_candidates_cannot_be_sent_through_shards():
    cfg = config(ddp_backend="fully_sharded")
    cfg.optimizer._name, cfg.task.corpus_sampling = "adam", "uncertainty"
    with pytest.raises(InputError, match="does not work with --sampling uncertainty; use --ddp-backend pytorch_ddp"):
        check_modes(cfg)


@pytest.mark.parametrize("option", ["--amp", "--bf16", "--memory-efficient-bf16", "--fp16"])
def test_on_the_command_line(tmp_path, monkeypatch, option):
    with pytest.raises(InputError, match="use --"):
        train_here(monkeypatch, tmp_path, option)


def test_other_tasks_keep_theirs(tmp_path, monkeypatch):
    with pytest.raises(AttributeError):  # fairseq's own answer, from the TPU library that is not there
        train_here(monkeypatch, tmp_path, "--bf16", "--optimizer", "adam")


def test_before_training_where_the_launch_was_too_early(tmp_path, monkeypatch):
    """fairseq-hydra-train imports the plugin only when the ranks are there."""
    from fairseq.distributed import utils as distributed_utils

    unpatch(monkeypatch, distributed_utils, "call_main")
    with pytest.raises(InputError, match="use --"):
        train_here(monkeypatch, tmp_path, "--fp16")
    for name, value in {"MASTER_ADDR": "localhost", "MASTER_PORT": "1", "WORLD_SIZE": "2", "RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match="each is about to train alone"):
        train_here(monkeypatch, tmp_path)
    unpatch(monkeypatch, Trainer, "__init__")


@pytest.mark.slow
def test_it_is_one_line(tmp_path):
    run = train(tmp_path, "--amp")
    run.assert_stopped_with(
        "--amp divides the gradients by the loss scale twice in fairseq; "
        "use --autocast bf16 (bf16 compute, float32 weights)"
    )
