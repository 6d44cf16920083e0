"""Options of a training run that do not go with its corpora, as the corpora file tells before there is any data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.metrics.aggregates import group_units, read_average_weights
from skill_plugin.spec.corpora_file import CorporaFile, read_corpora_file
from skill_plugin.spec.names import read_only_corpora
from skill_plugin.store.corpus_store import list_splits
from skill_plugin.tasks.make_corpus_patience import check_corpus_patience
from skill_plugin.tasks.sampling_options import make_sampler
from skill_plugin.tasks.train_rows import find_train_rows


def check_options_of_corpora(cfg: Any) -> None:
    """Looks at the options of a training run; a corpora file that is not there yet says nothing.

    A corpus counts as having a split that the file gives it, or that the data folder has. What is refused would be once
    the data is there.

    Args:
        cfg: fairseq's whole configuration.

    Raises:
        InputError: an option names a corpus that cannot be meant, or asks for one that there is not; or the corpora
            file is at fault.
    """
    task = cfg.task
    if not task.corpora or not Path(task.corpora).is_file():
        return
    file = read_corpora_file(task.corpora, read_only_corpora(task.only_corpora))
    splits = {name: {*corpus.sources, *list_splits(task.data, name)} for name, corpus in file.corpora.items()}
    trained = [corpus for name, corpus in file.corpora.items() if "train" in splits[name]]
    make_sampler(task, trained)
    find_train_rows(trained, task.train_rows)
    averaged = [name for name, corpus in file.corpora.items() if corpus.in_average]
    read_average_weights(task.average_weights, group_units(averaged, file.groups))
    if cfg.dataset.disable_validation:
        return
    if not task.init_from:  # else it may answer for corpora that the run does not train
        untrained = file.untrained([corpus.name for corpus in trained])
        splits = {name: found for name, found in splits.items() if name not in untrained}
    _check_validation(cfg.dataset.valid_subset, splits, file)
    if task.corpus_patience is not None:
        masked = [] if task.mlm_batch_share is None else [one.name for one in trained if kind_named(one.kind).masks]
        validated = [name for name, found in splits.items() if found & set(cfg.dataset.valid_subset.split(","))]
        check_corpus_patience(task.corpus_patience, [corpus.name for corpus in trained], validated, masked)


def _check_validation(subsets: str, splits: dict[str, set[str]], file: CorporaFile) -> None:
    for split in subsets.split(","):
        if not any(split in found for found in splits.values()):
            what = f"no corpus of {file.path} that the run trains has a {split!r} split"
            raise InputError(f"--valid-subset {subsets}: {what}; --disable-validation trains without")
