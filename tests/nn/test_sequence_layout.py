"""Attention over a pack against attention over each sequence, written out."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.nn.dropout import dropout_factors, share_masks
from skill_plugin.nn.padded_view import GPU_SCORES, PaddedView, members_of_views
from skill_plugin.nn.sequence_layout import SequenceLayout

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=7)


def direct(qkv: Tensor, lengths: list[int], heads: int, factors: Tensor | None = None) -> Tensor:
    """With factors of the weights, sequence by sequence and head by head."""
    width = qkv.shape[1] // 3
    out = []
    for part in qkv.split(lengths):
        taken = heads * len(part) ** 2
        kept = None if factors is None else factors[:taken].view(heads, len(part), len(part))
        factors = None if factors is None else factors[taken:]
        q, k, v = part.split(width, dim=1)
        columns = []
        for head in range(heads):
            cut = slice(head * width // heads, (head + 1) * width // heads)
            weights = (q[:, cut] @ k[:, cut].T / math.sqrt(width // heads)).softmax(-1)
            columns.append((weights if kept is None else weights * kept[head]) @ v[:, cut])
        out.append(torch.cat(columns, dim=1))
    return torch.cat(out)


@given(LENGTHS, st.sampled_from([1, 2, 4]))
def test_values_and_gradients(lengths: list[int], heads: int) -> None:
    torch.manual_seed(len(lengths))
    qkv = torch.randn(sum(lengths), 24, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(sum(lengths), 8, dtype=torch.float64)
    gradients = []
    for out in (SequenceLayout(lengths, qkv.device).attend(qkv, heads, 0.0), direct(qkv, lengths, heads)):
        gradients.append(torch.autograd.grad((out * weight).sum(), qkv)[0])
        torch.testing.assert_close(out, direct(qkv, lengths, heads))
    torch.testing.assert_close(*gradients)


@given(LENGTHS, st.booleans())
def test_one_view_of_all_sequences_and_what_padding_holds_stays_there(lengths: list[int], dropped: bool) -> None:
    qkv = torch.randn(sum(lengths), 24, generator=torch.Generator().manual_seed(3), requires_grad=True)
    qkv.data[-1] = torch.nan  # the last sequence's alone
    view = PaddedView(torch.arange(len(lengths)), torch.tensor(lengths))
    out, expected = view.attend(qkv, 2, 1e-9 if dropped else 0.0), direct(qkv, lengths, 2)
    kept = sum(lengths[:-1])
    gradients = [torch.autograd.grad((found[:kept] ** 2).sum(), qkv)[0][:kept] for found in (out, expected)]
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4, equal_nan=True)
    torch.testing.assert_close(*gradients, atol=1e-5, rtol=1e-4)


def test_a_gpu_has_one_view_as_long_as_its_scores_are_few() -> None:
    gpu, cpu = torch.device("cuda"), torch.device("cpu")
    assert members_of_views([3, 40, 9, 30], cpu) == [[1, 3], [2], [0]]
    assert members_of_views([3, 40, 9, 30], gpu) == [[0, 1, 2, 3]]
    most = GPU_SCORES // (4 * 512)
    assert members_of_views([3, 512, 9, 512], gpu, [most, 1, 1, 1]) == [[0, 1, 2, 3]]
    assert members_of_views([3, 512, 9, 512], gpu, [most + 1, 1, 1, 1]) == [[1, 3], [2], [0]]


@given(st.lists(st.integers(1, 40), max_size=6), st.sampled_from([1, 2, 4]))
def test_values_and_gradients_with_dropout(more: list[int], heads: int) -> None:
    lengths = [*more, 12 * (len(more) + 1)]  # long enough on average
    qkv = torch.randn(sum(lengths), 24, generator=torch.Generator().manual_seed(len(lengths)), requires_grad=True)
    weight = torch.linspace(-1, 1, 8).roll(3)
    torch.manual_seed(3)
    found = SequenceLayout(lengths, qkv.device).attend(qkv, heads, 0.3)
    torch.manual_seed(3)
    factors = dropout_factors(sum(heads * n * n for n in lengths), 0.3)
    expected = direct(qkv, lengths, heads, factors)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    gradients = [torch.autograd.grad((out * weight).sum(), qkv)[0] for out in (found, expected)]
    torch.testing.assert_close(*gradients, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("lengths", [[5, 5], [30, 9, 8, 2], [17]])
def test_dropout_keeps_the_expectation(lengths: list[int]) -> None:
    torch.manual_seed(0)
    qkv = torch.randn(sum(lengths), 24)
    layout = SequenceLayout(lengths, qkv.device)
    draws = torch.stack([layout.attend(qkv, 2, 0.3) for _ in range(3000)])
    error = (draws.mean(0) - layout.attend(qkv, 2, 0.0)).abs() / (draws.std(0) / math.sqrt(len(draws)) + 1e-6)
    assert float(error.max()) < 5


@pytest.mark.parametrize("lengths", [[5, 5], [30, 9, 8, 2], [17]])
def test_copies_are_dropped_the_same_weights(lengths: list[int]) -> None:
    torch.manual_seed(0)
    qkv = torch.randn(sum(lengths), 24).repeat(2, 1)
    layout = SequenceLayout(lengths * 2, qkv.device)
    with share_masks(2):
        first, second = layout.attend(qkv, 2, 0.3).chunk(2)
        again, _ = layout.attend(qkv, 2, 0.3).chunk(2)
        without = layout.attend(qkv, 2, 0.0)
    assert torch.equal(first, second)
    assert not torch.equal(first, again)
    torch.testing.assert_close(without, SequenceLayout(lengths * 2, qkv.device).attend(qkv, 2, 0.0))
    assert not torch.equal(*layout.attend(qkv, 2, 0.3).chunk(2))
