"""``multitask_r3f``: cross-entropy, and a penalty on how much noise on the embeddings changes the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.criterions import register_criterion
from fairseq.dataclass import ChoiceEnum
from fairseq.logging import metrics
from torch import Tensor

from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.models.skill_encoder_output import SkillEncoderOutput
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.objectives.draw_noise import NOISES, deviation, draw_noise, noise_seed
from skill_plugin.objectives.loss_scaling import segment_loss
from skill_plugin.options.allowed_values import WEIGHT

R3F_DROPOUTS = ("same", "independent")


@dataclass
class MultitaskR3FConfig(MultitaskCrossEntropyConfig):
    """Options of the criterion."""

    r3f_sigma: float = field(
        default=1e-5,
        metadata={
            "help": "scale of the noise on the token embeddings; 0: no noise, and with the same dropout no second pass",
            "allowed": WEIGHT,
        },
    )
    r3f_lambda: float = field(
        default=0.01,
        metadata={"help": "weight of the divergence that noise causes, added to each unit's loss", "allowed": WEIGHT},
    )
    r3f_noise: ChoiceEnum(list(NOISES)) = field(  # type: ignore[valid-type]
        default="uniform", metadata={"help": "uniform: between -sigma and sigma; normal: of standard deviation sigma"}
    )
    r3f_dropout: ChoiceEnum(R3F_DROPOUTS) = field(  # type: ignore[valid-type]
        default="same",
        metadata={
            "help": "same: both passes drop the same elements, and the divergence is that of the noise. independent: "
            "each drops its own, as two passes of R3F's published code; the divergence is then mostly that of dropout"
        },
    )


@register_criterion("multitask_r3f", dataclass=MultitaskR3FConfig)
class MultitaskR3F(MultitaskCrossEntropy):
    """L_i + lambda KL_S(g(f(x)) || g(f(x + z))), then loss scaling (Aghajanyan et al. 2021, R3F and MUPPET).

    x are the token embeddings, before positions are added and the sum is normalised: normalisation divides noise and
    embeddings alike. Both passes are one pack, and f is the same in both: they are dropped the same elements, so that
    the divergence is that of the noise. With ``--r3f-dropout independent`` f differs by its dropout, as in the
    published code, whose two passes draw one after the other: the divergence is then mostly that of dropout, and
    without noise it is R-Drop's (Wu et al. 2021). The experts are those of the pass without noise in any case.
    Validation is that of ``multitask_cross_entropy``, without noise or penalty. Weights of labels are of L_i: the
    divergence, which knows no label, has none.

    Beside the logging outputs of ``multitask_cross_entropy``, of the pass without noise, there is ``corpus_kl`` [K]: of
    each corpus the sum over its segments of their mean divergence, neither weighted nor scaled.
    """

    def __init__(self, cfg: MultitaskR3FConfig, task: Any) -> None:
        super().__init__(cfg, task)
        self.sigma, self.weight, self.noise = float(cfg.r3f_sigma), float(cfg.r3f_lambda), str(cfg.r3f_noise)
        self.same_dropout = str(cfg.r3f_dropout) == "same"

    def forward(
        self, model: torch.nn.Module, sample: Mapping[str, Any], reduce: bool = True
    ) -> tuple[Tensor, int, dict[str, Any]]:
        """As ``MultitaskCrossEntropy.forward``.

        The noise depends on ``sample["update"]`` too, the number of updates before this one.
        """
        if not model.training:
            return super().forward(model, sample, reduce)
        if self.sigma == 0 and self.same_dropout:
            loss, size, log = super().forward(model, sample, reduce)
            log["corpus_kl"] = torch.zeros_like(log["corpus_loss"])
            return loss, size, log
        batch = PackedBatch(**sample["net_input"])
        doubled, options = with_noisy_copy(batch, *self.draw(sample, batch), self.same_dropout)
        # the scores of all pieces are compared, so that the right ones are not told
        outputs = model(options, **doubled.as_keywords())
        count, families = len(batch.segments), self.families_of(sample)
        divergences = [
            family.divergences(clean, noisy, target) / outputs.magnification.square()
            for family, clean, noisy, target in zip(
                families, outputs.answers[:count], outputs.answers[count:], sample["targets"], strict=True
            )
        ]
        clean = SkillEncoderOutput(outputs.answers[:count], outputs.balance)
        losses = self.losses(sample, clean)
        both = list(zip(losses, divergences, strict=True))
        learned = zip(self.learned(sample, clean, losses), divergences, strict=True)
        penalised = [one._replace(values=one.values + self.weight * divergence) for one, divergence in learned]
        loss, size, log = self.score(sample, clean, losses, penalised)
        means = [segment_loss(one._replace(values=divergence.detach()), "none") for one, divergence in both]
        log["corpus_kl"] = self.by_corpus(sample, torch.stack(means))
        return loss, size, log

    def draw(self, sample: Mapping[str, Any], batch: PackedBatch) -> tuple[Tensor, float]:
        """The noise of a sample's tokens [N, D], and its standard deviation."""
        seed = noise_seed(self.task.cfg.seed, sample.get("update", 0), sample["id"].tolist())
        shape = (len(batch.tokens), self.task.bundle.shape.width)
        return draw_noise(self.noise, self.sigma, shape, seed, batch.tokens.device), deviation(self.noise, self.sigma)

    @staticmethod
    def reduce_metrics(logging_outputs: list[dict[str, Any]]) -> None:
        """The mean loss, as the optimizer sees it, and the mean over segments of their divergence."""
        MultitaskCrossEntropy.reduce_metrics(logging_outputs)
        if any(output.get("sample_size", 0) for output in logging_outputs) and "corpus_kl" in logging_outputs[0]:
            segments = sum(float(output["corpus_segments"].sum()) for output in logging_outputs)
            divergence = sum(output["corpus_kl"].sum() for output in logging_outputs)
            if segments:
                metrics.log_scalar("kl", divergence / segments, segments)
