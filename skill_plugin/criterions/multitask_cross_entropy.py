"""``multitask_cross_entropy``: the mean of the segments' or the examples' losses, scaled for their classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.logging import metrics
from torch import Tensor

from skill_plugin.data.score_examples import score_examples
from skill_plugin.kinds.registry import kind_named
from skill_plugin.models.skill_encoder_output import SkillEncoderOutput
from skill_plugin.objectives.emphasis import Emphasis
from skill_plugin.objectives.family import Family, UnitLosses, segments_with_loss
from skill_plugin.objectives.loss_average import LOSS_AVERAGES, weigh_segment
from skill_plugin.objectives.loss_scaling import LOSS_SCALINGS, segment_loss
from skill_plugin.options.allowed_values import DROPOUT
from skill_plugin.spec.corpus import Corpus


@dataclass
class MultitaskCrossEntropyConfig(FairseqDataclass):
    """Options of the criterion."""

    loss_scaling: ChoiceEnum(LOSS_SCALINGS) = field(  # type: ignore[valid-type]
        default="none", metadata={"help": "log-classes: a segment's loss is divided by log C (SkillNet-X, equation 8)"}
    )
    loss_average: ChoiceEnum(LOSS_AVERAGES) = field(  # type: ignore[valid-type]
        default="corpus",
        metadata={
            "help": "corpus: an update's loss is the mean over its segments (each draw of a corpus is one) of the mean "
            "over their units. example: the mean over its examples (texts, queries, windows) of the mean over theirs"
        },
    )
    label_smoothing: float = field(
        default=0.0,
        metadata={
            "help": "share of the truth that is spread evenly over all labels while training, for corpora with labels "
            "whose label_smoothing does not say otherwise",
            "allowed": DROPOUT,
        },
    )


@register_criterion("multitask_cross_entropy", dataclass=MultitaskCrossEntropyConfig)
class MultitaskCrossEntropy(FairseqCriterion):
    """A segment's loss is the mean over its own units; an update is the mean over its segments, or over its examples.

    Weights of labels and smoothing belong to what is learned from. The loss that is logged of each corpus, and all of
    validation, are without them, and so compare between runs.

    The logging outputs have the same keys and shapes in every step, whatever the pack holds, since ranks add them up:
    ``corpus_loss`` and ``corpus_segments`` [K] over the run's K corpora, of the segments that have a loss, when
    validating ``metric_state``, the corpora's metric states end to end, and when training ``balance_loss``, where the
    gates of experts have losses.
    """

    def __init__(self, cfg: MultitaskCrossEntropyConfig, task: Any) -> None:
        super().__init__(task)
        self.scaling, self.average = str(cfg.loss_scaling), str(cfg.loss_average)
        self.families = [task.bundle.family(name) for name in task.names]
        self.learned_families = [task.bundle.learned_family(name) for name in task.names]
        self.smoothing = [_smoothing(task.bundle.corpus(name), cfg.label_smoothing) for name in task.names]
        self._emphases: dict[int, Emphasis | None] = {}

    def forward(
        self, model: torch.nn.Module, sample: Mapping[str, Any], reduce: bool = True
    ) -> tuple[Tensor, int, dict[str, Any]]:
        """Sum of the segments' shares of the loss, their weight, and what to log."""
        outputs = model(**self.inputs(sample))
        losses = self.losses(sample, outputs)
        learned = self.learned(sample, outputs, losses) if model.training else losses
        return self.score(sample, outputs, losses, learned)

    def losses(self, sample: Mapping[str, Any], outputs: SkillEncoderOutput) -> list[UnitLosses]:
        """The losses of the units of each segment."""
        segments = zip(self.families_of(sample), outputs.answers, sample["targets"], strict=True)
        return [family.losses(output, target) for family, output, target in segments]

    def families_of(self, sample: Mapping[str, Any]) -> list[Family]:
        """What the outputs of each segment stand for, which text to text learns otherwise than it answers."""
        families = self.families if "examples" in sample else self.learned_families
        return [families[corpus] for corpus in sample["corpora"]]

    def learned(
        self, sample: Mapping[str, Any], outputs: SkillEncoderOutput, losses: Sequence[UnitLosses]
    ) -> Sequence[UnitLosses]:
        """The losses of the units of each segment as their corpora emphasise them; as they are, where none does."""
        emphases = [self.emphasis(corpus, losses[0].values.device) for corpus in sample["corpora"]]
        if not any(emphases):
            return losses
        segments = zip(self.families_of(sample), outputs.answers, sample["targets"], emphases, losses, strict=True)
        return [
            plain if emphasis is None else family.learned_losses(output, target, emphasis)
            for family, output, target, emphasis, plain in segments
        ]

    def emphasis(self, corpus: int, device: torch.device) -> Emphasis | None:
        """How one of the run's corpora emphasises its labels; None where it does not."""
        if corpus not in self._emphases:
            weights, smoothing = self.task.label_weights(corpus), self.smoothing[corpus]
            if weights is not None:
                weights = weights.to(device)  # once a run
            self._emphases[corpus] = None if weights is None and not smoothing else Emphasis(weights, smoothing)
        return self._emphases[corpus]

    def score(
        self,
        sample: Mapping[str, Any],
        outputs: SkillEncoderOutput,
        losses: Sequence[UnitLosses],
        penalised: Sequence[UnitLosses],
    ) -> tuple[Tensor, int, dict[str, Any]]:
        """What ``forward`` gives.

        Args:
            sample: as for ``forward``.
            outputs: one answer for each of its segments.
            losses: losses of their units, to be logged.
            penalised: the losses that are learned from, with what is emphasised and a penalty.
        """
        shares = [
            weigh_segment(one, self.scaling, self.average, family, numbers)
            for one, family, numbers in zip(penalised, self.families_of(sample), sample["units"], strict=True)
        ]
        if penalised is losses and self.scaling == "none" and self.average == "corpus":
            means = [share.detach() for share, _ in shares]
        else:
            with torch.no_grad():
                means = [segment_loss(one, "none") for one in losses]
        loss, weight = torch.stack([share for share, _ in shares]).sum(), sum(weight for _, weight in shares)
        balance = None if outputs.balance is None else outputs.balance * weight
        if balance is not None:
            loss = loss + balance
        logging_output: dict[str, Any] = {
            "loss": loss.detach(),
            "sample_size": weight,
            "nsentences": sample["nsentences"],
            "ntokens": sample["ntokens"],
            "corpus_loss": self.by_corpus(sample, torch.stack(means)),
            "corpus_segments": self.by_corpus(sample, segments_with_loss(losses)),
        }
        if balance is not None:
            logging_output["balance_loss"] = balance.detach()
        if "examples" in sample:
            metrics_now = self.task.metrics
            state = metrics_now.empty()
            segments = zip(sample["corpora"], outputs.answers, sample["targets"], sample["examples"], strict=True)
            for corpus, output, target, examples in segments:
                items = self.task.items(corpus)
                reduced = items.reduce(output.detach(), target).float()
                metrics_now.count(state, corpus, *score_examples(items, reduced.cpu(), examples))
                if metrics_now.metrics[corpus].calibration is not None:
                    sure = self.families[corpus].confidences(reduced, target)
                    metrics_now.count_confidences(state, corpus, *(one.cpu().numpy() for one in sure))
            logging_output["metric_state"] = torch.from_numpy(state)
        return loss, weight, logging_output

    def by_corpus(self, sample: Mapping[str, Any], values: Tensor) -> Tensor:
        """Sums of a number of each segment, over the segments of each of the run's corpora: [K]."""
        return values.new_zeros(len(self.families)).index_add(0, sample["corpus_numbers"], values)

    def inputs(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """What the model reads; with the right pieces of masked tokens it need not keep the scores of all pieces."""
        return {**sample["net_input"], "classes": [target.get("classes") for target in sample["targets"]]}

    @staticmethod
    def reduce_metrics(logging_outputs: list[dict[str, Any]]) -> None:
        """The mean loss over segments or examples, natural logarithm, as the optimizer sees it."""
        weight = sum(output.get("sample_size", 0) for output in logging_outputs)
        if weight:
            loss = sum(output.get("loss", 0) for output in logging_outputs)
            metrics.log_scalar("loss", loss / weight, weight, round=5)
            if "balance_loss" in logging_outputs[0]:
                balance = sum(output["balance_loss"] for output in logging_outputs)
                metrics.log_scalar("balance_loss", balance / weight, weight, round=5)

    @staticmethod
    def logging_outputs_can_be_summed() -> bool:
        """All values are numbers or tensors of one shape."""
        return True


def _smoothing(corpus: Corpus, smoothing: float) -> float:
    """What a corpus says, or else the option, which is for corpora with labels."""
    if "label_smoothing" not in kind_named(corpus.kind).options:
        return 0.0
    return smoothing if corpus.label_smoothing is None else corpus.label_smoothing
