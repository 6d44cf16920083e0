"""Which corpora are made: of which kind, in which languages and formats."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from items import (
    NLI,
    REVIEWS,
    SENSES,
    TOPICS,
    Item,
    choice,
    document,
    names,
    nli,
    question,
    review,
    sense,
    similarity,
    text,
    topics,
)


@dataclass(frozen=True)
class Recipe:
    """The corpora of one name, one a language.

    Attributes:
        kind: as in the corpora file.
        languages, skills: with spaces between them.
        item: makes one, given the language.
        format: as in the corpora file.
        columns: meaning -> column.
        options: further lines of the corpora file.
        formats: of the languages in which it is another.
    """

    kind: str
    languages: str
    skills: str
    item: Callable[[str, random.Random], Item]
    format: str
    columns: dict[str, str | int] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    formats: dict[str, str] = field(default_factory=dict)


def listed(names: tuple[str, ...]) -> str:
    return f"labels: [{', '.join(names)}]"


_PAIR = {"text_a": "first", "text_b": "second"}
RECIPES = {
    "nli": Recipe(
        "classification",
        "en de es zh",
        "generic sentence interact",
        nli,
        "tsv",
        {"text_a": "premise", "text_b": "hypothesis", "label": "label"},
        (listed(NLI),),
        {"zh": "jsonl"},
    ),
    "reviews": Recipe(
        "classification",
        "en de es zh",
        "generic sentence sentiment",
        review,
        "csv",
        {"text_a": "text", "label": "label"},
        (listed(REVIEWS),),
        {"es": "lines"},
    ),
    "names": Recipe("labelling", "en zh", "generic token", names, "conll", {"token": 0, "tag": 1}),
    "questions": Recipe("span", "en zh", "generic token interact question", question, "squad"),
    "similarity": Recipe(
        "regression",
        "en es",
        "generic sentence interact sentiment",
        similarity,
        "csv",
        {**_PAIR, "score": "score"},
        ("score_range: [0, 5]",),
    ),
}
MORE_RECIPES = {
    "choices": Recipe(
        "ranking",
        "en de",
        "generic sentence interact",
        choice,
        "jsonl",
        {"text_a": "premise", "choices": "choices", "label": "label"},
    ),
    "topics": Recipe(
        "multilabel",
        "es zh",
        "generic sentence",
        topics,
        "jsonl",
        {"text_a": "text", "label": "label"},
        (listed(TOPICS),),
    ),
    "senses": Recipe(
        "word_in_context",
        "en",
        "generic token interact",
        sense,
        "jsonl",
        {**_PAIR, "start_a": "start_a", "start_b": "start_b", "word_a": "word", "word_b": "word", "label": "label"},
        (listed(SENSES),),
    ),
    "text": Recipe("masked_lm", "de zh", "generic token", text, "lines", {"text": "text"}),
    "documents": Recipe(
        "next_sentence",
        "es zh",
        "generic sentence interact sentiment",
        document,
        "jsonl",
        {"text": "text"},
    ),
}
