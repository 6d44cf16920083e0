"""Walks through a JSON document value by value, because Python's json does not say in which line a value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.files.repeated_keys import mark_repeated
from skill_plugin.readers.row import UnreadableError

_SPACE = re.compile(r"[ \t\n\r]*")
_CLOSING = {"[": "]", "{": "}"}


class JsonScanner:
    """Values of a document with their lines.

    Attributes:
        end: the position behind the value that was read last.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = json.JSONDecoder(object_pairs_hook=mark_repeated)
        self.counted = 0  # position up to which line ends are counted
        self.line = 1
        self.end = 0

    def rows(self, keys: list[str]) -> Iterator[tuple[int, str, Any]]:
        """(line, key or number, value) of each row."""
        position = self.skip_space(0)
        if position == len(self.text):
            raise UnreadableError(1, "the file is empty; expected a JSON document")
        yield from self.rows_beneath(position, keys, 0)
        if self.skip_space(self.end) < len(self.text):
            message = "text after the end of the JSON document; is this format: jsonl, one object a line?"
            raise self.fault(self.skip_space(self.end), message)

    def rows_beneath(self, position: int, keys: list[str], depth: int) -> Iterator[tuple[int, str, Any]]:
        """The rows where the keys lead to, of a value that so many of them led to."""
        opening = self.text[position : position + 1]
        if depth == len(keys):
            if opening not in _CLOSING:
                where = f"at {'.'.join(keys)!r}" if keys else "at the top"
                raise self.fault(position, f"expected a list or an object of rows {where}")
            for name, start in self.members(position):
                value, end = self.value(start)
                yield self.line_of(start), name, value
                self.end = end
            return
        key, path = keys[depth], ".".join(keys[: depth + 1])
        if opening != "{":
            raise self.fault(position, f"expected an object with the key {key!r} (rows: {'.'.join(keys)})")
        seen: list[str] = []
        for name, start in self.members(position):
            if name != key:
                _, self.end = self.value(start)
            elif name in seen:
                raise self.fault(start, f"the key {path!r}, where the rows are, stands twice")
            else:
                yield from self.rows_beneath(start, keys, depth + 1)
            seen.append(name)
        if key not in seen:
            raise self.fault(position, f"no key {path!r}, where the rows should be{nearest(key, seen)}")

    def members(self, position: int) -> Iterator[tuple[str, int]]:
        """(key or number, position of the value) for each member of a list or object.

        The caller must set ``self.end`` to the position behind each value before it asks for the next.
        """
        closing = _CLOSING[self.text[position]]
        position = self.skip_space(position + 1)
        number = 0
        while self.text[position : position + 1] != closing or number:
            name = str(number)
            if closing == "}":
                if self.text[position : position + 1] != '"':
                    raise self.fault(position, 'expected a key in " or the end of the object')
                name, position = self.value(position)
                position = self.expect(position, ":")
            yield name, position
            number += 1
            position = self.skip_space(self.end)
            if self.text[position : position + 1] == closing:
                break
            position = self.expect(position, ",")
        self.end = position + 1

    def value(self, position: int) -> tuple[Any, int]:
        try:
            return self.decoder.raw_decode(self.text, position)
        except json.JSONDecodeError as error:
            raise self.fault(error.pos, f"not JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise self.fault(position, f"not JSON that can be read: {error}") from None

    def expect(self, position: int, character: str) -> int:
        """The place behind a character that must stand here, and behind space around it."""
        position = self.skip_space(position)
        if self.text[position : position + 1] != character:
            raise self.fault(position, f"not JSON: expected {character!r}")
        return self.skip_space(position + 1)

    def skip_space(self, position: int) -> int:
        """The first place from here on that is no space."""
        match = _SPACE.match(self.text, position)
        return position if match is None else match.end()

    def line_of(self, position: int) -> int:
        if position < self.counted:
            return self.text.count("\n", 0, position) + 1
        self.line += self.text.count("\n", self.counted, position)
        self.counted = position
        return self.line

    def fault(self, position: int, message: str) -> UnreadableError:
        return UnreadableError(self.text.count("\n", 0, position) + 1, message)
