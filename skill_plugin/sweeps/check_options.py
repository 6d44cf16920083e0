"""What ``fairseq-train`` says of the options of runs, before any of them is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.pipeline.option_faults import find_option_faults
from skill_plugin.sweeps.planned_run import PlannedRun

_OF_RUN = ("--seed", "--save-dir", "--only-corpora", "--init-from")  # is none of what is looked at


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
