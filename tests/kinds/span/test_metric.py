"""Answers score as in the official scripts of SQuAD (English) and MLQA (other languages), whose logic is here again."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.kinds.span.metric import Span
from skill_plugin.metrics.metric import MetricState

WORDS = {
    "en": [
        "the",
        "a",
        "An",
        "then",
        "cat",
        "Cat.",
        "CAT's",
        "1,000",
        "—",
        "“cat”",
        "İ",
        "the,",
        ".",
        "\u00a0",
        "\u2028",
    ],
    "de": ["der", "Die", "eine", "Straße", "STRASSE", "„Straße“", "Ein", "dem.", "—", "$"],
    "es": ["el", "Los", "unas", "niño", "¿niño?", "¡una!", "la,", "o"],
    "zh": ["北京", "京", "，", "BERT", "base", " ", "2019", "年", "《红楼梦》", "。", "㐀"],
    "vi": ["của", "là", "cái", "nhà"],
    "ar": ["ال", "البيت", "بيت", "؟"],
    "hi": ["घर", "का", "।"],
}


def squad_normalised(text: str) -> str:
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squad_exact(given_: str, gold: str) -> int:
    return int(squad_normalised(given_) == squad_normalised(gold))


def squad_f1(given_: str, gold: str, version: int) -> float:
    given_tokens, gold_tokens = squad_normalised(given_).split(), squad_normalised(gold).split()
    same = sum((Counter(given_tokens) & Counter(gold_tokens)).values())
    if version == 2 and (len(gold_tokens) == 0 or len(given_tokens) == 0):
        return int(gold_tokens == given_tokens)
    if same == 0:
        return 0
    precision, recall = same / len(given_tokens), same / len(gold_tokens)
    return 2 * precision * recall / (precision + recall)


MLQA_ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "ar": r"\sال^|ال",
}


def mlqa_normalised(text: str, language: str) -> str:
    def is_punctuation(c: str) -> bool:
        return unicodedata.category(c).startswith("P") or c in string.punctuation

    text = "".join(c for c in text.lower() if not is_punctuation(c))
    text = re.sub(MLQA_ARTICLES[language], " ", text) if language in MLQA_ARTICLES else text
    if language != "zh":
        return " ".join(text.split())
    segments, run = [], ""
    for c in text:
        if re.search(r"[\u4e00-\u9fa5]", c) or is_punctuation(c):
            segments += [*run.split(), c]
            run = ""
        else:
            run += c
    return " ".join(segments + run.split())


def mlqa_scores(given_: str, gold: str, language: str) -> tuple[float, float]:
    given_, gold = mlqa_normalised(given_, language), mlqa_normalised(gold, language)
    same = sum((Counter(given_.split()) & Counter(gold.split())).values())
    precision, recall = same / max(len(given_.split()), 1), same / max(len(gold.split()), 1)
    return float(given_ == gold), 2 * precision * recall / (precision + recall) if same else 0.0


def texts(language: str) -> st.SearchStrategy[str]:
    separator = "" if language == "zh" else " "
    return st.one_of(st.lists(st.sampled_from(WORDS[language]), max_size=5).map(separator.join), st.text(max_size=12))


def questions(language: str) -> st.SearchStrategy[list[tuple[str, list[str]]]]:
    return st.lists(st.tuples(texts(language), st.lists(texts(language), max_size=3)), min_size=1, max_size=6)


def counted(metric: Span, items: list[tuple[str, list[str]]]) -> MetricState:
    state = np.zeros(metric.size)
    metric.count(state, [answer for answer, _ in items], [golds for _, golds in items], range(len(items)))
    return state


@given(questions("en"))
def test_english_is_squad_2(items: list[tuple[str, list[str]]]) -> None:
    exact, f1 = [], []
    for answer, golds in items:
        golds = [gold for gold in golds if squad_normalised(gold)] or [""]
        exact.append(max(squad_exact(answer, gold) for gold in golds))
        f1.append(max(squad_f1(answer, gold, version=2) for gold in golds))
    for name, values in (("exact_match", exact), ("f1", f1)):
        metric = Span(name, "en")
        state = counted(metric, items)
        assert metric.value(state) == pytest.approx(np.mean(values), abs=1e-12)
        assert metric.scored(state) == len(items)
    assert metric.details(state)["exact_match"] == pytest.approx(np.mean(exact), abs=1e-12)


@given(questions("en"))
def test_english_is_squad_1_where_every_question_has_an_answer(items: list[tuple[str, list[str]]]) -> None:
    items = [(answer, [gold for gold in golds if squad_normalised(gold)] or ["cat"]) for answer, golds in items]
    exact = [max(squad_exact(answer, gold) for gold in golds) for answer, golds in items]
    f1 = [max(squad_f1(answer, gold, version=1) for gold in golds) for answer, golds in items]
    for name, values in (("exact_match", exact), ("f1", f1)):
        metric = Span(name, "en")
        assert metric.value(counted(metric, items)) == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize("language", ["zh", "de", "es", "vi", "ar", "hi"])
def test_other_languages_are_mlqas(language: str) -> None:
    @given(questions(language))
    def check(items: list[tuple[str, list[str]]]) -> None:
        some = "北" if language == "zh" else "x"
        items = [(a, [g for g in golds if mlqa_normalised(g, language)] or [some]) for a, golds in items]
        scores = [[mlqa_scores(answer, gold, language) for gold in golds] for answer, golds in items]
        for column, name in enumerate(("exact_match", "f1")):
            metric = Span(name, language)
            expected = np.mean([max(score[column] for score in of_item) for of_item in scores])
            assert metric.value(counted(metric, items)) == pytest.approx(expected, abs=1e-12)

    check()


@pytest.mark.parametrize(
    ("language", "answer", "gold", "f1"),
    [
        ("zh", "北京市", "北京", 0.8),
        ("zh-Hant", "《紅樓夢》", "紅樓夢", 1),
        ("zh", "BERT base模型", "bert模型", 2 * 3 / (4 + 3)),
        ("ja", "東京タワー", "東京", 2 * 2 / (5 + 2)),
        ("th", "กรุงเทพ", "กรุง", 2 * 4 / (7 + 4)),
        ("de", "der Hund", "Hund", 1),
        ("de", "The Hund", "Hund", 2 / 3),  # another language's article stays
        ("fr", "« Le chat »", "le chat", 1),
        ("en-US", "The cat!", "cat", 1),
        ("", "x y", "x y", 1),
    ],
)
def test_token_rule(language: str, answer: str, gold: str, f1: float) -> None:
    metric = Span("f1", language)
    assert metric.value(counted(metric, [(answer, [gold])])) == pytest.approx(f1)


def test_no_answer() -> None:
    metric = Span("f1", "en")
    state = counted(metric, [("", []), ("cat", []), ("", ["cat"]), ("big cat", ["dog", "the cat"])])
    assert metric.value(state) == pytest.approx((1 + 0 + 0 + 2 / 3) / 4)
    assert metric.details(state) == pytest.approx(
        {
            "f1": metric.value(state),
            "exact_match": 0.25,
            "has_answer_f1": 1 / 3,
            "has_answer_exact_match": 0,
            "no_answer_accuracy": 0.5,
            "without_answer": 2,
        }
    )
