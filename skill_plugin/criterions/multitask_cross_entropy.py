"""``multitask_cross_entropy``: the mean of the segments' or the examples' losses, scaled for their classes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.logging import metrics
from torch import Tensor

from skill_plugin.data.score_examples import score_examples
from skill_plugin.models.outputs import Outputs
from skill_plugin.objectives.loss_average import LOSS_AVERAGES, segment_share
from skill_plugin.objectives.loss_scaling import LOSS_SCALINGS, segment_loss


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


@register_criterion("multitask_cross_entropy", dataclass=MultitaskCrossEntropyConfig)
class MultitaskCrossEntropy(FairseqCriterion):
    """A segment's loss is the mean over its own units; an update is the mean over its segments, or over its examples.

    The logging outputs have the same keys and shapes in every step, whatever the pack holds, since ranks add them up:
    ``corpus_loss`` and ``corpus_segments`` [K] over the run's K corpora, of the segments that have a loss, when
    validating ``metric_state``, the corpora's metric states end to end, and when training ``balance_loss``, where the
    gates of experts have losses.
    """

    def __init__(self, cfg: MultitaskCrossEntropyConfig, task: Any) -> None:
        super().__init__(task)
        self.scaling, self.average = str(cfg.loss_scaling), str(cfg.loss_average)
        self.families = [task.bundle.family(name) for name in task.names]

    def forward(
        self, model: torch.nn.Module, sample: dict[str, Any], reduce: bool = True
    ) -> tuple[Tensor, int, dict[str, Any]]:
        """Sum of the segments' shares of the loss, their weight, and what to log."""
        return self.score(sample, model(**self.inputs(sample)))

    def score(
        self, sample: dict[str, Any], outputs: Outputs, penalties: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, int, dict[str, Any]]:
        """The losses of outputs, as ``forward`` gives them.

        Args:
            sample: as for ``forward``.
            outputs: one answer for each of its segments.
            penalties: for each segment what is added to the loss of each unit [U], before it is scaled.
        """
        segments = list(zip(sample["corpora"], outputs.answers, sample["targets"], strict=True))
        units = [self.families[corpus].losses(output, target) for corpus, output, target in segments]
        penalised = units
        if penalties is not None:
            penalised = [u._replace(values=u.values + penalty) for u, penalty in zip(units, penalties, strict=True)]
        shares = [
            segment_share(one, self.scaling, self.average, self.families[corpus], numbers)
            for one, (corpus, _, _), numbers in zip(penalised, segments, sample["units"], strict=True)
        ]
        loss, weight = torch.stack([share for share, _ in shares]).sum(), sum(weight for _, weight in shares)
        balance = None if outputs.balance is None else outputs.balance * weight
        if balance is not None:
            loss = loss + balance

        index = torch.tensor([corpus for corpus, _, _ in segments])
        empty = torch.zeros(len(self.families), dtype=torch.float64)
        unscaled = torch.stack([segment_loss(one, "none") for one in units]).detach().float()
        known = torch.stack([one.any_known for one in units])
        logging_output: dict[str, Any] = {
            "loss": loss.detach(),
            "sample_size": weight,
            "nsentences": sample["nsentences"],
            "ntokens": sample["ntokens"],
            "corpus_loss": empty.to(loss.device, torch.float32).index_add(0, index.to(loss.device), unscaled),
            "corpus_segments": empty.to(loss.device).index_add(0, index.to(loss.device), known),
        }
        if balance is not None:
            logging_output["balance_loss"] = balance.detach()
        if "examples" in sample:
            metrics_now = self.task.metrics
            state = metrics_now.empty()
            for (corpus, output, target), examples in zip(segments, sample["examples"], strict=True):
                items = self.task.items(corpus)
                reduced = items.reduce(output.detach(), target).float().cpu()
                metrics_now.count(state, corpus, *score_examples(items, reduced, examples))
            logging_output["metric_state"] = torch.from_numpy(state)
        return loss, weight, logging_output

    def inputs(self, sample: dict[str, Any]) -> dict[str, Any]:
        """What the model reads. Of masked pieces it needs to know the right ones, so as not to score all of them."""
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
