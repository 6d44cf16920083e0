"""Layers that are computed once more give the same numbers on a GPU, whose kernels draw their own dropout."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import pack
from skill_plugin.nn.pass_options import PLAIN
from tests.nn.test_packing import NLI_EN, TOPIC_ZH, sequence
from tests.nn.test_recompute import dropping

CUDA = torch.device("cuda")


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("variant", ["skillnet_x_ffn_mha", "mt_tag", "ca_mtl"])
def test_the_same_gradients(variant: str, copies: bool) -> None:
    members = [(NLI_EN, "nli", [sequence(1, 30), sequence(2, 9)]), (TOPIC_ZH, "topic", [sequence(3, 17)])]
    batch, options = pack(members, True).to(CUDA), PLAIN
    if copies:
        noise = torch.randn(len(batch.tokens), 16, device=CUDA) * 0.01
        batch, options = with_noisy_copy(batch, noise, 0.01, same_dropout=True)
    made = dropping(variant).to(CUDA)
    found: list[list[Tensor | None]] = []
    for recomputes in (False, True):
        made.zero_grad(set_to_none=True)
        made.encoder.recomputes = recomputes
        torch.manual_seed(7)
        with torch.autocast("cuda", torch.bfloat16):
            answers = made(batch, options).answers
        torch.stack([answer.float().square().sum() for answer in answers]).sum().backward()
        found.append([p.grad for p in made.parameters()])
    for one, other in zip(*found, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)  # sums of atomic additions differ
