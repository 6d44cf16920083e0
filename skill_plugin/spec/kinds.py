"""The table of kinds: what a corpus can ask for, and what each kind needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

TEXTS = ("text_a", "text_b", "text_c", "question", "context", "text", "sentence")  # fields that are texts
TABULAR = ("tsv", "csv", "jsonl", "json", "lines")


@dataclass(frozen=True)
class Shape:
    """One way in which the columns of a file can hold the items of a kind.

    Attributes:
        needed: columns without which a row has no meaning.
        answers: columns with the answer, of which one is needed, except in a test split. Empty = no answer.
        optional: further columns.
    """

    needed: tuple[str, ...]
    answers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.needed, *self.answers, *self.optional)


@dataclass(frozen=True)
class Kind:
    """A kind of corpus.

    Attributes:
        shapes: which columns go together, the usual ones first.
        metrics: allowed metrics, the default one first.
        formats: raw formats from which it can be read.
        labels: whether its answers are names from a list, as ``labels`` in the corpora file.
        in_average: whether its metric counts in ``avg`` when the corpus does not say.
        windowed: whether a long text is read through several windows, in place of being truncated.
        fixed_labels: labels that no corpus names, in the order of their ids.
    """

    name: str
    shapes: tuple[Shape, ...]
    metrics: tuple[str, ...]
    formats: tuple[str, ...] = TABULAR
    labels: bool = False
    in_average: bool = True
    windowed: bool = False
    fixed_labels: tuple[str, ...] = ()

    @property
    def default_metric(self) -> str:
        return self.metrics[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of all shapes."""
        return tuple(dict.fromkeys(name for shape in self.shapes for name in shape.columns))

    @property
    def answers(self) -> tuple[str, ...]:
        """The columns that a test split may lack."""
        return tuple(dict.fromkeys(name for shape in self.shapes for name in shape.answers))

    def shape(self, columns: Collection[str]) -> Shape:
        """The shape that is meant by these columns: the one with most of its needed and then most of all columns."""
        return max(self.shapes, key=lambda shape: [sum(name in columns for name in n) for n in _ranked(shape)])


def _ranked(shape: Shape) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return shape.needed, shape.columns


_TEXTS = ("text_b", "text_c")
_SPANS = ("text_b", "end_a", "end_b", "word_a", "word_b")

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "classification",
            shapes=(Shape(("text_a",), ("label",), _TEXTS),),
            metrics=("accuracy", "f1", "macro_f1", "mcc"),
            labels=True,
        ),
        Kind(
            "multilabel",
            shapes=(Shape(("text_a",), ("label",), _TEXTS),),
            metrics=("micro_f1", "macro_f1"),
            labels=True,
        ),
        Kind(
            "regression",
            shapes=(Shape(("text_a",), ("score",), ("text_b",)),),
            metrics=("pearson", "spearman"),
        ),
        Kind(
            "ranking",
            shapes=(
                Shape(("text_a", "text_b"), ("label",), ("question", "query")),
                Shape(("text_a", "choices"), ("label", "candidate_label"), ("question", "query", "candidate_text")),
            ),
            metrics=("accuracy", "top1", "mrr", "map", "ndcg", "f1", "f1a", "f1m", "macro_f1"),
        ),
        Kind(
            "labelling",
            shapes=(Shape(("token",), ("tag",), ("sentence",)), Shape(("text",), ("entities",))),
            metrics=("f1", "accuracy"),
            formats=(*TABULAR, "conll"),
            labels=True,
            windowed=True,
        ),
        Kind(
            "span",
            shapes=(Shape(("question", "context"), ("answers",), ("answer_start", "is_impossible", "id")),),
            metrics=("f1", "exact_match"),
            formats=(*TABULAR, "squad"),
            windowed=True,
        ),
        Kind(
            "word_in_context",
            shapes=(Shape(("text_a", "start_a", "start_b"), ("label",), _SPANS),),
            metrics=("accuracy", "f1", "mcc"),
            labels=True,
        ),
        Kind(
            "masked_lm",
            shapes=(Shape(("text",)),),
            metrics=("perplexity", "accuracy"),
            formats=(*TABULAR, "conll"),
            in_average=False,
            windowed=True,
        ),
        Kind(
            "next_sentence",
            shapes=(Shape(("text",)), Shape(("sentence",), (), ("document",))),
            metrics=("accuracy",),
            formats=(*TABULAR, "conll"),
            in_average=False,
            fixed_labels=("next", "other"),
        ),
    )
}
FORMATS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.formats))
METRICS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.metrics))
