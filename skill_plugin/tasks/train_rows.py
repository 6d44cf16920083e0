"""Which part of its training split each corpus of a run is trained on: its ``train_rows``, or ``--train-rows``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skill_plugin.options.corpus_values import parse_values
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.sizes import TrainRows, read_size


def find_train_rows(trained: Iterable[Corpus], written: str) -> dict[str, TrainRows]:
    """The parts by corpus; a corpus of which all rows are trained on is not there.

    Args:
        trained: the corpora with a train split.
        written: the value of ``--train-rows``.

    Raises:
        InputError: the option cannot be read, or names another corpus.
    """
    form = "CORPUS=PART with a share or a number of rows, as sst=10%,squad=500, or one PART for all"
    corpora = {corpus.name: corpus for corpus in trained}
    whole = _read(written)
    if whole is not None:
        asked = dict.fromkeys(corpora, whole)
    else:
        asked = parse_values(written, corpora, "--train-rows", "has training data", _read, form)
    found = {name: asked.get(name, corpus.train_rows) for name, corpus in corpora.items()}
    return {name: part for name, part in found.items() if part is not None}


def show_train_rows(parts: Mapping[str, TrainRows]) -> list[str]:
    """``name=part`` of each, sorted."""
    return [f"{name}={part}" for name, part in sorted(parts.items())]


def _read(written: str) -> TrainRows | None:
    size = read_size(int(written) if written.isascii() and written.isdigit() else written)
    return None if size is None else TrainRows(size=size)
