"""The table of kinds: what a corpus can ask for, and what each kind needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skill_plugin.errors import InputError

if TYPE_CHECKING:
    from skill_plugin.spec.corpora_file import CorporaFile

TABULAR = ("tsv", "csv", "jsonl", "json", "lines")


@dataclass(frozen=True)
class Kind:
    """A kind of corpus.

    Attributes:
        required: columns without which a row has no meaning (the label may be missing in a test split).
        optional: further columns. Texts are given to the encoder in the order in which they stand here.
        metrics: allowed metrics, the default one first.
        formats: raw formats from which it can be read.
        implemented: whether this release trains it; the others are only parsed, their columns not yet checked.
    """

    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    metrics: tuple[str, ...]
    formats: tuple[str, ...] = TABULAR
    implemented: bool = False

    @property
    def default_metric(self) -> str:
        return self.metrics[0]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.required + self.optional


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "classification",
            required=("text_a", "label"),
            optional=("text_b", "text_c"),
            metrics=("accuracy", "f1", "macro_f1", "mcc"),
            implemented=True,
        ),
        Kind("multilabel", ("text_a", "label"), ("text_b", "text_c"), ("micro_f1", "macro_f1")),
        Kind("regression", ("text_a", "score"), ("text_b",), ("pearson", "spearman")),
        Kind("ranking", (), (), ("accuracy", "ndcg", "mrr", "top1")),
        Kind("labelling", ("token", "tag"), (), ("f1", "accuracy"), (*TABULAR, "conll")),
        Kind("span", (), (), ("f1", "exact_match"), (*TABULAR, "squad")),
        Kind("word_in_context", (), (), ("accuracy",)),
        Kind("masked_lm", ("text",), (), ("perplexity",), (*TABULAR, "conll")),
        Kind("next_sentence", ("text",), (), ("accuracy",), (*TABULAR, "conll")),
    )
}
FORMATS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.formats))
METRICS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.metrics))


def require_implemented(corpora_file: CorporaFile) -> None:
    """Refuses a selection with a kind that is parsed but not trained.

    Raises:
        InputError: the first such corpus, with its line.
    """
    for corpus in corpora_file.corpora.values():
        if not KINDS[corpus.kind].implemented:
            message = f"corpus {corpus.name!r} has kind {corpus.kind!r}, which this release does not train yet"
            raise InputError(message, corpora_file.path, corpus.line)
