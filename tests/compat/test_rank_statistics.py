"""What fairseq calls between ranks is ours: models are wrapped by one module, and sums stay where their parts were."""

import argparse

import pytest
import torch
import torch.distributed as dist
from fairseq import models
from fairseq.distributed import LegacyDistributedDataParallel
from fairseq.distributed import utils as distributed_utils
from fairseq.models import distributed_fairseq_model
from fairseq.trainer import Trainer
from torch import nn

from skill_plugin.compat import data_parallel, rank_statistics
from tests.compat.fairseq_runs import unpatch


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """A world of this process alone."""
    meeting = tmp_path_factory.mktemp("world") / "meeting"
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=0, world_size=1)
    yield dist.new_group()
    dist.destroy_process_group()


@pytest.fixture(autouse=True)
def _patches():
    data_parallel.install()
    rank_statistics.install()


def wrapped(group, backend, **options):
    """A model of two parts as fairseq's trainer wraps it, after a backward pass through the first."""
    defaults = {
        "ddp_backend": backend, "tpu": False, "device_id": 0, "broadcast_buffers": False, "bucket_cap_mb": 25,
        "find_unused_parameters": False, "gradient_as_bucket_view": False, "ddp_comm_hook": "none",
    }  # fmt: skip
    arguments = argparse.Namespace(**{**defaults, **options})
    parts = nn.ModuleDict({"used": nn.Linear(3, 1), "unused": nn.Linear(3, 1)})
    model = models.DistributedFairseqModel(arguments, parts, process_group=group, device=torch.device("cpu"))
    parts["used"](torch.full((2, 3), 1 / 3)).sum().backward()
    return model


@pytest.mark.parametrize("backend", ["pytorch_ddp", "legacy_ddp"])
def test_a_parameter_that_no_rank_used_has_no_gradient(group, backend):
    model = wrapped(group, backend)
    model.all_reduce_grads()
    assert model.used.weight.grad.tolist() == [pytest.approx([2 / 3] * 3)]
    assert model.unused.weight.grad is None


def test_without_the_patch_it_has_zeros_or_ends(group, monkeypatch):
    monkeypatch.setattr(distributed_fairseq_model, "DistributedDataParallel", nn.parallel.DistributedDataParallel)
    with pytest.raises(ValueError, match="device_ids"):
        wrapped(group, "pytorch_ddp")
    monkeypatch.setattr(distributed_fairseq_model, "LegacyDistributedDataParallel", LegacyDistributedDataParallel)
    model = wrapped(group, "legacy_ddp")
    model.all_reduce_grads()
    assert model.unused.weight.grad.tolist() == [[0.0] * 3]


def test_gradients_sent_as_float16(group):
    model = wrapped(group, "pytorch_ddp", ddp_comm_hook="fp16")
    model.all_reduce_grads()
    gradient = model.used.weight.grad
    assert gradient.dtype == torch.float32
    assert torch.equal(gradient, torch.full((1, 3), 1 / 3).mul(2).half().float())


def test_numbers_stay_on_the_host(group):
    sums = distributed_utils.all_reduce_dict({"n": 3, "x": torch.ones(2)}, device=torch.device("cpu"), group=group)
    assert type(sums["n"]) is float and sums["n"] == 3
    assert sums["x"].tolist() == [1, 1]


def test_without_the_patch_numbers_go_to_the_device(group, monkeypatch):
    unpatch(monkeypatch, distributed_utils, "all_reduce_dict")
    sums = distributed_utils.all_reduce_dict({"n": 3}, device=torch.device("cpu"), group=group)
    assert isinstance(sums["n"], torch.Tensor)


def test_norms_are_not_compared(group):
    Trainer._check_grad_norms(None, torch.tensor(float("nan")))
