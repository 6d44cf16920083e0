"""What a corpus's data says beyond the corpora file, which a trained model must know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from skill_plugin.readers.example import Split
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.tag_schemes import scheme_of


def corpus_facts(corpus: Corpus, splits: Mapping[str, Split], labels: tuple[str, ...] | None) -> dict[str, Any]:
    """The facts of a corpus, by its kind; read from train, or from all splits where there is none.

    Returns:
        ``score_range`` [lowest, highest] (regression), ``scheme`` of the tags (labelling), ``no_answer``: whether there
        are questions without an answer (span), ``grades``: how many relevances there are, from 0 to the highest of any
        split (ranking by grades).
    """
    read = [splits["train"]] if "train" in splits else list(splits.values())
    examples = [example for split in read for example in split.examples]
    if corpus.kind == "regression":
        if corpus.score_range is not None:
            return {"score_range": list(corpus.score_range)}
        scores = [float(example.answer) for example in examples if example.answer is not None]  # type: ignore[arg-type]
        return {"score_range": [min(scores), max(scores)]} if scores else {}
    if corpus.kind == "labelling":
        return {"scheme": corpus.scheme or scheme_of(labels or ())}
    if corpus.kind == "span":
        return {"no_answer": any(example.answer == () for example in examples)}
    if corpus.loss == "graded":
        answers = [cast("tuple[int, ...]", e.answer) for split in splits.values() for e in split.examples if e.answer]
        return {"grades": corpus.grades or max(2, 1 + max(map(max, answers), default=0))}
    return {}
