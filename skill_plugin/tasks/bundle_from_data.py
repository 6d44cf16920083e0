"""What a training run starts from: corpora file, data folder and pretrained encoder, brought together in a bundle."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.fit_to_data import fit_to_data
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.checkpoints.old_corpora import find_untrained
from skill_plugin.errors import InputError
from skill_plugin.metrics.aggregates import group_units, read_average_weights
from skill_plugin.models.skill_encoder import parse_architecture
from skill_plugin.models.skill_encoder_config import written_in
from skill_plugin.spec.corpora_file import CorporaFile, read_corpora_file
from skill_plugin.spec.names import read_only_corpora
from skill_plugin.store.corpus_store import (
    list_corpora,
    list_splits,
    read_corpus_facts,
    read_corpus_labels,
)
from skill_plugin.tasks.options_together import check_max_length
from skill_plugin.tasks.sampling_options import make_sampler
from skill_plugin.variants.catalogue import MODELS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.model_options import ModelOptions
from skill_plugin.variants.model_shape import fit_to_pretrained, make_shape

logger = logging.getLogger(__name__)


def bundle_from_data(task: Any, model: Any, initial: InitialWeights | None) -> tuple[Bundle, InitialWeights | None]:
    """The bundle of a new run, and what it starts from, with the rows of the data folder's pieces only.

    Args:
        task: options of the task.
        model: options of the model; its name is the architecture.
        initial: what ``--init-from`` names.

    Raises:
        InputError: the corpora file, the data folder and the encoder are at fault or do not fit one another.
    """
    if not task.corpora:
        raise InputError("--corpora FILE is needed: the corpora file names skills, languages and labels")
    if not Path(task.data).is_dir():
        raise InputError("no such data folder: `skill-plugin prepare` writes it", task.data)
    written = written_in(model)
    variant, size = parse_architecture(model._name)
    options = ModelOptions.of(MODELS[variant], written)
    file = read_corpora_file(task.corpora, read_only_corpora(task.only_corpora))
    known = {} if initial is None or initial.bundle is None else initial.bundle.labels
    names = _present(file, task.data, known, chosen=bool(task.only_corpora))
    make_sampler(task, [file.corpora[name] for name in names if "train" in list_splits(task.data, name)])
    text, initial = fit_to_data(task.data, names, initial, verify=not task.no_verify)
    text = text.read_by(text_to_text=not MODELS[variant].has_heads)
    types = 2 if text.template.token_types else 0
    shape = make_shape(size, len(text.vocabulary), types, **EncoderShape.read_fields(written))
    if initial is not None:
        shape = fit_to_pretrained(shape, initial.shape, model._name, initial.file)
    check_max_length(task.max_length, shape)
    prefixed = initial is not None and initial.bundle is not None and initial.bundle.prefixed

    def make(names: Sequence[str]) -> Bundle:
        return Bundle(
            variant=variant,
            shape=shape,
            corpora_text=file.text,
            corpora_path=str(file.path),
            labels={name: read_corpus_labels(task.data, file.corpora[name]) for name in names},
            facts={name: read_corpus_facts(task.data, file.corpora[name]) for name in names},
            max_length=task.max_length,
            text=text.to_state(),
            prefixed=prefixed or len({file.corpora[name].prefix for name in names} - {""}) > 1,
            **vars(options),
        )

    bundle = make(names)
    if unfit := _unfit(bundle, task.data, initial):
        bundle = make([name for name in names if name not in unfit])
    averaged = group_units((metric.corpus for metric in bundle.metrics() if metric.in_average), file.groups)
    weights = read_average_weights(task.average_weights, averaged)
    return replace(bundle, average_weights=weights), initial


def _present(file: CorporaFile, data: str, known: Collection[str], chosen: bool) -> list[str]:
    """The corpora that both the file and the data folder have, and that the run trains or may know; others are named.

    Args:
        known: the corpora of the checkpoint that the run starts from.
        chosen: whether those of the file were, so that others are left out by intention.
    """
    names = [name for name in file.corpora if list_splits(data, name)]
    absent = [name for name in file.corpora if name not in names]
    extra = [name for name in list_corpora(data) if name not in file.corpora]
    if absent:
        logger.warning(f"not in {data}, left out: {', '.join(absent)}")
    if extra:
        level = logging.INFO if chosen else logging.WARNING
        logger.log(level, f"in {data} but not among the corpora of this run, left out: {', '.join(extra)}")
    untrained = _untrained(file, data, names)
    if len(untrained) == len(names):
        raise InputError(f"no corpus of {file.path} has a train split in this folder", data)
    left_out = [name for name in untrained if name not in known]
    if left_out:
        logger.warning(f"no train split and no corpus to share a head with, left out: {', '.join(left_out)}")
    return [name for name in names if name not in left_out]


def _untrained(file: CorporaFile, data: str, names: Iterable[str]) -> list[str]:
    """Those whose heads no corpus is there to train."""
    untrained = file.untrained([name for name in names if "train" in list_splits(data, name)])
    return [name for name in names if name in untrained]


def _unfit(bundle: Bundle, data: str, initial: InitialWeights | None) -> list[str]:
    """Corpora that the run does not train and that what it starts from does not answer for either; they are told."""
    if initial is None or initial.bundle is None:
        return []
    found = {
        name: find_untrained(bundle, name, initial.bundle) for name in _untrained(bundle.spec, data, bundle.labels)
    }
    for name, fault in found.items():
        if fault is not None:
            logger.warning(f"no train split, left out: {name}, since {initial.file} has {fault}")
    return [name for name, fault in found.items() if fault is not None]
