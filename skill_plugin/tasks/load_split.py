"""The corpora of a run that have a split, with answers, as a dataset."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.corpus_examples import corpus_examples
from skill_plugin.errors import InputError, counted
from skill_plugin.spec.sizes import TrainRows
from skill_plugin.store.corpus_store import list_splits
from skill_plugin.store.train_part import count_part
from skill_plugin.tasks.multi_corpus_dataset import MultiCorpusDataset
from skill_plugin.tasks.train_rows import find_train_rows

logger = logging.getLogger(__name__)


def load_split(bundle: Bundle, cfg: Any, split: str, planned: bool) -> MultiCorpusDataset:
    """The split of each corpus; a line of the log says which are left out.

    Args:
        bundle: the run's corpora.
        cfg: the task's configuration.
        split: train, valid or test.
        planned: it is to train on.

    Raises:
        InputError: no corpus has it, or a file of the data folder is at fault.
    """
    corpora, absent = [], []
    splits_of = {name: list_splits(cfg.data, name) for name in bundle.labels}
    trained = [bundle.corpus(name) for name, splits in splits_of.items() if "train" in splits]
    parts = find_train_rows(trained, cfg.train_rows) if planned and split == "train" else {}
    for index, (name, splits) in enumerate(splits_of.items()):
        if not splits:  # of a checkpoint
            absent.append(name)
        if split in splits:
            count = _counting(bundle, name, parts[name]) if name in parts else None
            examples = corpus_examples(bundle, name, cfg.data, split, planned, cfg.seed, not cfg.no_verify, count)
            if examples.left_out is None:
                corpora.append((index, examples))
            else:
                logger.warning(f"{name}: its {split} split {examples.left_out}, left out")
    if absent:
        logger.warning(f"not in {cfg.data}, left out: {', '.join(absent)}")
    if not corpora:
        hint = "" if planned or split.startswith("train") else "; --disable-validation trains without"
        raise InputError(f"no corpus of the run has a {split!r} split with labels{hint}", cfg.data)
    return MultiCorpusDataset(corpora, bundle.reads_token_types, planned)


def _counting(bundle: Bundle, name: str, part: TrainRows) -> Callable[[int], int]:
    """Counts the rows of a part, and says so in the log."""

    def count(rows: int) -> int:
        kept = count_part(bundle.corpus(name), part, rows)
        logger.info(f"{name}: trains on {kept:,} of its {counted(rows, 'row')}")
        return kept

    return count


def scored_splits(datasets: Mapping[str, MultiCorpusDataset]) -> dict[str, MultiCorpusDataset]:
    """The loaded splits that are scored, not trained on."""
    return {split: dataset for split, dataset in datasets.items() if not dataset.planned}


def scored_rows(splits: Mapping[str, MultiCorpusDataset]) -> dict[str, int]:
    """The most examples that each corpus has in one of some splits."""
    rows: dict[str, int] = {}
    for dataset in splits.values():
        for examples in dataset.corpora:
            rows[examples.name] = max(rows.get(examples.name, 0), len(examples))
    return rows
