"""How the tags of a labelling corpus are made of entities, where the corpora file does not say."""

from __future__ import annotations

from collections.abc import Iterable


def scheme_of(tags: Iterable[str]) -> str:
    """``bio`` or ``bmes`` where the tags look so, else ``raw``.

    IOBES tags, whose I- is the M- of ``bmes``, are ``raw``: a ``label_map`` makes them ``bmes``.

    >>> scheme_of(["O", "B-PER", "I-PER"]), scheme_of(["O", "S-PER", "B-PER", "E-PER"]), scheme_of(["NOUN", "VERB"])
    ('bio', 'bmes', 'raw')
    """
    prefixes = {tag.partition("-")[0] for tag in tags}
    if len(prefixes) > 1 or prefixes & {"B", "S"}:
        if prefixes <= {"O", "B", "I"}:
            return "bio"
        if prefixes <= {"O", "B", "M", "E", "S"}:
            return "bmes"
    return "raw"
