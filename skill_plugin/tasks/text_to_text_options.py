"""What a text-to-text model cannot be trained with."""

from __future__ import annotations

from typing import Any

from skill_plugin.compat.refused_modes import BF16
from skill_plugin.errors import InputError
from skill_plugin.options.flag import flag_of
from skill_plugin.text.answer_targets import LEARNS_TEXTS
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS


def check_text_to_text_options(cfg: Any) -> None:
    """Looks at the options of a training run.

    Args:
        cfg: fairseq's whole configuration, with an architecture of this plugin.

    Raises:
        InputError: half precision, in which T5's activations overflow, or smoothing of labels.
    """
    variant, _ = ARCHITECTURES[cfg.model._name]
    if MODELS[variant].has_heads:
        return
    for mode in ("memory_efficient_fp16", "fp16"):  # the first sets the second as well
        if getattr(cfg.common, mode):
            raise InputError(f"{flag_of(mode)}: activations of {variant} overflow half precision; use {BF16}")
    if getattr(cfg.criterion, "label_smoothing", 0.0):
        raise InputError(f"--label-smoothing {cfg.criterion.label_smoothing}: {LEARNS_TEXTS}")
