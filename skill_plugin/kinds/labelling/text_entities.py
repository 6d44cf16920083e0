"""Entities of a text as their characters, from the forms in which annotation tools and data sets write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skill_plugin.readers.cell_values import parse_whole_number, read_scalar
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.offsets import find_places
from skill_plugin.readers.row import shorten
from skill_plugin.readers.split_reading import SplitReading
from skill_plugin.spec.tag_schemes import OUTSIDE

EXPECTED = "{type: {text: [[first, last]]}}, or a list of [start, end, type] or {start: …, end: …, label: …}"
_KEYS = {
    "start": ("start", "start_offset"),
    "end": ("end", "end_offset"),
    "label": ("label", "type", "entity", "entity_group"),
    "text": ("text", "word"),
}
_OVERLAP = "entities left out because they overlap a longer one"
_MOVED = "entities that are not at their offsets, found by their text"
_SURFACE = "entities whose text is nowhere, taken at their offsets"
_BLANK = "entities of white space alone, left out"
_PARTS = "entities that begin or end within a word, which is tagged as a whole"


class EntityPlace(NamedTuple):
    """Characters ``[start, end)`` of a text."""

    start: int
    end: int
    type: str


class _RawEntity(NamedTuple):
    """As in the file: the end is that of the last character where ``inclusive``; no ``surface`` = only offsets."""

    type: str
    start: Any
    end: Any
    surface: str | None
    inclusive: bool


def read_entities(value: Any, text: str, line: int, reading: SplitReading) -> list[EntityPlace]:
    """The entities in order, without overlaps: of two that overlap, the longer one.

    One that is not at its offsets but elsewhere in the text is there, at the nearest place; a notice counts them.

    Args:
        value: ``{type: {surface: [[first, last], …]}}`` (CLUENER), last included; or a list of ``[start, end, type]``
            (doccano) or of mappings with ``start``, ``end`` and ``label`` (spaCy), end not included.
        text: that they are of.
        line: of the row, for notices.
        reading: takes the notices.

    Raises:
        RejectedError: the value is of no such form, or an offset is outside of the text.
    """
    found = [_placed(entity, text, line, reading) for entity in _written(value)]
    kept: list[EntityPlace] = []
    for entity in sorted(dict.fromkeys(found), key=lambda entity: (entity.start - entity.end, entity.start)):
        if all(entity.end <= other.start or other.end <= entity.start for other in kept):
            kept.append(entity)
        else:
            reading.note(_OVERLAP, line, shorten(text[entity.start : entity.end]))
    return sorted(kept)


def make_tags(
    words: Sequence[tuple[int, int]], entities: Sequence[EntityPlace], text: str, line: int, reading: SplitReading
) -> list[str]:
    """BIO tags of the words that entities touch."""
    tags = [OUTSIDE] * len(words)
    for entity in entities:
        shown = shorten(text[entity.start : entity.end])
        touched = [n for n, (start, end) in enumerate(words) if start < entity.end and entity.start < end]
        if not touched:
            reading.note(_BLANK, line)
        elif any(tags[number] != OUTSIDE for number in touched):
            reading.note(_OVERLAP, line, shown)
        else:
            if words[touched[0]][0] < entity.start or entity.end < words[touched[-1]][1]:
                reading.note(_PARTS, line, shown)
            for number in touched:
                tags[number] = f"{'B' if number == touched[0] else 'I'}-{entity.type}"
    return tags


def _placed(entity: _RawEntity, text: str, line: int, reading: SplitReading) -> EntityPlace:
    start, end = parse_whole_number(entity.start), parse_whole_number(entity.end)
    if end is not None:
        end += entity.inclusive
    inside = start is not None and end is not None and 0 <= start < end <= len(text)
    surface = entity.surface
    if surface and (not inside or text[start:end] != surface):
        places = list(find_places(surface, text))
        if places:
            place = min(places, key=lambda place: abs(place - (start or 0)))
            reading.note(_MOVED, line, shorten(surface))
            return EntityPlace(place, place + len(surface), entity.type)
        if inside:
            reading.note(_SURFACE, line, f"{shorten(surface)} is {shorten(text[start:end])} there")
    if not inside or start is None or end is None:
        what = "first and last character" if entity.inclusive else "first character and the one past the last"
        message = f"the entity {shorten(entity.surface or entity.type)} is at [{describe_value(entity.start)}, "
        message += f"{describe_value(entity.end)}]; expected {what}, 0 to {len(text) - entity.inclusive}"
        raise RejectedError("unusable entities", message, "entities")
    return EntityPlace(start, end, entity.type)


def _written(value: Any) -> Iterator[_RawEntity]:
    if isinstance(value, list):
        for entity in value:
            yield _listed(entity)
        return
    for name, surfaces in _members(value, "the entities are"):
        for surface, spans in _members(surfaces, f"the entities of type {name!r} are"):
            for span in spans if isinstance(spans, list) else [spans]:
                if not isinstance(span, list) or len(span) != 2:
                    message = (
                        f"a span of the entity {shorten(surface)} is {describe_value(span)}; expected [first, last]"
                    )
                    raise RejectedError("unusable entities", message, "entities")
                yield _RawEntity(name, span[0], span[1], surface, inclusive=True)


def _listed(entity: Any) -> _RawEntity:
    """One of a list: ``[start, end, type]`` or a mapping."""
    if isinstance(entity, list) and len(entity) == 3:
        parts: dict[str, Any] = dict(zip(("start", "end", "label"), entity, strict=True))
    elif isinstance(entity, dict):
        parts = {part: entity[key] for part, keys in _KEYS.items() for key in reversed(keys) if key in entity}
    else:
        parts = {}
    if not {"start", "end", "label"} <= parts.keys():
        what = f"has the keys {shorten([*entity])}" if isinstance(entity, dict) else f"is {shorten(entity)}"
        message = f"an entity {what}; expected [start, end, type] or {{start: …, end: …, label: …}}"
        raise RejectedError("unusable entities", message, "entities")
    name, problem = read_scalar(parts["label"])
    if problem or not name.strip():
        message = f"the type of an entity is {problem or 'empty'}; expected a string or a whole number"
        raise RejectedError("unusable entities", message, "entities")
    surface = parts.get("text")
    return _RawEntity(
        name.strip(), parts["start"], parts["end"], surface if isinstance(surface, str) else None, inclusive=False
    )


def _members(value: Any, what: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise RejectedError("unusable entities", f"{what} {describe_value(value)}; expected {EXPECTED}", "entities")
    yield from value.items()
