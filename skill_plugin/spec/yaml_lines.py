"""YAML with the line of every key and item, and without YAML 1.1's surprises passing unseen."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import yaml

from skill_plugin.errors import InputError

MERGE = "tag:yaml.org,2002:merge"
PLAIN = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class LinedDict(dict[str | int, Any]):
    """A mapping that knows its own line and the line of each of its keys (from 1)."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str | int, int] = {}


class LinedList(list[Any]):
    """A sequence that knows its own line and the line of each of its items (from 1)."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


@dataclass(frozen=True)
class Mangled:
    """A plain scalar that YAML 1.1 turns into something else than what is written: ``no``, ``1_0``, ``2020-01-01``."""

    text: str
    value: object


def load_yaml(text: str, file: str | PathLike[str]) -> Any:
    """The document as nested LinedDict, LinedList, str, int, float, bool, None and Mangled.

    Raises:
        InputError: not YAML, more than one document, a key twice in one mapping, an anchor inside itself.
    """
    loader = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return None if node is None else _Converter(loader, file).convert(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise InputError(f"not YAML: {problem}", file, None if mark is None else mark.line + 1) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"not YAML: the character U+{ord(text[error.position]):04X} may not occur", file, line
        ) from None
    except RecursionError:
        raise InputError("not YAML that can be read: nested too deeply", file) from None
    finally:
        if loader is not None:
            loader.dispose()


class _Converter:
    def __init__(self, loader: yaml.SafeLoader, file: str | PathLike[str]) -> None:
        self.loader = loader
        self.file = file
        self.done: dict[int, Any] = {}  # an aliased node is converted once, so aliases of aliases cannot explode
        self.open: set[int] = set()

    def convert(self, node: yaml.Node) -> Any:
        if id(node) in self.done:
            return self.done[id(node)]
        if id(node) in self.open:
            raise InputError("an anchor that holds itself", self.file, _line(node))
        if not isinstance(node, yaml.ScalarNode) and node.tag not in PLAIN:
            raise InputError(f"a tag {node.tag!r}, which has no meaning here", self.file, _line(node))
        self.open.add(id(node))
        if isinstance(node, yaml.MappingNode):
            value: Any = self.mapping(node)
        elif isinstance(node, yaml.SequenceNode):
            value = LinedList(_line(node))
            for item in node.value:
                value.append(self.convert(item))
                value.lines.append(_line(item))
        else:
            value = self.scalar(node)
        self.open.discard(id(node))
        self.done[id(node)] = value
        return value

    def mapping(self, node: yaml.MappingNode) -> LinedDict:
        mapping = LinedDict(_line(node))
        first: dict[str, int] = {}
        merged: list[LinedDict] = []
        for key_node, value_node in node.value:
            if key_node.tag == MERGE:
                merged += self.merged(value_node)
                continue
            key = self.key(key_node)
            if str(key) in first:  # 0 and "0" are one name here
                message = f"the key {str(key)!r} is written twice, first in line {first[str(key)]}"
                raise InputError(message, self.file, _line(key_node))
            first[str(key)] = _line(key_node)
            mapping[key] = self.convert(value_node)
            mapping.lines[key] = _line(key_node)
        for other in merged:
            for key in other:
                if key not in mapping:
                    mapping[key] = other[key]
                    mapping.lines[key] = other.lines[key]
        return mapping

    def merged(self, node: yaml.Node) -> list[LinedDict]:
        value = self.convert(node)
        mappings = value if isinstance(value, LinedList) else [value]
        if not all(isinstance(item, LinedDict) for item in mappings):
            raise InputError("'<<' expects a mapping or a list of mappings", self.file, _line(node))
        return list(mappings)

    def key(self, node: yaml.Node) -> str | int:
        value = self.convert(node)
        if isinstance(value, Mangled):
            raise InputError(f"the key {explain(value)}", self.file, _line(node))
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(f"a key must be a name, not {show(value)}", self.file, _line(node))
        return value

    def scalar(self, node: yaml.Node) -> Any:
        try:
            value = self.loader.construct_object(node)
        except ValueError as error:  # 2020-13-45 looks like a date
            message = f"{node.value!r} looks to YAML like a date or number ({error}); put it in quotes if it is a name"
            raise InputError(message, self.file, _line(node)) from None
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool):
            same = str(node.value).lower() in ("true", "false")
        else:
            same = isinstance(value, int | float) and str(value) == node.value
        return value if same else Mangled(str(node.value), value)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def explain(value: Mangled | bool) -> str:
    """``'no'`` is read by YAML as False …: for a place where a name was expected."""
    text = value.text if isinstance(value, Mangled) else str(value).lower()
    read = value.value if isinstance(value, Mangled) else value
    return f'{text!r} is read by YAML as {read!r}; put it in quotes ("{text}") if it is a name'


def show(value: Any) -> str:
    """A value in a message, on one line and not too long."""
    if isinstance(value, Mangled):
        return repr(value.text)
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
