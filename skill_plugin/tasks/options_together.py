"""Options of a training run that do not go together, whatever its corpora are."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.models.skill_encoder_config import written_in
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.freezing import OLD
from skill_plugin.variants.model_options import ModelOptions
from skill_plugin.variants.model_shape import ModelShape, make_shape


def check_together(cfg: Any) -> None:
    """Looks at the options of a training run.

    Args:
        cfg: fairseq's whole configuration, with an architecture of this plugin.

    Raises:
        InputError: the first one that does not go with another.
    """
    _check_model(cfg.task, cfg.model)
    count = cfg.task.corpora_per_batch
    if count > 1 and str(cfg.task.corpus_sampling) == "uncertainty":
        raise InputError(
            f"--corpora-per-batch {count}: --sampling uncertainty chooses every batch from all corpora; leave it out"
        )
    if cfg.task.keep_best_per_corpus:
        _check_keeping(cfg)
    if cfg.task.corpus_patience is not None and cfg.dataset.disable_validation:
        raise InputError(
            f"--corpus-patience {cfg.task.corpus_patience} needs validation; leave out --disable-validation"
        )


def check_max_length(max_length: int, shape: ModelShape) -> None:
    """Checks that a model has positions for sequences of this length.

    Raises:
        InputError: it has not.
    """
    if max_length > shape.positions:
        raise InputError(f"--max-length {max_length}: the encoder has positions for {shape.positions} tokens")


def _check_model(task: Any, model: Any) -> None:
    variant, size = ARCHITECTURES[model._name]
    written = written_in(model)
    options = ModelOptions.of(MODELS[variant], written)
    shape = make_shape(size, vocabulary=1, **EncoderShape.read_fields(written))
    if not task.init_from:
        if options.lora.rank:
            raise InputError(
                f"--lora-rank {options.lora.rank}: goes with --init-from, the encoder or checkpoint that is adapted"
            )
        if options.freeze == OLD:
            raise InputError(f"--freeze {OLD}: goes with --init-from, whose weights are the old ones")
        check_max_length(task.max_length, shape)
    elif isinstance(shape, EncoderShape):
        shape = replace(shape, positions=sys.maxsize)  # it says how many there are
    options.check_model(variant, MODELS, shape)


def _check_keeping(cfg: Any) -> None:
    """Checks that ``--keep-best-per-corpus`` has scores to go by and files to keep."""
    options = {
        "--disable-validation": cfg.dataset.disable_validation,
        "--no-save": cfg.checkpoint.no_save,
        "--no-last-checkpoints": cfg.checkpoint.no_last_checkpoints,
        "--write-checkpoints-asynchronously": cfg.checkpoint.write_checkpoints_asynchronously,
    }
    for option, given in options.items():
        if given:
            raise InputError(f"--keep-best-per-corpus does not work with {option}; leave out one of them")
