"""Options of experts against the model that they are for."""

from __future__ import annotations

from skill_plugin.errors import InputError
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.slots import ExpertOptions


def expert_layers(text: str) -> tuple[int, ...] | None:
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


def check_experts(variant: str, options: ExpertOptions, layers: int, skill_layers: int | None) -> None:
    """That the options fit the variant and one another.

    Args:
        variant: a name of ``VARIANTS``.
        options: of its experts.
        layers: of the encoder.
        skill_layers: as given to ``build_encoder``.

    Raises:
        InputError: they do not.
    """
    published = VARIANTS[variant].experts
    if published is None:
        if options != ExpertOptions():
            having = ", ".join(name for name, other in VARIANTS.items() if other.experts is not None)
            raise InputError(f"{variant} has no experts: --experts and what belongs to it are for {having}")
        return
    experts = published.with_options(options)
    if not 1 <= experts.per_token <= experts.number:
        raise InputError(
            f"--experts-per-token {experts.per_token}: expected 1 to {experts.number}, the experts of a layer"
        )
    if experts.scale == "renormalised" and experts.per_token == 1 < experts.number:
        raise InputError(
            "--expert-scale renormalised: with one expert a token its weight is always 1, and the gate would not "
            "learn; use probability or rescaled, or --experts-per-token 2"
        )
    if options.noise and not experts.shared_gate:
        having = ", ".join(n for n, v in VARIANTS.items() if v.experts is not None and v.experts.shared_gate)
        raise InputError(f"--gate-noise: {variant} has a gate for each corpus; it is for {having}")
    if options.noise and experts.per_token == experts.number:
        raise InputError(f"--gate-noise: nothing to choose, every token goes to all {experts.number} experts")
    if options.layers is not None:
        if skill_layers is not None:
            raise InputError("--expert-layers and --skill-layers say the same of an expert model; give one of them")
        if options.layers[-1] >= layers:
            raise InputError(f"--expert-layers {options.layers[-1]}: expected numbers from 0 to {layers - 1}")
