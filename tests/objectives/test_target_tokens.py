"""What is learned of texts: the mean cross-entropy of their tokens, over the log of the number of answers."""

import math

import pytest
import torch

from skill_plugin.nn.heads.token_scores import score_tokens
from skill_plugin.objectives.loss_average import weigh_segment
from skill_plugin.objectives.target_tokens import TargetTokens

VOCABULARY, CHOICES = 11, 3


@pytest.fixture
def segment():
    """Logits, right tokens, and the tokens of each of two texts."""
    torch.manual_seed(1)
    return torch.randn(5, VOCABULARY), torch.tensor([4, 2, 7, 8, 2]), [2, 3]


@pytest.mark.parametrize("scaling", ["none", "log-classes"])
def test_a_segment_is_the_mean_over_its_tokens_or_over_its_texts(segment, scaling):
    logits, classes, units = segment
    losses = torch.nn.functional.cross_entropy(logits, classes, reduction="none")
    divisor = math.log(CHOICES) if scaling == "log-classes" else 1.0
    family = TargetTokens(choices=CHOICES)
    found = family.losses(logits, {"classes": classes})
    loss, weight = weigh_segment(found, scaling, "corpus", family, units)
    torch.testing.assert_close(loss, losses.mean() / divisor)
    assert weight == 1
    loss, weight = weigh_segment(found, scaling, "example", family, units)
    torch.testing.assert_close(loss, (losses[:2].mean() + losses[2:].mean()) / divisor)
    assert weight == 2


def test_scores_of_the_right_tokens_alone_give_the_same(segment):
    logits, classes, _ = segment
    family = TargetTokens(choices=CHOICES)
    few = score_tokens(logits, torch.eye(VOCABULARY), torch.zeros(VOCABULARY), classes)
    both = [family.losses(outputs, {"classes": classes}) for outputs in (logits, few)]
    torch.testing.assert_close(both[0].values, both[1].values)
    assert both[0].classes == both[1].classes == CHOICES


def test_divergences_are_of_the_distributions_over_the_vocabulary(segment):
    logits, classes, _ = segment
    noisy = logits + 0.1 * torch.randn_like(logits)
    p, q = logits.softmax(1), noisy.softmax(1)
    found = TargetTokens(choices=CHOICES).divergences(logits, noisy, {"classes": classes})
    torch.testing.assert_close(found, ((p - q) * (p.log() - q.log())).sum(1))
