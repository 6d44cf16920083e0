"""How much each label of a corpus counts in training: what ``class_weights`` says of the rows that are trained on."""

from __future__ import annotations

import logging

import numpy as np
from torch import Tensor

from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.errors import InputError, nearest

logger = logging.getLogger(__name__)


def find_label_weights(examples: CorpusExamples) -> Tensor | None:
    """The weights, as ``Family.weigh_labels`` gives them; None where all labels count the same. The log shows them.

    Args:
        examples: all that is trained on.

    Raises:
        InputError: a weight of a label that there is not, or none above 0 of labels that occur.
    """
    corpus, labels = examples.items.corpus, examples.items.reading.labels
    given = corpus.class_weights
    if given is None or examples.split.labels is None:
        return None
    factors = None
    if isinstance(given, dict):
        for label in given:
            if label not in labels:
                message = f"corpus {corpus.name!r}: class_weights: unknown label {label!r}{nearest(label, labels)}"
                raise InputError(message, corpus.file, corpus.line)
        factors = np.array([given.get(label, 1.0) for label in labels])
    counts = examples.split.labels.counts(len(labels))
    try:
        weights = examples.items.family.weigh_labels(counts, len(examples.split), factors)
    except ValueError as error:
        raise InputError(f"corpus {corpus.name!r}: class_weights: {error}", corpus.file, corpus.line) from None
    present = weights if weights.dim() == 1 else weights[:, 1]
    shown = ", ".join(f"{label} {weight:.4g}" for label, weight in zip(labels, present.tolist(), strict=True))
    logger.info(f"{corpus.name}: weights of labels: {shown}")
    return weights
