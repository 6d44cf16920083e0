"""One rank of several that exchange made gradients and compare with the mean computed from all of them.

exchange_program.py RANK RANKS FILE: the ranks meet at a file that does not exist yet.
"""

import copy
import random
import sys
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch import nn

from skill_plugin.ranks import gradient_exchange
from skill_plugin.ranks.data_parallel import DataParallel
from skill_plugin.ranks.gradient_exchange import GradientExchange
from skill_plugin.ranks.sums import sum_over_ranks

SHAPES = [(), (1,), (3, 5), (64,), (2, 16), (7,), (40, 3), (31,)]
TRIALS = 60


class Sent:
    """Counts elements that ``dist.all_reduce`` sends, by type."""

    def __init__(self):
        self.elements = {}

    def __call__(self, tensor, *args, original=dist.all_reduce, **kwargs):
        self.elements[tensor.dtype] = self.elements.get(tensor.dtype, 0) + tensor.numel()
        return original(tensor, *args, **kwargs)


def give(parameters, gradients, flat):
    """Sets the gradients: each a tensor of its own, or views of a flat one."""
    for p, gradient in zip(parameters, gradients, strict=True):
        p.grad = None if gradient is None else gradient.clone()
    used = [p for p in parameters if p.grad is not None]
    if flat and used and len({p.dtype for p in used}) == 1:
        whole = torch.cat([p.grad.reshape(-1) for p in used])
        for p, piece in zip(used, whole.split([p.numel() for p in used]), strict=True):
            p.grad = piece.view_as(p)


def check_trial(trial, rank, ranks, group):
    """Random shapes and types, random use on each rank, gradients apart or flat, sent in parts of random size."""
    rng = random.Random(trial)
    shapes = [rng.choice(SHAPES) for _ in range(rng.randint(1, 9))]
    dtypes = rng.choice([[torch.float32], [torch.float16], [torch.float32, torch.float64]])
    parameters = [nn.Parameter(torch.zeros(shape, dtype=rng.choice(dtypes))) for shape in shapes]
    chance = rng.choice([0, 0.3, 0.7, 1])
    used = [[rng.random() < chance for _ in parameters] for _ in range(ranks)]
    flat = [rng.random() < 0.5 for _ in range(ranks)]
    generator = torch.Generator().manual_seed(trial)
    given = [
        [torch.randn(p.shape, generator=generator).to(p.dtype) for p in parameters] for _ in range(ranks)
    ]  # fmt: skip
    kept = [[g if u else None for g, u in zip(*one, strict=True)] for one in zip(given, used, strict=True)]
    give(parameters, kept[rank], flat[rank])
    places = [None if p.grad is None else p.grad.data_ptr() for p in parameters]
    exchange = GradientExchange(parameters, group)
    sent_as = exchange.sent_as = rng.choice([None, None, torch.float16])
    sent = Sent()
    part = rng.choice([8, 100, gradient_exchange.PART])
    with patch.object(gradient_exchange, "PART", part), patch.object(dist, "all_reduce", sent):
        exchange.average()
    for p, *of_ranks in zip(parameters, *kept, strict=True):
        some = [g.double() for g in of_ranks if g is not None]
        if not some:
            assert p.grad is None
            continue
        assert p.grad.shape == p.shape and p.grad.dtype == p.dtype and p.grad.is_contiguous()
        tolerance = 1e-2 if torch.float16 in (p.dtype, sent_as) else 1e-6
        torch.testing.assert_close(p.grad.double(), sum(some) / ranks, atol=tolerance, rtol=tolerance)
    anywhere = [p for p, *one in zip(parameters, *used, strict=True) if any(one)]
    assert sent.elements.pop(torch.uint8) == len(parameters)
    assert (not sent.elements) == (not anywhere)
    assert sum(sent.elements.values()) == sum(p.numel() for p in anywhere)
    assert set(sent.elements) <= ({p.dtype for p in anywhere} if sent_as is None else {sent_as})
    same_use = all(any(one) == one[rank] for one in zip(*used, strict=True))
    if flat[rank] and same_use and len(set(dtypes)) == 1 and sent_as in (None, dtypes[0]):
        assert places == [None if p.grad is None else p.grad.data_ptr() for p in parameters]
    return len(anywhere)


def check_model(rank, ranks, group):
    """Ranks begin with rank 0's model, add up passes of their own, and step as one process with all batches."""
    torch.manual_seed(rank)
    model = nn.ModuleDict({name: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)) for name in "abc"})
    model["c"].requires_grad_(False)
    wrapped = DataParallel(model, group, device_ids=None, bucket_cap_mb=25)
    torch.manual_seed(0)
    first = nn.ModuleDict({name: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)) for name in "abc"})
    for name, tensor in first.state_dict().items():
        assert torch.equal(model.state_dict()[name], tensor), name
    alone = copy.deepcopy(model)
    batches = torch.randn(ranks, 2, 5, 4, generator=torch.Generator().manual_seed(1))
    for batch in batches[rank]:
        model["ab"[rank % 2]](batch).square().sum().backward()
    wrapped.all_reduce_grads()
    for one in range(ranks):
        for batch in batches[one]:
            (alone["ab"[one % 2]](batch).square().sum() / ranks).backward()
    for (name, p), q in zip(model.named_parameters(), alone.parameters(), strict=True):
        assert (p.grad is None) == name.startswith("c.")
        if p.grad is not None:
            torch.testing.assert_close(p.grad, q.grad, msg=name)
    buffers = DataParallel(nn.BatchNorm1d(4), group, broadcast_buffers=True)
    for batch in batches[rank]:
        buffers(batch)  # each begins with what the one before left on rank 0
    expected = nn.BatchNorm1d(4)
    expected(batches[0, 0])
    expected(batches[rank, 1])
    torch.testing.assert_close(buffers.module.running_mean, expected.running_mean)


def check_sums(rank, ranks, group):
    values = {"n": rank, "x": torch.full((2, 2), rank, dtype=torch.float32), "y": torch.tensor(0.5), "z": 0.25}
    sums, total = sum_over_ranks(values, group), sum(range(ranks))
    assert list(sums) == list(values)
    assert sums["n"] == total and sums["z"] == 0.25 * ranks and type(sums["n"]) is float
    assert sums["x"].tolist() == [[total, total], [total, total]] and float(sums["y"]) == 0.5 * ranks


def main(rank, ranks, file):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)
    group = dist.new_group()
    used = [check_trial(trial, rank, ranks, group) for trial in range(TRIALS)]
    assert 0 in used and max(used) > 5
    check_model(rank, ranks, group)
    check_sums(rank, ranks, group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
