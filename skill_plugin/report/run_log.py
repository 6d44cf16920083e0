"""What a training run has logged: the lines of ``<save-dir>/log.jsonl``, of which one reads what still counts.

A line is a JSON object, whole or absent, with

- ``event``: ``start``, ``train`` (means since the line before), ``epoch`` (means of an epoch), ``valid``, or ``end``;
- ``update`` and ``epoch``: updates made so far, and the number of the epoch, from 1;
- ``seconds``: time of training so far, over all parts of a run that was stopped and went on;
- ``values`` of train, epoch and valid: numbers by name, ``<corpus>/<number>`` of a corpus; absent is not zero;
- ``subset`` of valid: the split;
- ``time``, ``command`` and ``settings`` of start: when (ISO 8601), the words of the command line, all options;
- ``reason`` of end: the option that ended the run (``max_update``, ``max_epoch``, ``patience``, ``corpus_patience``,
  ``stop_time_hours``, ``stop_min_lr``), ``interrupted``, or ``error`` with its ``message``; and ``best``: the
  ``metric`` that the best checkpoint is chosen by, its ``value`` and the ``update`` (None where nothing was validated);
  and ``spent``: seconds since the last ``start`` in ``training``, ``validation`` and writing ``checkpoints``.

Nothing is ever taken out of the file. A run that goes on begins with a new ``start``, whose ``update`` is that of the
checkpoint: lines of later updates that stand before it are of a part whose work was lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json, read_text

RUN_LOG = "log.jsonl"  # in the folder of a run's checkpoints


def read_run_log(path: Path) -> list[dict[str, Any]]:
    """The lines that count, in order; a last one that is being written is left out.

    A run has ended if the last of them is an ``end``; one that was killed has none.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    *whole, _ = read_text(path).split("\n")
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(whole, 1):
        line = parse_json(text, path, number)
        if not (isinstance(line, dict) and isinstance(line.get("event"), str) and isinstance(line.get("update"), int)):
            raise InputError("expected a line of a run's log, an object with event and update", path, number)
        if line["event"] == "start":
            lines = [earlier for earlier in lines if earlier["update"] <= line["update"]]
        lines.append(line)
    return lines
