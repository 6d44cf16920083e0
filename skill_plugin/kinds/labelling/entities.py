"""Entities of a sequence of tags, as the reference scorer seqeval finds them.

seqeval itself is from 2020 and counts in one go only; nervaluate, which is maintained, begins an entity at every I- and
knows neither BMES nor BILOU. Tests compare these functions with seqeval.
"""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.spec.tag_schemes import OUTSIDE, split_tag

EntityWords = tuple[str, int, int]  # type, first and last word


def find_entities(tags: Sequence[str], scheme: str, lenient: bool = False) -> list[EntityWords]:
    """The entities of a sentence, in their order.

    Args:
        tags: of its words; one that the scheme does not have counts as O.
        scheme: one of ``SCHEMES`` other than raw.
        lenient: False: seqeval's strict mode (IOB2, IOBES, BILOU). An entity is a B- with the I- of its type that
            follow; in schemes with an E- and S- it is a S-, or a B- with the I- of its type up to an E-. What does not
            fit is no entity.
            True: seqeval's default mode, which is conlleval's: an entity also begins at an I- or E- after another
            type, O, E- or S-, and ends wherever the next one begins.
            Letters here are those of ``split_tag``: in bmes the M- is an I-, in bilou L- is an E- and U- a S-.
    """
    split = [split_tag(tag, scheme) or (OUTSIDE, "") for tag in tags]
    return _lenient(split) if lenient else _strict(split, scheme)


def _strict(tags: Sequence[tuple[str, str]], scheme: str) -> list[EntityWords]:
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
    return tag[0] in ("I", "E") and tag[1] == kind


def _lenient(tags: Sequence[tuple[str, str]]) -> list[EntityWords]:
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
