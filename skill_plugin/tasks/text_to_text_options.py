"""What a text-to-text model cannot be trained with."""

from __future__ import annotations

from typing import Any

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.compat.refused_modes import BF16
from skill_plugin.errors import InputError
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS

_TEXTS = "a text-to-text model learns the texts of answers, token by token; leave it out"


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
            raise InputError(
                f"--{mode.replace('_', '-')}: activations of {variant} overflow half precision; use {BF16}"
            )
    if getattr(cfg.criterion, "label_smoothing", 0.0):
        raise InputError(f"--label-smoothing {cfg.criterion.label_smoothing}: {_TEXTS}")


def check_text_to_text_corpora(bundle: Bundle) -> None:
    """Looks at the corpora of a run.

    Raises:
        InputError: a corpus that weighs or smooths its labels.
    """
    for name in bundle.labels if bundle.is_text_to_text else ():
        corpus = bundle.corpus(name)
        for key in ("class_weights", "label_smoothing"):
            if getattr(corpus, key):
                raise InputError(f"corpus {name!r}: {key}: {_TEXTS}", bundle.corpora_path, corpus.line)
