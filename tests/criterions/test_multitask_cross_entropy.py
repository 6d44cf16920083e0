"""DESIGN, invariant 7: what a segment counts in the loss."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

import skill_plugin.register  # noqa: F401
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.kinds.items import CorpusReading, Items
from skill_plugin.metrics.classification import Classification
from skill_plugin.metrics.corpus_metrics import CorpusMetric, CorpusMetrics
from skill_plugin.models.skill_encoder_output import SkillEncoderOutput
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.objectives.categorical import Categorical
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text_to_text.make_items import make_items

LABELS = {"a": ("x", "y", "z"), "b": ("no", "yes"), "c": tuple("abcdefghij")}
FILE = parse_corpora_file(
    "languages: [en]\ncorpora:\n"
    + "".join(
        f"  {name}: {{kind: classification, language: en, labels: {json.dumps(labels)}, format: tsv, "
        f"columns: {{text_a: 0, label: 1}}, header: false, train: x}}\n"
        for name, labels in LABELS.items()
    ),
    Path("corpora.yaml"),
)


def family_of(name: str) -> Categorical:
    return Categorical()


class Task:
    """What the criterion asks of the task."""

    names: ClassVar = list(LABELS)
    bundle = SimpleNamespace(corpus=FILE.corpora.__getitem__, family=family_of, learned_family=family_of)
    metrics = CorpusMetrics([CorpusMetric(n, Classification("accuracy", len(ls))) for n, ls in LABELS.items()])

    def __init__(self, **weights: list[float]) -> None:
        self.weights = {self.names.index(name): torch.tensor(values) for name, values in weights.items()}

    def label_weights(self, corpus: int) -> Tensor | None:
        return self.weights.get(corpus)

    def items(self, corpus: int) -> Items:
        name = self.names[corpus]
        encoder = TextEncoder(None, Vocabulary(["<s>", "<pad>", "</s>", "<unk>"]), Template(2, token_types=False))
        return make_items(CorpusReading(FILE.corpora[name], LABELS[name], encoder, 128))


TASK: Any = Task()


class Fixed(torch.nn.Module):
    """Gives the logits that it holds."""

    def __init__(self, *logits: Tensor) -> None:
        super().__init__()
        self.logits = torch.nn.ParameterList(logits)

    def forward(self, classes: list[Tensor]) -> SkillEncoderOutput:
        return SkillEncoderOutput(list(self.logits))


def criterion(scaling: str, training: bool = True) -> MultitaskCrossEntropy:
    return MultitaskCrossEntropy(MultitaskCrossEntropyConfig(loss_scaling=scaling), TASK).train(training)


def sample(corpora: list[int], targets: list[list[int]], scored: bool = False) -> dict[str, Any]:
    number = sum(map(len, targets))
    made: dict[str, Any] = {
        "net_input": {},
        "corpora": corpora,
        "corpus_numbers": torch.tensor(corpora),
        "targets": [{"classes": torch.tensor(target)} for target in targets],
        "units": [[1] * len(target) for target in targets],
        "nsentences": number,
        "ntokens": 10 * number,
    }
    if scored:
        made["examples"] = [[example(row, label) for row, label in enumerate(target)] for target in targets]
    return made


def example(row: int, label: int) -> CorpusExample:
    sequence = EncodedSequence(np.array([0, 2]), np.array([0, 0]))
    encoded = EncodedRow((np.zeros(0, np.int32),), arrays={"label": np.array([label], np.int32)})
    return CorpusExample([sequence], {}, row, encoded)


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
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-6)
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
    state = torch.zeros(sum(one.size for one in TASK.metrics), dtype=torch.float64)
    for answers, targets in (([0, 1], [0, 2]), ([2], [2])):
        logits = torch.nn.functional.one_hot(torch.tensor(answers), 3).float()
        _, _, log = criterion("none", training=False)(Fixed(logits), sample([0], [targets], scored=True))
        state += log["metric_state"]
    first = next(iter(TASK.metrics))
    assert first.metric.value(TASK.metrics.part(state.numpy(), 0)) == pytest.approx(2 / 3)


def test_half_precision_logits_are_scored_in_float32() -> None:
    logits = torch.full((1, 2), 100.0, dtype=torch.float16)
    loss, _, _ = criterion("none")(Fixed(logits), sample([1], [[1]]))
    assert loss.dtype == torch.float32
    assert float(loss) == pytest.approx(math.log(2))


@pytest.mark.parametrize("average", ["corpus", "example"])
@pytest.mark.parametrize("scaling", ["none", "log-classes"])
def test_weights_and_smoothing_count_in_what_is_learned_alone(average: str, scaling: str) -> None:
    """Against a loop over units: sums over their number, however they are divided among segments."""
    torch.manual_seed(0)
    weights, smoothing = {"a": [0.5, 2.0, 3.0]}, 0.2
    config = MultitaskCrossEntropyConfig(loss_scaling=scaling, loss_average=average, label_smoothing=smoothing)
    model = Fixed(torch.randn(4, 3), torch.randn(2, 10), torch.randn(1, 3))
    given = sample([0, 2, 0], [[0, 2, 2, 1], [9, 3], [2]])
    loss, size, log = MultitaskCrossEntropy(config, Task(**weights))(model, given)
    segments, plain = [], []
    for logits, targets, corpus in zip(model.logits, given["targets"], (0, 2, 0), strict=True):
        own = weights.get(Task.names[corpus], [1.0] * logits.shape[1])
        scale = 1 / math.log(len(own)) if scaling == "log-classes" else 1.0
        values = []
        for row, right in zip(logits.detach().double().log_softmax(-1), targets["classes"].tolist(), strict=True):
            truth = [smoothing / len(own) + (1 - smoothing) * (c == right) for c in range(len(own))]
            values.append(-scale * sum(t * w * float(x) for t, w, x in zip(truth, own, row, strict=True)))
        segments.append(values)
        plain.append(float(torch.nn.functional.cross_entropy(logits, targets["classes"])))
    expected = sum(map(sum, segments)) if average == "example" else sum(sum(v) / len(v) for v in segments)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-5)
    assert size == (7 if average == "example" else 3)
    assert log["corpus_loss"].tolist() == pytest.approx([plain[0] + plain[2], 0, plain[1]], rel=1e-5)
    evaluated, _, _ = MultitaskCrossEntropy(config, Task(**weights))(model.eval(), given)
    unweighted = MultitaskCrossEntropyConfig(loss_scaling=scaling, loss_average=average)
    assert evaluated.equal(MultitaskCrossEntropy(unweighted, Task())(model, given)[0])


def test_the_balance_loss_is_added_to_the_mean_over_segments() -> None:
    logits, balance = [torch.randn(2, 3), torch.randn(1, 2)], torch.tensor(0.25, requires_grad=True)

    class Balanced(torch.nn.Module):
        def forward(self, classes: list[Tensor]) -> SkillEncoderOutput:
            return SkillEncoderOutput(logits, balance)

    given = sample([0, 1], [[0, 1], [1]])
    plain, _, quiet = criterion("none")(Fixed(*logits), given)
    loss, size, log = criterion("none")(Balanced(), given)
    assert float(loss.detach()) / size == pytest.approx(float(plain.detach()) / size + 0.25)
    assert float(log["balance_loss"]) / size == 0.25
    assert "balance_loss" not in quiet
    loss.backward()
    assert float(balance.grad) == size
