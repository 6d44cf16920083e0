"""``--corpus-patience``: which corpora of a run may be frozen out, and what it needs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from skill_plugin.compat import task_stops
from skill_plugin.errors import InputError
from skill_plugin.sampling.corpus_patience import CorpusPatience

logger = logging.getLogger(__name__)


def make_corpus_patience(
    patience: int, trained: Sequence[str], validated: Collection[str], auxiliary: Collection[str]
) -> CorpusPatience:
    """What watches the scores of a run.

    Args:
        patience: validations without a better score.
        trained: the corpora with a train split.
        validated: the corpora with a validation split.
        auxiliary: the corpora of ``--mlm-batch-share``.

    Raises:
        InputError: no score to go by.
    """
    check_corpus_patience(patience, trained, validated, auxiliary)
    staying = [name for name in trained if name not in validated]
    if staying:
        logger.warning(f"--corpus-patience: without a valid split, never frozen out: {', '.join(staying)}")
    task_stops.install()  # again, for a program that imported the plugin before fairseq's
    return CorpusPatience(patience, trained, auxiliary)


def check_corpus_patience(
    patience: int, trained: Collection[str], validated: Collection[str], auxiliary: Collection[str]
) -> None:
    """Checks that there is a score to go by; arguments and what is raised as for ``make_corpus_patience``."""
    if not set(validated) & (set(trained) - set(auxiliary)):
        but = " but those of --mlm-batch-share" if auxiliary else ""
        raise InputError(f"--corpus-patience {patience}: no corpus{but} has both a train and a valid split")
