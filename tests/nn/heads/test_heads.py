"""Every head against a computation of its own, loops written out."""

from __future__ import annotations

from typing import TypeVar

import pytest
import torch
from torch import Tensor, nn

from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.linear import LinearHead
from tests.every_kind import make_head

WIDTH = 8
UNITS = torch.tensor([4, 0, 4, 9])


Head = TypeVar("Head", bound=nn.Module)


def randomised(head: Head) -> Head:
    for parameter in head.parameters():
        nn.init.normal_(parameter)
    return head.eval()


def linear(x: Tensor, layer: nn.Module) -> Tensor:
    return x @ layer.get_parameter("weight").T + layer.get_parameter("bias")


@pytest.fixture
def hidden() -> Tensor:
    torch.manual_seed(0)
    return torch.randn(10, WIDTH)


def test_classification(hidden: Tensor) -> None:
    head = randomised(ClassificationHead(WIDTH, 3, 0.5))
    expected = [linear(torch.tanh(linear(hidden[unit], head.dense)), head.out_proj) for unit in UNITS]
    torch.testing.assert_close(head(hidden, UNITS), torch.stack(expected))


@pytest.mark.parametrize("kind", ["labelling", "span", "classification", "regression", "ranking", "next_sentence"])
def test_linear(hidden: Tensor, kind: str) -> None:
    """MT-TaG, equations 7 and 8."""
    head = randomised(make_head(kind, 5).make(WIDTH, 0.5, linear=True))
    assert isinstance(head, LinearHead)
    expected = [linear(hidden[unit], head.out_proj) for unit in UNITS]
    torch.testing.assert_close(head(hidden, UNITS), torch.stack(expected))


def test_linear_word_in_context(hidden: Tensor) -> None:
    head = randomised(make_head("word_in_context", 2).make(WIDTH, 0.5, linear=True))
    units = torch.tensor([[0, 2, 3], [5, 9, 6]])
    expected = [linear(torch.cat([hidden[unit] for unit in row]), head.get_submodule("out_proj")) for row in units]
    torch.testing.assert_close(head(hidden, units), torch.stack(expected))


def test_word_in_context(hidden: Tensor) -> None:
    head = randomised(ClassificationHead(WIDTH, 2, 0.5, tokens=3))
    units = torch.tensor([[0, 2, 3], [5, 9, 6]])
    expected = []
    for first, one, other in units:
        x = torch.cat([hidden[first], hidden[one], hidden[other]])
        expected.append(linear(torch.tanh(linear(x, head.dense)), head.out_proj))
    torch.testing.assert_close(head(hidden, units), torch.stack(expected))


SINGLE = [
    ("classification", "pointwise", 7),
    ("multilabel", "pointwise", 7),
    ("labelling", "pointwise", 7),
    ("regression", "pointwise", 1),
    ("ranking", "pointwise", 2),
    ("ranking", "listwise", 1),
    ("ranking", "graded", 7),
    ("next_sentence", "pointwise", 2),
    ("span", "pointwise", 2),
    ("word_in_context", "pointwise", 7),
    ("masked_lm", "pointwise", 7),
]


@pytest.mark.parametrize(("kind", "loss", "outputs"), SINGLE)
@pytest.mark.parametrize("count", [0, 4])
@pytest.mark.parametrize("form", ["dense", "linear"])
def test_a_kind_has_its_outputs(hidden: Tensor, kind: str, loss: str, outputs: int, count: int, form: str) -> None:
    head = make_head(kind, 7, loss).make(WIDTH, 0.1, linear=form == "linear")
    units = torch.zeros((count, 3) if kind == "word_in_context" else count, dtype=torch.int64)
    table = [torch.randn(7, WIDTH)] if kind == "masked_lm" else []
    logits = head(hidden, units, *table)
    assert logits.shape == (count, outputs)
    logits.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in head.parameters())


def test_dropout_is_for_training_only(hidden: Tensor) -> None:
    head = make_head("labelling", 400).make(WIDTH, 0.5)
    assert not torch.equal(head(hidden, UNITS)[0], head(hidden, UNITS)[0])
    head.eval()
    assert torch.equal(head(hidden, UNITS)[0], head(hidden, UNITS)[0])
