"""Entities of a sequence of tags, as the reference scorer seqeval finds them.

seqeval itself is from 2020 and counts in one go only; nervaluate, which is maintained, begins an entity at every I- and
knows no BMES. Tests compare these functions with seqeval.
"""

from __future__ import annotations

from collections.abc import Sequence

Entity = tuple[str, int, int]  # type, first and last word
_PREFIXES = {"bio": "BI", "bmes": "BMES"}


def split_tag(tag: str, scheme: str) -> tuple[str, str] | None:
    """Prefix and type of a tag, B-creative-work giving (B, creative-work); the type of a bare prefix is "_".

    Args:
        tag: of a word.
        scheme: bio or bmes.

    Returns:
        None for a tag that the scheme does not have, O ("O", "").
    """
    prefix, rest = tag[:1], tag[1:]
    if tag == "O":
        return "O", ""
    if not prefix or prefix not in _PREFIXES[scheme] or (rest and rest[0] != "-"):
        return None
    return prefix, rest[1:] or "_"


def entities(tags: Sequence[str], scheme: str, lenient: bool = False) -> list[Entity]:
    """The entities of a sentence, in their order.

    Args:
        tags: of its words; one that the scheme does not have counts as O.
        scheme: bio or bmes.
        lenient: False: seqeval's strict mode (IOB2, IOBES). An entity is a B- with the I- of its type that follow; in
            bmes a S-, or a B- with the M- of its type up to an E-. What does not fit is no entity.
            True: seqeval's default mode, which is conlleval's: an entity also begins at an I-, M- or E- after another
            type, O, E- or S-, and ends wherever the next one begins.
    """
    split = [split_tag(tag, scheme) or ("O", "") for tag in tags]
    return _lenient(split) if lenient else _strict(split, scheme)


def _strict(tags: Sequence[tuple[str, str]], scheme: str) -> list[Entity]:
    found = []
    for first, (prefix, kind) in enumerate(tags):
        if prefix not in ("B", "S"):
            continue
        last = first
        while tags[last][0] not in ("E", "S") and last + 1 < len(tags) and _continues(tags[last + 1], kind):
            last += 1
        if scheme == "bio" or tags[last][0] in ("E", "S"):
            found.append((kind, first, last))
    return found


def _continues(tag: tuple[str, str], kind: str) -> bool:
    return tag[0] in ("I", "M", "E") and tag[1] == kind


def _lenient(tags: Sequence[tuple[str, str]]) -> list[Entity]:
    found = []
    begin, before = 0, ("O", "")
    for position, tag in enumerate([*tags, ("O", "")]):
        begins = tag[0] != "O" and (tag[0] in ("B", "S") or before[0] in ("O", "E", "S") or tag[1] != before[1])
        if before[0] != "O" and (begins or tag[0] == "O"):
            found.append((before[1], begin, position - 1))
        if begins:
            begin = position
        before = tag
    return found
