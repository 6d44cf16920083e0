"""How the exported model of a corpus answers."""

from __future__ import annotations

from dataclasses import replace

from skill_plugin.kinds.export_task import ExportTask
from skill_plugin.kinds.items import CorpusReading
from skill_plugin.kinds.registry import kind_named


def task_of(reading: CorpusReading) -> ExportTask:
    """What the corpus's kind says, with the corpus's temperature in the unit of the outputs.

    Raises:
        InputError: the kind is not exported.
    """
    task, degree = kind_named(reading.corpus.kind).export_task(reading), reading.calibration.temperature
    return replace(task, unit=task.unit / degree, zero=task.zero / degree)
