"""What a request asks: its body, read and encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skill_plugin.api import Model
from skill_plugin.data.asked import Asked
from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.files.json_file import parse_json
from skill_plugin.serving.limits import Limits
from skill_plugin.serving.refusal import RefusedError

# inputs and characters of a piece, which is encoded and read as a whole; longer requests take turns with others
PIECE, PIECE_CHARACTERS = 16, 8192
KEYS = ("corpus", "inputs")
_TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "required": list(KEYS),
    "additionalProperties": False,
    "properties": {
        "corpus": {
            "description": "A corpus of the model, or several, which read the same inputs.",
            "anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": _TEXT}],
        },
        "inputs": {
            "description": "Each a text, a list of texts, or an object with the keys of the kind (see /corpora).",
            "type": "array",
            "items": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}, {"type": "object"}]},
        },
    },
}


@dataclass(frozen=True, eq=False)
class Question:
    """Inputs for one or several corpora.

    Attributes:
        corpora: their names, each once.
        several: whether answers are wanted by corpus.
        pieces: some of the inputs each, for every corpus in order.
        count: number of inputs.
    """

    corpora: Sequence[str]
    several: bool
    pieces: Sequence[Sequence[Asked]]
    count: int


def read_question(body: bytes, model: Model, limits: Limits) -> Question:
    """Reads and encodes the body of a request.

    Raises:
        RefusedError: it is not JSON (400), or not a question that the model can answer (422).
    """
    try:
        try:
            value = parse_json(body.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise RefusedError(400, f"the body is not UTF-8 (byte {error.start})") from None
        except InputError as error:
            raise RefusedError(400, f"the body is {error.message}") from None
        return _question(value, model, limits)
    except InputError as error:
        raise RefusedError(422, error.message) from None
    except RecursionError:
        raise RefusedError(422, "the body is nested too deeply") from None


def _question(value: Any, model: Model, limits: Limits) -> Question:
    if not isinstance(value, dict):
        raise InputError(f"expected an object with the keys {' and '.join(map(repr, KEYS))}")
    for key in value:
        if key not in KEYS:
            raise InputError(f"unknown key {key!r}{nearest(key, KEYS)}")
    for key in KEYS:
        if key not in value:
            raise InputError(f"the key {key!r} is missing")
    corpora, inputs = value["corpus"], value["inputs"]
    several = isinstance(corpora, list)
    names = corpora if several else [corpora]
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError("'corpus' is to be the name of a corpus, or a list of one or more names")
    names = list(dict.fromkeys(names))
    for name in names:
        model.labels(name)  # refuses an unknown corpus
    if not isinstance(inputs, list):
        raise InputError("'inputs' is to be a list")
    if (count := len(inputs) * len(names)) > limits.inputs:
        raise InputError(f"{counted(count, 'input')}, counted for each corpus; a request may have {limits.inputs:,}")
    characters = [count_characters(one) for one in inputs]
    for number, found in enumerate(characters):
        if found > limits.characters:
            raise InputError(f"inputs[{number}]: {found:,} characters; an input may have {limits.characters:,}")
    pieces = [
        [model.ask(name, inputs[start:end], start) for name in names] for start, end in cut_into_pieces(characters)
    ]
    return Question(names, several, pieces, len(inputs))


def cut_into_pieces(characters: Sequence[int]) -> list[tuple[int, int]]:
    """``[start, end)`` of the inputs of each piece, of inputs with so many characters; a longer one is alone.

    >>> cut_into_pieces([5000, 3000, 1000, 9000, 1])
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    pieces, start, total = [], 0, 0
    for number, count in enumerate(characters):
        if number > start and (number - start == PIECE or total + count > PIECE_CHARACTERS):
            pieces.append((start, number))
            start, total = number, 0
        total += count
    return [*pieces, (start, len(characters))] if characters else []


def count_characters(value: Any) -> int:
    """Characters of all texts in a JSON value."""
    total, rest = 0, [value]
    while rest:
        match rest.pop():
            case str(text):
                total += len(text)
            case list(parts):
                rest += parts
            case dict(parts):
                rest += parts.values()
    return total
