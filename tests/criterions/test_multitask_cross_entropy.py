"""DESIGN, invariant 7: what a segment counts in the loss."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

import skill_plugin.register  # noqa: F401
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics

TASK: Any = SimpleNamespace(
    metrics=CorpusMetrics(
        [
            CorpusMetric("a", "accuracy", ("x", "y", "z"), None),
            CorpusMetric("b", "accuracy", ("no", "yes"), None),
            CorpusMetric("c", "accuracy", tuple("abcdefghij"), None),
        ]
    )
)


class Fixed(torch.nn.Module):
    """Gives the logits that it holds."""

    def __init__(self, *logits: Tensor) -> None:
        super().__init__()
        self.logits = torch.nn.ParameterList(logits)

    def forward(self) -> list[Tensor]:
        return list(self.logits)


def criterion(scaling: str, training: bool = True) -> MultitaskCrossEntropy:
    return MultitaskCrossEntropy(MultitaskCrossEntropyConfig(loss_scaling=scaling), TASK).train(training)


def sample(corpora: list[int], targets: list[list[int]]) -> dict[str, Any]:
    number = sum(map(len, targets))
    return {
        "net_input": {},
        "corpora": corpora,
        "targets": [torch.tensor(target) for target in targets],
        "nsentences": number,
        "ntokens": 10 * number,
    }


@pytest.mark.parametrize("scaling", ["none", "log-classes"])
def test_the_loss_is_the_sum_of_scaled_means_over_segments(scaling: str) -> None:
    torch.manual_seed(0)
    model = Fixed(torch.randn(7, 10), torch.randn(2, 3))
    loss, size, log = criterion(scaling)(model, sample([2, 0], [[0, 9, 3, 3, 1, 2, 5], [2, 0]]))
    loss.backward()
    expected, gradients = 0.0, []
    for logits, targets, classes in ((model.logits[0], [0, 9, 3, 3, 1, 2, 5], 10), (model.logits[1], [2, 0], 3)):
        scale = 1 / math.log(classes) if scaling == "log-classes" else 1.0
        values = logits.detach().double()
        mean = sum(-values[i].log_softmax(-1)[t] for i, t in enumerate(targets)) / len(targets)
        expected += scale * float(mean)
        one_hot = torch.nn.functional.one_hot(torch.tensor(targets), classes)
        gradients.append(scale * (values.softmax(-1) - one_hot) / len(targets))
    assert float(loss) == pytest.approx(expected, rel=1e-6)
    assert size == log["sample_size"] == 2
    for parameter, gradient in zip(model.logits, gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient.float())
    assert log["corpus_segments"].tolist() == [1, 0, 1]
    assert "metric_state" not in log


def test_uniform_logits_cost_1_whatever_the_number_of_classes() -> None:
    for corpus, classes in enumerate((3, 2, 10)):
        loss, _, _ = criterion("log-classes")(Fixed(torch.zeros(4, classes)), sample([corpus], [[0, 1, 0, 1]]))
        assert float(loss) == pytest.approx(1.0)


def test_metric_states_add_up() -> None:
    state = torch.zeros(9 + 4 + 100, dtype=torch.float64)
    for answers, targets in (([0, 1], [0, 2]), ([2], [2])):
        logits = torch.nn.functional.one_hot(torch.tensor(answers), 3).float()
        _, _, log = criterion("none", training=False)(Fixed(logits), sample([0], [targets]))
        state += log["metric_state"]
    first = next(iter(TASK.metrics))
    assert first.value(TASK.metrics.part(state.numpy(), 0)) == pytest.approx(2 / 3)


def test_half_precision_logits_are_scored_in_float32() -> None:
    logits = torch.full((1, 2), 100.0, dtype=torch.float16)
    loss, _, _ = criterion("none")(Fixed(logits), sample([1], [[1]]))
    assert loss.dtype == torch.float32
    assert float(loss) == pytest.approx(math.log(2))
