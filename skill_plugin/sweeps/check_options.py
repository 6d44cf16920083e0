"""What would fail of runs, before any of them is made: options that ``fairseq-train`` refuses, and splits to score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError, listing
from skill_plugin.pipeline.option_faults import find_option_faults
from skill_plugin.store.corpus_store import list_splits
from skill_plugin.sweeps.planned_run import PlannedRun

_OF_RUN = ("--seed", "--save-dir", "--only-corpora", "--init-from")  # is none of what is looked at


def check_splits(runs: Sequence[PlannedRun], file: Path) -> None:
    """Checks that there is something to score of every split, which is known after training else.

    Args:
        runs: of a sweep.
        file: of the sweep, for messages.

    Raises:
        InputError: no corpus of any run has a split.
    """
    for split in dict.fromkeys(split for run in runs for split in run.splits):
        if not any(split in list_splits(run.data, name) for run in runs for name in run.corpora):
            folders = listing([str(data) for data in dict.fromkeys(run.data for run in runs)])
            raise InputError(f"evaluate: no corpus of the runs has a {split} split in {folders}", file)


def check_options(runs: Sequence[PlannedRun], file: Path) -> None:
    """Checks the options of all runs.

    Args:
        runs: of a sweep.
        file: of the sweep, for messages.

    Raises:
        InputError: the first fault, with the line of the option; or fairseq is not there.
    """
    kinds: dict[tuple[object, ...], PlannedRun] = {}
    for run in runs:
        kinds.setdefault(tuple((name, words) for name, words in run.words.items() if name not in _OF_RUN), run)
    faults = find_option_faults([run.fairseq_words() for run in kinds.values()])
    for run, fault in zip(kinds.values(), faults, strict=True):
        if fault is not None:
            raise InputError(fault.message, file, None if fault.option is None else run.lines.get(fault.option))
