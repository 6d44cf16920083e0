"""How tags say where entities are: the schemes, the parts of a tag, and which scheme tags look like."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

OUTSIDE = "O"
RAW = "raw"  # tags that are no entities, such as parts of speech
# scheme -> its prefixes, each with the one of BIO or IOBES that means the same: B first, I inside, E last, S alone
_PREFIXES = {
    "bio": {"B": "B", "I": "I"},
    "bmes": {"B": "B", "M": "I", "E": "E", "S": "S"},
    "bioes": {"B": "B", "I": "I", "E": "E", "S": "S"},
    "bilou": {"B": "B", "I": "I", "L": "E", "U": "S"},
}
SCHEMES = (*_PREFIXES, RAW)


@lru_cache(maxsize=4096)  # a file has millions of tags, and few that differ
def split_tag(tag: str, scheme: str) -> tuple[str, str] | None:
    """What a tag says, and the type: ``B-creative-work`` is (B, creative-work); the type of a bare prefix is ``_``.

    Args:
        tag: of a word.
        scheme: one of SCHEMES other than raw.

    Returns:
        B, I, E or S, whatever letter the scheme has for it, with the type; O with an empty type; None for a tag that
        the scheme does not have.
    """
    prefix, rest = tag[:1], tag[1:]
    if tag == OUTSIDE:
        return OUTSIDE, ""
    if prefix not in _PREFIXES[scheme] or (rest and rest[0] != "-"):
        return None
    return _PREFIXES[scheme][prefix], rest[1:] or "_"


def find_scheme(tags: Iterable[str]) -> str:
    """The scheme that tags look like, else raw.

    >>> find_scheme(["O", "B-PER", "I-PER"]), find_scheme(["O", "S-PER", "B-PER", "E-PER"])
    ('bio', 'bmes')
    """
    prefixes = {tag.partition("-")[0] for tag in tags}
    if len(prefixes) > 1 or prefixes & {"B", "S"}:
        for scheme, known in _PREFIXES.items():
            # words may be tagged with one letter for other reasons: without a B only the oldest schemes are guessed
            if prefixes <= {OUTSIDE, *known} and ("B" in prefixes or scheme in ("bio", "bmes")):
                return scheme
    return RAW


def expected_tags(scheme: str) -> str:
    """The tags of a scheme, for messages."""
    return f"{OUTSIDE}, {', '.join(f'{letter}-TYPE' for letter in _PREFIXES[scheme])}"


def is_inside_only(tags: Collection[str], scheme: str) -> bool:
    """Whether the tags of a corpus have an inside of entities but no tag in which one begins.

    Entities then begin at their first inside tag, as with ``lenient``: by the strict reading there would be none, and
    the best tagger would score 0.
    """
    said = {split[0] for tag in tags if (split := split_tag(tag, scheme)) is not None} if scheme != RAW else set()
    return bool(said - {OUTSIDE}) and not said & {"B", "S"}
