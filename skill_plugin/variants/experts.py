"""What an expert model is beside its gates: how many experts, how many for a token, and how they are weighted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.options.option import PAPER
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.slots import Slots, dense_slots


@dataclass(frozen=True)
class Experts:
    """One layer's experts.

    Attributes:
        number: E, experts of the layer.
        per_token: k, experts that a token goes to.
        scale: one of ``nn.experts.scales.SCALES``.
        shared_gate: whether all corpora share one gate, rather than having one each.
        noise: whether the gate's logits have noise while training.
    """

    number: int
    per_token: int
    scale: str
    shared_gate: bool = True
    noise: bool = False

    def with_options(self, options: ExpertOptions) -> Experts:
        """The published model's experts, changed where an option says so."""
        number = self.number if options.number is None else options.number
        return replace(
            self,
            number=number,
            per_token=min(self.per_token, number) if options.per_token is None else options.per_token,
            scale=self.scale if options.scale == PAPER else options.scale,
            noise=options.noise,
        )


def expert_slots(shape: EncoderShape, experts: Experts, gates: tuple[str, ...] = ()) -> Slots:
    """Experts in the feed-forward slot, with one shared gate unless gates are named."""
    return replace(
        dense_slots(shape),
        feed_forward=lambda: ExpertFeedForward(
            shape.width, shape.inner, experts.number, experts.per_token, experts.scale, gates, experts.noise
        ),
    )
