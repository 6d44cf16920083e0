"""Kinds say whether a sample looks like theirs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.guessing.choose_kind import choose_kind
from skill_plugin.guessing.json_layout import columns_of
from skill_plugin.guessing.sample import Sample
from skill_plugin.kinds.registry import forget_kind, register_kind

N = 40
TEXT = [f"this is text number {n} of some that are here" for n in range(N)]
OTHER = [f"and another thing was said about {n * 7} people there" for n in range(N)]


def guess(**columns: list[Any]) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    found = choose_kind(Sample("jsonl", columns_of(rows)))
    if found is None:
        return None
    kind, said = found
    return kind.name, said.columns, {key: value for key, (value, _) in said.options.items()}


def test_a_column_that_is_called_source_may_be_labels() -> None:
    columns = {"text": TEXT, "source": cycle("web", "news")}
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    found = choose_kind(Sample("jsonl", columns_of(rows)))
    assert found is not None and found[0].name == "masked_lm"
    assert "'source' may be labels, and the kind classification" in found[1].doubts


def test_lists_beside_raw_text_are_told() -> None:
    places = [[{"inicio": 0, "fin": 4, "tipo": kind}] for kind in cycle("x", "y")]
    rows = [{"texto": text, "entidades": one} for text, one in zip(TEXT, places, strict=True)]
    found = choose_kind(Sample("jsonl", columns_of(rows)))
    assert found is not None and found[0].name == "masked_lm"
    assert "lists in 'entidades' are not used, and may be answers" in found[1].doubts


def cycle(*values: Any) -> list[Any]:
    return [values[n % len(values)] for n in range(N)]


CASES: list[tuple[dict[str, list[Any]], str, dict[str, Any], dict[str, Any]]] = [
    ({"a": TEXT, "b": cycle("x", "y")}, "classification", {"text_a": "a", "label": "b"}, {}),
    ({"id": [*range(N)], "b": cycle(0, 1), "a": TEXT}, "classification", {"text_a": "a", "label": "b"}, {}),
    (
        {"hypothesis": OTHER, "premise": TEXT, "label": cycle("e", "n", "-"), "genre": cycle("f", "g")},
        "classification", {"text_a": "premise", "text_b": "hypothesis", "label": "label"}, {"drop_labels": ["-"]},
    ),
    (
        {"t": TEXT, "s": [n / 7 for n in range(N)]},
        "regression", {"text_a": "t", "score": "s"}, {"score_range": [0, 10]},
    ),
    (
        {"t": TEXT, "u": OTHER, "s": cycle(0, 1, 2, 3, 4, 5)},
        "regression", {"text_a": "t", "text_b": "u", "score": "s"}, {"score_range": [0, 5]},
    ),
    ({"t": TEXT, "s": cycle(1, 2, 3, 4, 5)}, "classification", {"text_a": "t", "label": "s"}, {}),
    ({"t": TEXT, "l": cycle(["a"], ["a", "b"], [])}, "multilabel", {"text_a": "t", "label": "l"}, {}),
    (
        {"t": TEXT, "l": cycle("a", "a;b", "b;c", "a;c")},
        "multilabel", {"text_a": "t", "label": "l"}, {"label_separator": ";"},
    ),
    (
        {"t": TEXT, "x": cycle(0, 1), "y": cycle(1, 0, 0), "z": cycle(0, 0, 1)},
        "multilabel", {"text_a": "t", "label": ["x", "y", "z"]}, {},
    ),
    (
        {"q": TEXT, "choice1": OTHER, "choice2": TEXT[::-1], "label": cycle(0, 1)},
        "ranking", {"text_a": "q", "choices": ["choice1", "choice2"], "label": "label"}, {},
    ),
    (
        {"q": TEXT, "documents": cycle(*[[{"title": "x", "label": n}, {"title": "z", "label": 0}] for n in range(3)])},
        "ranking", {"text_a": "q", "choices": "documents", "candidate_text": "title", "candidate_label": "label"},
        {"metric": "ndcg"},
    ),
    (
        {"q": TEXT, "choice1": OTHER, "choice2": TEXT[::-1], "label": cycle(1, 2)},
        "ranking", {"text_a": "q", "choices": ["choice1", "choice2"], "label": "label"},
        {"label_map": {"1": "0", "2": "1"}},
    ),
    (
        {"pregunta": TEXT, "opción_a": OTHER, "opción_b": TEXT[::-1], "opción_c": OTHER[::-1], "x": cycle("b", "c")},
        "ranking", {"text_a": "pregunta", "choices": ["opción_a", "opción_b", "opción_c"], "label": "x"},
        {"label_map": {"a": "0", "b": "1", "c": "2"}},
    ),
    (
        {"article": TEXT, "question": OTHER, "options": [[*pair] for pair in zip(OTHER, TEXT, strict=True)],
         "answer": cycle("A", "B")},
        "ranking", {"text_a": "article", "question": "question", "choices": "options", "label": "answer"},
        {"label_map": {"A": "0", "B": "1"}},
    ),
    (
        {"Satz": TEXT, "Auswahl": [[*pair] for pair in zip(OTHER, TEXT, strict=True)], "richtig": cycle(1, 0)},
        "ranking", {"text_a": "Satz", "choices": "Auswahl", "label": "richtig"}, {},
    ),
    (  # key words beside a class are no choices, though it could number them
        {"Satz": TEXT, "Auswahl": [text.split()[3:5] for text in TEXT], "richtig": cycle(1, 0)},
        "classification", {"text_a": "Satz", "label": "richtig"}, {},
    ),
    (
        {"frase": TEXT, "opciones": [[{"texto": a, "buena": n % 2 == 0}, {"texto": b, "buena": n % 2 == 1}]
                                     for n, (a, b) in enumerate(zip(OTHER, OTHER[::-1], strict=True))]},
        "ranking",
        {"text_a": "frase", "choices": "opciones", "candidate_text": "texto", "candidate_label": "buena"}, {},
    ),
    (
        {"q": [TEXT[n // 9] for n in range(N)], "a": OTHER, "r": [int(n % 9 == 3) for n in range(N)]},
        "ranking", {"text_a": "q", "text_b": "a", "label": "r"}, {"metric": "mrr"},
    ),
    (
        {"words": [text.split() for text in TEXT], "t": [["O", "B-X", "I-X", "O", "O", "O", "O", "O", "O", "O"]] * N},
        "labelling", {"token": "words", "tag": "t"}, {"scheme": "bio"},
    ),
    (
        {"w": TEXT, "t": ["D V N N C D D P V R"] * N},
        "labelling", {"token": "w", "tag": "t"}, {"scheme": "raw", "metric": "accuracy"},
    ),
    (
        {"Sentence #": [f"Sentence: {n // 4}" for n in range(N)], "Word": [f"w{n}" for n in range(N)],
         "Tag": cycle("O", "B-X", "I-X", "O")},
        "labelling", {"token": "Word", "tag": "Tag", "sentence": "Sentence #"}, {"scheme": "bio"},
    ),
    ({"text": TEXT, "entities": [[[0, 4, "X"]]] * N}, "labelling", {"text": "text", "entities": "entities"}, {}),
    (
        {"context": TEXT, "question": OTHER, "answers": [{"text": [t[8:22]], "answer_start": [8]} for t in TEXT]},
        "span",
        {"question": "question", "context": "context", "answers": "answers.text",
         "answer_start": "answers.answer_start"}, {},
    ),
    (
        {"Abschnitt": [f"{t}, {o}" for t, o in zip(TEXT, OTHER, strict=True)], "Frage": OTHER[::-1],
         "Antwort": [f"text number {n}" for n in range(N)], "Anfang": [8] * N, "Seite": [*range(N)]},
        "span", {"question": "Frage", "context": "Abschnitt", "answers": "Antwort", "answer_start": "Anfang"}, {},
    ),
    (
        {"sentence1": TEXT, "sentence2": OTHER, "word": ["text"] * N, "start1": [8] * N, "end1": [12] * N,
         "start2": [4] * N, "end2": [8] * N, "label": cycle(True, False)},
        "word_in_context",
        {"text_a": "sentence1", "text_b": "sentence2", "start_a": "start1", "start_b": "start2", "end_a": "end1",
         "end_b": "end2", "word_a": "word", "word_b": "word", "label": "label"}, {},
    ),
    (
        {"url": [f"http://x/{n}" for n in range(N)], "title": TEXT, "text": [3 * t for t in OTHER]},
        "masked_lm", {"text": "text"}, {},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "kind", "meanings", "options"), CASES, ids=[case[1] for case in CASES])
def test_each_kind(columns: dict[str, list[Any]], kind: str, meanings: dict[str, Any], options: dict[str, Any]) -> None:
    assert guess(**columns) == (kind, meanings, options)


@pytest.mark.parametrize(
    "columns",
    [
        {"id": [*range(N)], "n": cycle(1, 2)},
        {"text": TEXT, "label": [f"l{n}" for n in range(N)]},  # as many labels as rows
        {"text": TEXT, "labels": cycle([0, 1, 1], [1, 0, 0])},  # whose names stand nowhere
    ],
)
def test_what_is_like_no_kind(columns: dict[str, list[Any]]) -> None:
    assert guess(**columns) is None


def test_labels_that_are_named_beside_numbers() -> None:
    found = guess(text=TEXT, label=cycle(100, 101), label_desc=cycle("news", "sport"))
    assert found is not None and found[1]["label"] == "label_desc"


def test_a_kind_of_another_package_takes_part_by_the_names_of_its_columns() -> None:
    register_kind("stars", "tests.kinds.stars")
    try:
        assert guess(review=cycle("a"), stars=cycle(1, 2)) == ("stars", {"review": "review", "stars": "stars"}, {})
    finally:
        forget_kind("stars")


SUGGESTIVE = [
    "text", "sentence1", "sentence2", "label", "score", "question", "context", "answers", "answer_start", "choices",
    "choice1", "choice2", "start1", "start2", "end1", "end2", "word", "tokens", "tags", "entities", "documents", "a",
    "language", "split", "answers.text", "passage.questions", "b", "c", "d", "sentence", "tag",
]  # fmt: skip
KEYS = st.sampled_from(["text", "label", "start", "end", "question", "answers", "title"])
TEXTS = st.sampled_from(["", "a", "a b c d", "B-X", "O", "北京", "0", "nan"]) | st.text(max_size=5)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(), TEXTS)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
some_rows = st.lists(st.dictionaries(st.sampled_from(SUGGESTIVE), values, max_size=7), min_size=1, max_size=12)


@given(some_rows, st.booleans())
def test_whatever_the_values_are(rows: list[dict[str, Any]], alike: bool) -> None:
    """A guess or none, and never an error."""
    choose_kind(Sample("jsonl", columns_of(rows * 9 if alike else rows)))
