"""What an update's loss is the mean of, however its examples are divided."""

from __future__ import annotations

import math

import pytest
import torch

from skill_plugin.objectives.categorical import IGNORED, Categorical
from skill_plugin.objectives.family import UnitLosses
from skill_plugin.objectives.listwise import Listwise
from skill_plugin.objectives.loss_average import weigh_segment
from skill_plugin.objectives.pointwise import Pointwise
from skill_plugin.objectives.start_and_end import StartAndEnd

TEXTS, TOKENS = Categorical(), Categorical(many_units=True)
WORDS = Categorical(many_units=True, has_unknown=True)


def test_by_corpus_a_segment_is_one_whatever_it_holds() -> None:
    losses = UnitLosses(torch.tensor([1.0, 2.0, 6.0]), 4)
    total, weight = weigh_segment(losses, "log-classes", "corpus", WORDS, [2, 0, 1])
    assert float(total) == pytest.approx(3 / math.log(4))
    assert weight == 1


def test_by_example_it_is_the_mean_over_examples_of_the_mean_over_their_units() -> None:
    losses = UnitLosses(torch.tensor([1.0, 2.0, 6.0]), 4)
    total, weight = weigh_segment(losses, "log-classes", "example", WORDS, [2, 0, 1])
    assert float(total) == pytest.approx((1.5 + 6) / math.log(4))
    assert weight == 2  # a text without words says nothing
    total, weight = weigh_segment(losses, "none", "example", TEXTS, [1, 1, 1])
    assert (float(total), weight) == (9.0, 3)


def test_queries_and_windows_are_examples() -> None:
    target = {"relevance": torch.tensor([0, 1, 0, 0, 0, 2]), "sizes": torch.tensor([2, 2, 2])}
    losses = Pointwise().losses(torch.randn(6, 2), target)
    total, weight = weigh_segment(losses, "none", "example", Pointwise(), [2, 2, 2])
    torch.testing.assert_close(total, losses.values.sum())
    assert weight == 3
    losses = Listwise().losses(torch.randn(6, 1), target)
    assert weigh_segment(losses, "none", "example", Listwise(), [2, 2, 2])[1] == 2  # one has nothing relevant
    target = {"sizes": torch.tensor([3, 4]), "starts": torch.tensor([1, 0]), "ends": torch.tensor([2, 0])}
    losses = StartAndEnd().losses(torch.randn(7, 2), target)
    assert weigh_segment(losses, "none", "example", StartAndEnd(), [3, 4])[1] == 2


@pytest.mark.parametrize("cut", [0, 1, 2, 5])
def test_by_example_it_does_not_matter_how_examples_are_divided(cut: int) -> None:
    torch.manual_seed(0)
    units = [3, 0, 1, 4, 2]
    values = torch.rand(sum(units))
    whole, number = weigh_segment(UnitLosses(values, 9), "log-classes", "example", TOKENS, units)
    first = sum(units[:cut])
    shares = [
        weigh_segment(UnitLosses(part, 9), "log-classes", "example", TOKENS, sizes)
        for part, sizes in ((values[:first], units[:cut]), (values[first:], units[cut:]))
    ]
    torch.testing.assert_close(sum(total for total, _ in shares), whole)
    assert sum(weight for _, weight in shares) == number


def test_nothing_to_learn_is_a_loss_of_0_with_gradients() -> None:
    logits = torch.zeros(0, 5, requires_grad=True)
    losses = TOKENS.losses(logits, {"classes": torch.zeros(0, dtype=torch.int64)})
    total, weight = weigh_segment(losses, "log-classes", "example", TOKENS, [0, 0])
    assert (float(total.detach()), weight) == (0.0, 0)
    total.backward()
    assert logits.grad is not None


def test_an_unknown_average() -> None:
    with pytest.raises(ValueError, match="unknown loss average 'corpora'"):
        weigh_segment(UnitLosses(torch.zeros(1), 2), "none", "corpora", TEXTS, [1])


@pytest.mark.parametrize("average", ["corpus", "example"])
def test_words_of_tags_that_train_lacks_have_no_loss(average: str) -> None:
    """Absent is not zero: the mean is over the words whose tag is known, and a sentence without any does not count."""
    torch.manual_seed(0)
    logits, words = torch.randn(6, 3, requires_grad=True), [3, 2, 1]
    classes = torch.tensor([2, IGNORED, 0, IGNORED, IGNORED, 1])
    losses = WORDS.losses(logits, {"classes": classes})
    total, weight = weigh_segment(losses, "none", average, WORDS, words)
    own = -logits.log_softmax(1)
    first, third = (own[0, 2] + own[2, 0]) / 2, own[5, 1]
    expected, count = ((own[0, 2] + own[2, 0] + own[5, 1]) / 3, 1) if average == "corpus" else (first + third, 2)
    torch.testing.assert_close(total, expected)
    assert weight == count
    assert not torch.autograd.grad(total, logits)[0][1].any()
    unseen = WORDS.losses(logits, {"classes": torch.full((6,), IGNORED)})
    assert (float(losses.any_known), float(unseen.any_known)) == (1, 0)
