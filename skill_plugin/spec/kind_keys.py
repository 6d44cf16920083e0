"""Keys of the corpora file that one kind brings itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from skill_plugin.spec.corpus import Corpus


class KindKeys(BaseModel):
    """The keys of a kind (``Kind.keys``), and their values for a corpus (``Corpus.own``): none for this one.

    Each has a type of ``spec/values.py`` and a default, and below it stands its meaning in Markdown, as in
    ``CorpusSection``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """The values of a corpus, whose kind has these keys."""
        assert isinstance(corpus.own, cls), f"{corpus.name} is of the kind {corpus.kind}"
        return corpus.own
