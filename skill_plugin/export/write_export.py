"""Writes what a corpus uses of a trained model in a format of others, and compares it with the trained model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from skill_plugin.api import Model
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.errors import InputError
from skill_plugin.export.examples import choose_examples
from skill_plugin.export.formats import FORMATS
from skill_plugin.export.model_card import Measured, model_card
from skill_plugin.export.parity import compare
from skill_plugin.export.written import Written
from skill_plugin.files.whole_file import faults_named
from skill_plugin.files.whole_folder import whole_folder
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.report.results import CorpusResult
from skill_plugin.store.corpus_store import list_splits

CARD = "README.md"


@dataclass(frozen=True)
class Wish:
    """What is to be exported.

    Attributes:
        format: one of ``FORMATS``.
        dtype: type of the weights, or of its matrices alone, one of the format's.
        data_bin: a data folder with the corpus, for parity on its rows and a score; None for neither.
        rows: the most examples that are compared.
    """

    format: str
    dtype: str
    data_bin: str | None = None
    rows: int = 100


def write_export(trained: Checkpoint, corpus: str, out: Path, wish: Wish) -> Measured:
    """Writes an export; the folder is whole or absent, and absent where it does not give the same.

    Args:
        trained: the trained model.
        corpus: one of its corpora.
        out: a folder that does not exist, or is empty.
        wish: what is to be exported.

    Returns:
        What was measured of it.

    Raises:
        InputError: the format cannot hold the corpus's part of the model, the folder cannot be written, or the
            export gives something else.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError("exists; expected the name of a new folder", out)
    form = FORMATS[wish.format]
    dtypes = (*form.dtypes, *form.quantized)
    if wish.dtype not in dtypes:
        raise InputError(f"--format {wish.format} has no {wish.dtype}; expected {' or '.join(dtypes)}")
    if trained.bundle.is_text_to_text and not form.has_decoder:
        having = " or ".join(name for name, one in FORMATS.items() if one.has_decoder)
        raise InputError(f"--format {wish.format} holds no model that answers with texts; use --format {having}")
    model = Model(trained.bundle, trained.model(), torch.device("cpu"), trained.shares)
    model.labels(corpus)  # refuses an unknown corpus
    with whole_folder(out) as beside:
        with faults_named(out):
            written = form.write(trained, corpus, beside, wish.dtype)
        measured = _measure(model, corpus, out, written, wish)
        card = model_card(trained.bundle, corpus, form.library, written.usage, written.notes, measured)
        with faults_named(out):
            (beside / CARD).write_text(card, encoding="utf-8")
    return measured


def _measure(model: Model, corpus: str, out: Path, written: Written, wish: Wish) -> Measured:
    """What an export gives beside the trained model, and both their scores where the data folder has some.

    Raises:
        InputError: it gives something else.
    """
    examples, split = choose_examples(model, corpus, wish.data_bin, wish.rows)
    parity = compare(model, corpus, written.exported, examples, split, wish.dtype)
    if not parity.good:
        raise InputError(f"not written: {parity.to_line()}", out)
    split, result = _score(model, corpus, wish.data_bin)
    measured = Measured(written.parameters, parity, wish.dtype, split, result)
    if result is None or wish.dtype not in FORMATS[wish.format].quantized or written.scored is None:
        return measured
    again = evaluate(written.scored(model), str(wish.data_bin), split, only=[corpus], verify=False)
    return replace(measured, exported=again.results.corpora[corpus])


def _score(model: Model, corpus: str, data_bin: str | None) -> tuple[str, CorpusResult | None]:
    """The first split that can be scored, and its score."""
    for split in ("test", "valid") if data_bin is not None else ():
        if split in list_splits(str(data_bin), corpus):
            try:
                return split, evaluate(model, str(data_bin), split, only=[corpus]).results.corpora[corpus]
            except InputError:  # nothing to score: a test split without answers
                continue
    return "", None
