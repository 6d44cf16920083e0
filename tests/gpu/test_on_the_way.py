"""Numbers that come from a GPU in one transfer, while it goes on."""

from __future__ import annotations

import torch

from skill_plugin.compat.one_wait import OnTheWay


def test_tensors_arrive_as_they_were() -> None:
    """Of several types and shapes, whatever is written into their memory afterwards by what was launched later."""
    torch.manual_seed(0)
    there = [
        torch.randn(3, 2, device="cuda"),
        torch.tensor(True, device="cuda"),
        torch.randn(5, dtype=torch.float64, device="cuda"),
        torch.randint(9, (4,), device="cuda"),
        torch.zeros(0, device="cuda"),
        torch.randn(7).bfloat16().cuda(),
    ]
    here = [torch.arange(3), torch.tensor(2.5)]
    expected = [value.cpu() for value in (*there, *here)]
    ready = torch.cuda.current_stream().record_event()
    matrix = torch.randn(4096, 4096, device="cuda")
    for _ in range(20):
        matrix = matrix @ matrix / 64
    way = OnTheWay([*there, *here], ready)
    del there
    matrix.normal_()
    for found, wanted in zip(way.arrived(), expected, strict=True):
        assert found.device.type == "cpu" and found.dtype == wanted.dtype
        assert torch.equal(found, wanted)
