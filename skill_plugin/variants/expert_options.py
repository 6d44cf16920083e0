"""Options of expert models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from skill_plugin.errors import InputError
from skill_plugin.nn.experts.scales import SCALES
from skill_plugin.options.allowed_values import SIZE, Range
from skill_plugin.options.option import PAPER, Options, option

if TYPE_CHECKING:
    from skill_plugin.variants.catalogue import PublishedModel


def read_layers(text: str) -> tuple[int, ...] | None:
    """What ``--expert-layers`` says: numbers from 0 at the bottom, separated by commas; nothing = all layers.

    Raises:
        InputError: something else.
    """
    if not text.strip():
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--expert-layers {text}: expected numbers from 0, separated by commas, such as 1,3,5")
    return tuple(sorted({int(part) for part in parts}))


def _published(name: str) -> Any:
    """What an expert model was published with, as an attribute of ``Experts``."""
    return lambda variant, size: None if variant.experts is None else getattr(variant.experts, name)


@dataclass(frozen=True)
class ExpertOptions(Options):
    """How an expert model differs from the published one; other variants have no use for it.

    Attributes:
        number: experts of a layer; None = the published number.
        per_token: experts of a token; None = the published number.
        layers: numbers, from 0 at the bottom, of the layers that have experts; None = all, as published.
        scale: what a chosen expert's output is multiplied by, one of ``SCALES``, or ``paper``.
        noise: whether the gate's logits have noise while training.
    """

    title: ClassVar[str] = "experts"

    number: int | None = option(
        "experts", int, None, "experts of a layer", allowed=Range(1, 1024), published=_published("number")
    )
    per_token: int | None = option(
        "experts_per_token", int, None, "experts of a token", allowed=SIZE, published=_published("per_token")
    )
    layers: tuple[int, ...] | None = option(
        "expert_layers",
        str,
        "",
        "layers that have experts, numbers from 0 at the bottom, as 1,3,5 (default: all)",
        read=read_layers,
    )
    scale: str = option(
        "expert_scale",
        str,
        PAPER,
        "what an expert's output is multiplied by. probability: its probability under the gate, about 1/experts at the "
        "start. renormalised: so that a token's add up to 1. rescaled: as probability for the gate's gradient, but the "
        "sum is 1, which keeps the pretrained function",
        choices=(PAPER, *SCALES),
        published=_published("scale"),
    )
    noise: bool = option(
        "gate_noise",
        bool,
        False,
        "while training, the gate's logits have noise of a learned size (Shazeer et al. 2017, equation 4), for models "
        "with one gate",
    )

    def check(
        self, variant: str, variants: Mapping[str, PublishedModel], layers: int, skill_layers: int | None
    ) -> None:
        """Checks that the options fit the variant and one another.

        Args:
            variant: a name of ``variants``.
            variants: all that there are.
            layers: number of the encoder's layers.
            skill_layers: number of skilled layers, as given to ``build_encoder``.

        Raises:
            InputError: they do not.
        """
        published = variants[variant].experts
        if published is None:
            if self != ExpertOptions():
                having = ", ".join(name for name, other in variants.items() if other.experts is not None)
                raise InputError(f"{variant} has no experts: --experts and what belongs to it are for {having}")
            return
        experts = published.with_options(self)
        if not 1 <= experts.per_token <= experts.number:
            raise InputError(
                f"--experts-per-token {experts.per_token}: expected 1 to {experts.number}, the experts of a layer"
            )
        if experts.scale == "renormalised" and experts.per_token == 1 < experts.number:
            raise InputError(
                "--expert-scale renormalised: with one expert a token its weight is always 1, and the gate would not "
                "learn; use probability or rescaled, or --experts-per-token 2"
            )
        if self.noise and not experts.shared_gate:
            having = ", ".join(n for n, v in variants.items() if v.experts is not None and v.experts.shared_gate)
            raise InputError(f"--gate-noise: {variant} has a gate for each corpus; it is for {having}")
        if self.noise and experts.per_token == experts.number:
            raise InputError(f"--gate-noise: nothing to choose, every token goes to all {experts.number} experts")
        if self.layers is not None:
            if skill_layers is not None:
                raise InputError("--expert-layers and --skill-layers say the same of an expert model; give one of them")
            if self.layers[-1] >= layers:
                raise InputError(f"--expert-layers {self.layers[-1]}: expected numbers from 0 to {layers - 1}")
