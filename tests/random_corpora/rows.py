"""The kinds: the columns of the corpora file, and a function that makes a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.random_corpora.drawn import OBJECTS, Drawn
from tests.random_corpora.texts import any_text, plain_text

Row = dict[str, Any]  # column of the file -> text, number or list
Columns = dict[str, Any]  # what the kind asks for -> column, or columns, of the file
Rows = tuple[Columns, Callable[[], Row]]


def classification(drawn: Drawn) -> Rows:
    columns = {"text_a": "a", "label": "l"} | ({"text_b": "b"} if drawn.rng.random() < 0.5 else {})
    texts = [name for meaning, name in columns.items() if meaning != "label"]
    return columns, lambda: {**{name: any_text(drawn) for name in texts}, "l": drawn.rng.choice(drawn.labels)}


def multilabel(drawn: Drawn) -> Rows:
    def row() -> Row:
        return {"a": any_text(drawn), "l": [label for label in drawn.labels if drawn.rng.random() < 0.5]}

    return {"text_a": "a", "label": "l"}, row


def regression(drawn: Drawn) -> Rows:
    def row() -> Row:
        score = drawn.rng.randint(0, 50) / 10
        written = score if drawn.decimal == "." else str(score).replace(".", drawn.decimal)
        return {"a": any_text(drawn), "b": any_text(drawn), "s": written}

    return {"text_a": "a", "text_b": "b", "score": "s"}, row


def ranking(drawn: Drawn) -> Rows:
    """A candidate a row, a list of candidates in a column, or a column for each candidate."""
    rng = drawn.rng

    def some() -> str:
        return any_text(drawn, least=1)

    if drawn.format == "lines" or rng.random() < 0.4:
        queries = [some() for _ in range(3)]
        columns = {"text_a": "q", "text_b": "c", "label": "l"}
        return columns, lambda: {"q": rng.choice(queries), "c": some(), "l": rng.randint(0, 1)}
    if drawn.format in OBJECTS and rng.random() < 0.5:
        columns = {"text_a": "q", "choices": "c", "label": "l"}
        return columns, lambda: {"q": any_text(drawn), "c": [some() for _ in range(3)], "l": rng.randrange(3)}
    names = ["c0", "c1", "c2"]
    listed = {"text_a": "q", "choices": names, "label": "l"}
    return listed, lambda: {"q": any_text(drawn), **{name: some() for name in names}, "l": rng.randrange(3)}


def labelling(drawn: Drawn) -> Rows:
    def row() -> Row:
        tokens = [word for word in plain_text(drawn).split() if word not in ("#", "-DOCSTART-")]
        tokens = tokens or ["x"]
        tags = [drawn.rng.choice(["O", "B-X", "B-Y"]) for _ in tokens]
        for number in range(1, len(tags)):
            if tags[number - 1] != "O" and drawn.rng.random() < 0.3:
                tags[number] = f"I-{tags[number - 1][2:]}"
        return {"t": tokens, "g": tags}

    return {"token": "t", "tag": "g"}, row


def span(drawn: Drawn) -> Rows:
    def row() -> Row:
        context = plain_text(drawn) or "x"
        answer = drawn.rng.choice(context.split())
        return {"q": any_text(drawn, least=1), "c": context, "w": answer, "s": context.index(answer)}

    return {"question": "q", "context": "c", "answers": "w", "answer_start": "s"}, row


def word_in_context(drawn: Drawn) -> Rows:
    def row() -> Row:
        words = [plain_text(drawn).split() or ["x"] for _ in range(2)]
        chosen = [drawn.rng.randrange(len(one)) for one in words]
        starts = [len(" ".join(one[:at])) + bool(at) for one, at in zip(words, chosen, strict=True)]
        found = [one[at] for one, at in zip(words, chosen, strict=True)]
        return {
            "a": " ".join(words[0]), "b": " ".join(words[1]), "s": starts[0], "t": starts[1], "v": found[0],
            "w": found[1], "l": drawn.rng.choice(drawn.labels),
        }  # fmt: skip

    columns = {
        "text_a": "a", "text_b": "b", "start_a": "s", "start_b": "t", "word_a": "v", "word_b": "w", "label": "l",
    }  # fmt: skip
    return columns, row


def masked_lm(drawn: Drawn) -> Rows:
    return {"text": "a"}, lambda: {"a": any_text(drawn)}


def next_sentence(drawn: Drawn) -> Rows:
    """A document a row, or a sentence a row with the name of its document."""
    if drawn.format in ("conll", "lines") or drawn.rng.random() < 0.5:
        return {"text": "a"}, lambda: {"a": " ".join(f"{plain_text(drawn)}." for _ in range(4))}
    return {"sentence": "a", "document": "d"}, lambda: {
        "a": any_text(drawn, least=1),
        "d": drawn.rng.choice(["d1", "d2"]),
    }


ROWS: dict[str, Callable[[Drawn], Rows]] = {
    make.__name__: make
    for make in (
        classification, labelling, masked_lm, multilabel, next_sentence, ranking, regression, span, word_in_context,
    )
}  # fmt: skip
