"""The format jsonl: one JSON object a line."""

from __future__ import annotations

import json
from typing import Any

from skill_plugin.files.repeated_keys import mark_repeated
from skill_plugin.readers.json_values import make_rows
from skill_plugin.readers.row import BadRow, RowStream, Wanted
from skill_plugin.readers.text_lines import Line, read_lines
from skill_plugin.spec.corpus import Corpus, RawFiles


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of a JSON lines file.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the file cannot be decoded from some line on.
    """
    for line in read_lines(origin.file, corpus.encoding, returns_are_space=True):
        value = parse_line(line)
        if isinstance(value, BadRow):
            yield value
        else:
            yield from make_rows(corpus, line.number, value, wanted)


def parse_line(line: Line) -> Any:
    """Parses a line of a JSON lines file.

    Returns:
        The JSON value, with ``SeveralValues`` under keys that an object has more than once, or a BadRow that says why
        there is none.
    """
    if line.problem is not None:
        return BadRow(line.number, *line.problem)
    if not line.text.strip():
        return BadRow(line.number, "blank line", "a blank line; expected a JSON object")
    try:
        return json.loads(line.text, object_pairs_hook=mark_repeated)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} at column {error.colno}; expected one object a line"
        if "\r" in line.text.strip():
            message += r"; carriage returns (\r) end no line here: save the file with line ends \n"
        return BadRow(line.number, "not JSON", message)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        return BadRow(line.number, "not JSON", f"not JSON that can be read: {error}")
