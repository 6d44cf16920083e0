"""Scores of right pieces, some tokens at a time, against all logits at once."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin.nn.heads.token_scores import TokenScores, score_tokens


def made(u: int, v: int, d: int = 8, dtype: torch.dtype = torch.float64) -> tuple[list[Tensor], Tensor, Tensor]:
    """x, table and bias; classes; and what the losses are weighted by."""
    torch.manual_seed(u * 100 + v)
    leaves = [torch.randn(size, dtype=dtype, requires_grad=True) for size in ((u, d), (v, d), (v,))]
    return leaves, torch.randint(v, (u,)), torch.randn(u)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 23), st.integers(2, 19), st.integers(1, 200))
def test_losses_and_gradients_are_those_of_all_logits(u: int, v: int, logits: int) -> None:
    leaves, classes, weights = made(u, v)
    scores = score_tokens(*leaves, classes, logits)
    (scores.losses * weights).sum().backward()
    found = [leaf.grad for leaf in leaves]
    (x, table, bias), _, _ = made(u, v)
    all_logits = x @ table.T + bias
    expected = F.cross_entropy(all_logits.float(), classes, reduction="none")
    (expected * weights).sum().backward()
    assert scores.losses.dtype == torch.float32 and scores.vocabulary == v
    torch.testing.assert_close(scores.losses, expected, atol=1e-5, rtol=1e-5)
    assert torch.equal(scores.right, all_logits.argmax(1) == classes)
    for one, leaf in zip(found, (x, table, bias), strict=True):
        assert one is not None and one.dtype == leaf.dtype
        torch.testing.assert_close(one, leaf.grad, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("u", [3, 40])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_by_autocast_and_by_weights(dtype: torch.dtype, u: int) -> None:
    """Within the rounding of the type of the same computation in float64, weights' gradients in their own type."""
    leaves, classes, weights = made(u, 50, dtype=torch.float32)
    exact, _, _ = made(u, 50, dtype=torch.float32)
    (
        F.cross_entropy(F.linear(*(leaf.double() for leaf in exact)), classes, reduction="none") * weights
    ).sum().backward()
    for cast in (False, True):
        mine = [(leaf.detach() if cast else leaf.detach().to(dtype)).requires_grad_() for leaf in leaves]
        with torch.autocast("cpu", dtype, enabled=cast):
            scores = score_tokens(*mine, classes, 10 * 50)
        assert scores.losses.dtype == torch.float32
        (scores.losses * weights).sum().backward()
        for one, leaf in zip(mine, exact, strict=True):
            assert one.grad is not None and one.grad.dtype == one.dtype
            error = (one.grad.double() - leaf.grad.double()).norm() / leaf.grad.double().norm()
            assert error < 8 * torch.finfo(dtype).eps


def test_a_frozen_table() -> None:
    (x, table, bias), classes, _ = made(9, 5)
    score_tokens(x, table.detach(), bias, classes, 10).losses.sum().backward()
    expected = made(9, 5)[0]
    score_tokens(*expected, classes).losses.sum().backward()
    torch.testing.assert_close(x.grad, expected[0].grad, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(bias.grad, expected[2].grad, atol=1e-5, rtol=1e-5)


def test_memory_is_that_of_some_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor of a pass holds more logits than asked for."""
    sizes: list[int] = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(
            self, function: object, types: object, args: tuple = (), kwargs: object = None
        ) -> object:  # type: ignore[type-arg]
            out = function(*args, **(kwargs or {}))  # type: ignore[operator, arg-type]
            sizes.extend(
                one.numel() for one in (out if isinstance(out, tuple | list) else [out]) if isinstance(one, Tensor)
            )
            return out

    leaves, classes, _ = made(100, 60, d=4)
    with Watch():
        score_tokens(*leaves, classes, 10 * 60).losses.sum().backward()
    assert max(sizes) == 10 * 60


def test_a_model_answers_by_scores_where_pieces_are_given() -> None:
    from tests.nn.heads.test_masked_lm import batch, model

    built, packed = model(), batch()
    logits = built(packed).answers[0]
    classes = [torch.tensor([4, 5, 6]), torch.tensor([0])]
    scores, plain = built(packed, classes=classes).answers
    assert isinstance(scores, TokenScores) and plain.shape == (1, 3)
    torch.testing.assert_close(scores.losses, F.cross_entropy(logits, classes[0], reduction="none"))
