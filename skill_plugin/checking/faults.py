"""Faults that the raw files show together with what the corpora file or the command asks for."""

from __future__ import annotations

from skill_plugin.readers import Fault
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.readers.tag_scheme import scheme_of
from skill_plugin.spec import Corpus

_SHOWN = 3  # tags


def about_scheme(data: CorpusData) -> list[Fault]:
    """Tags that are no entities, but entities are to be scored."""
    corpus, tags = data.corpus, data.labels
    if corpus.kind != "labelling" or corpus.metric != "f1" or tags is None or data.faults:
        return []
    if (corpus.scheme or scheme_of(tags)) != "raw":
        return []
    shown = ", ".join([tag for tag in tags if tag != "O"][:_SHOWN])
    more = ", …" if len(tags) > _SHOWN else ""
    message = (
        f"corpus {corpus.name!r} has the metric f1, which is of entities, but its tags ({shown}{more}) have no scheme; "
        "expected metric: accuracy, or tags of the scheme bio (B-TYPE, I-TYPE) or bmes (B-, M-, E-, S-TYPE)"
    )
    return [Fault(str(corpus.file), corpus.line, message)]


def about_max_length(corpus: Corpus, max_length: int, special: int) -> list[Fault]:
    """A longest sequence that has room for special tokens only."""
    if max_length > special:
        return []
    message = f"corpus {corpus.name!r}: the longest sequence has {max_length} tokens; expected at least {special + 1}"
    return [Fault(str(corpus.file), corpus.line, message)]
