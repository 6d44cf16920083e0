"""Columns and options by kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.kinds.labelling.keys import LabellingKeys
from skill_plugin.kinds.ranking.keys import RankingKeys
from skill_plugin.kinds.registry import every_kind
from skill_plugin.spec import Corpus, parse_corpora_file

HEAD = "languages: [en, zh, sr-Latn]\ncorpora:\n  a:\n"


def corpus(*lines: str, language: str = "en", splits: str = "train: x") -> Corpus:
    section = "".join(f"    {line}\n" for line in (*lines, f"language: {language}", splits))
    return parse_corpora_file(HEAD + section, Path("c.yaml")).corpora["a"]


def fault(*lines: str, splits: str = "train: x") -> str:
    with pytest.raises(InputError) as caught:
        corpus(*lines, splits=splits)
    return str(caught.value).removeprefix("c.yaml:")


def test_default_metrics() -> None:
    expected = {
        "classification": "accuracy",
        "multilabel": "micro_f1",
        "regression": "pearson",
        "ranking": "accuracy",
        "labelling": "f1",
        "span": "f1",
        "word_in_context": "accuracy",
        "masked_lm": "perplexity",
        "next_sentence": "accuracy",
    }
    assert {kind.name: kind.default_metric for kind in every_kind()} == expected


def test_what_counts_in_the_average() -> None:
    a = corpus("kind: masked_lm", "format: jsonl", "columns: {text: text}")
    b = corpus("kind: masked_lm", "format: jsonl", "columns: {text: text}", "in_average: true")
    c = corpus("kind: regression", "format: jsonl", "columns: {text_a: a, score: s}")
    assert (a.in_average, b.in_average, c.in_average) == (False, True, True)


def test_words_are_joined_as_the_language_is_written() -> None:
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
    joins = [corpus(*lines, language=language).join for language in ("en", "zh", "sr-Latn")]
    assert joins == ["space", "none", "space"]
    assert corpus(*lines, "join: space", language="zh").join == "space"


def test_choices_may_be_several_columns() -> None:
    a = corpus("kind: ranking", "format: jsonl", "columns: {text_a: p, choices: [c1, 2], label: l}")
    assert a.columns["choices"] == ("c1", 2)
    message = fault("kind: ranking", "format: jsonl", "columns: {text_a: p, text_b: b, label: [l, m]}")
    assert message.startswith("6: corpus 'a' has a list of columns for 'label', which is one column")


def test_columns_that_the_format_gives() -> None:
    columns = ["question", "context", "answers", "is_impossible", "id"]
    assert list(corpus("kind: span", "format: squad").columns) == columns
    assert corpus("kind: masked_lm", "format: conll").columns == {"text": "text"}
    assert corpus("kind: next_sentence", "format: conll", "columns: {token: 1}").columns["token"] == 1


def test_a_test_split_alone_needs_no_answers() -> None:
    a = corpus("kind: labelling", "format: conll", "columns: {token: 0}", splits="test: x")
    assert a.columns == {"token": 0}


FAULTS = [
    ("ranking", "tsv", "{text_a: a, label: l}", "6: corpus 'a' misses the column 'text_b' or 'text_a' and 'choices'"),
    ("ranking", "tsv", "{text_a: a, text_b: b}", "6: corpus 'a' misses the column 'label', which the kind 'ranking'"),
    (
        "ranking",
        "jsonl",
        "{text_a: a, choices: c}",
        "6: corpus 'a' misses the column 'label' or 'candidate_label', which",
    ),
    ("ranking", "jsonl", "{text_a: a, choices: c, label: l, candidate_label: m}", "6: corpus 'a' has both columns"),
    (
        "ranking",
        "tsv",
        "{text_a: a, text_b: b, label: l, candidate_text: t}",
        "6: corpus 'a' has the column 'candidate_text', which does not go with text_a, text_b",
    ),
    ("labelling", "tsv", "{token: a}", "6: corpus 'a' misses the column 'tag', which the kind 'labelling' needs"),
    ("labelling", "tsv", "{tag: a}", "6: corpus 'a' misses the column 'token' or 'text', which the kind 'labelling'"),
    ("labelling", "tsv", "{token: a, tag: b, entities: c}", "6: corpus 'a' has the column 'entities', which does not"),
    ("labelling", "tsv", "{text: a, entities: c}", "6: corpus 'a' has the column 'entities', which the format 'tsv'"),
    ("labelling", "conll", "{tokn: 1, tag: 2}", "6: corpus 'a' has an unknown column 'tokn'; did you mean 'token'?"),
    ("span", "squad", "{question: q}", "6: corpus 'a' has format 'squad', whose columns are known"),
    ("span", "jsonl", "{question: q, context: c}", "6: corpus 'a' misses the column 'answers', which the kind 'span'"),
    (
        "word_in_context",
        "jsonl",
        "{text_a: a, start_a: s, start_b: t, label: l}",
        "6: corpus 'a' misses the column 'end_a' or 'word_a', which says where the word ends",
    ),
    ("next_sentence", "jsonl", "{txt: t}", "6: corpus 'a' has an unknown column 'txt'; did you mean 'text'?"),
    ("next_sentence", "jsonl", "{document: t}", "6: corpus 'a' misses the column 'sentence' or 'text', which the kind"),
    ("masked_lm", "conll", "{text: 1}", "6: corpus 'a' has an unknown column 'text'; expected {token: 1} to join"),
]


@pytest.mark.parametrize(("kind", "format_", "columns", "expected"), FAULTS)
def test_columns_that_do_not_fit(kind: str, format_: str, columns: str, expected: str) -> None:
    message = fault(f"kind: {kind}", f"format: {format_}", f"columns: {columns}")
    assert message[: len(expected)] == expected


def test_columns_of_parallel_files() -> None:
    message = fault("kind: labelling", "format: lines", splits="train: {token: x}")
    assert message == "7: corpus 'a' misses the column 'tag' in train, which the kind 'labelling' needs"
    message = fault("kind: ranking", "format: lines", splits="train: {text_a: x, choices: y, label: z}")
    assert message.startswith("7: corpus 'a' has the column 'choices', which a line of text cannot hold")


OPTIONS = [
    ("labels: [a, b]", "regression", "text_a: a, score: b"),
    ("scheme: bio", "classification", "text_a: a, label: b"),
    ("score_range: [0, 5]", "classification", "text_a: a, label: b"),
    ("score_scale: raw", "ranking", "text_a: a, text_b: b, label: c"),
    ("without_positive: zero", "classification", "text_a: a, label: b"),
    ("loss: listwise", "classification", "text_a: a, label: b"),
    ("offsets: words", "classification", "text_a: a, label: b"),
    ("label_separator: ' '", "classification", "text_a: a, label: b"),
    ("word_separator: ' '", "classification", "text_a: a, label: b"),
    ("positive_label: x", "ranking", "text_a: a, text_b: b, label: c"),
    ("stride: 3", "classification", "text_a: a, label: b"),
    ("max_answer: 3", "classification", "text_a: a, label: b"),
]


@pytest.mark.parametrize(("option", "kind", "columns"), OPTIONS)
def test_options_belong_to_kinds(option: str, kind: str, columns: str) -> None:
    message = fault(f"kind: {kind}", option, "format: tsv", f"columns: {{{columns}}}")
    name = option.split(":")[0]
    assert message.startswith(f"5: corpus 'a' has the option {name!r} of ")
    assert message.endswith(f"but its kind is {kind!r}")


def test_patterns_of_tokens() -> None:
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
    assert corpus(*lines, r"pattern: '(.+?)\d*'").pattern == r"(.+?)\d*"
    assert "pattern: '(' is no regular expression: missing )" in fault(*lines, "pattern: '('")
    assert "pattern: '.*' has 0 groups; expected one, around the token" in fault(*lines, "pattern: '.*'")
    assert "has the option 'pattern' of labelling, masked_lm" in fault(
        "kind: regression", "format: jsonl", "columns: {text_a: a, score: s}", "pattern: (.*)"
    )


def test_values_of_options() -> None:
    lines = ("format: jsonl", "columns: {text_a: a, score: b}")
    assert fault("kind: regression", "score_range: [5, 0]", *lines).endswith("from 5 to 0; expected [LOWEST, HIGHEST]")
    assert "expected a finite number" in fault("kind: regression", "score_range: [0, .inf]", *lines)
    assert "score_range" in fault("kind: regression", "score_range: [0]", *lines)  # an item that is missing has no line
    lines = ("format: jsonl", "columns: {text_a: a, text_b: b, label: c}", "kind: ranking")
    assert RankingKeys.of(corpus(*lines)).ranked_by == "probability"
    assert RankingKeys.of(corpus(*lines, "loss: graded", "grades: 5")).ranked_by == "expected"
    assert RankingKeys.of(corpus(*lines, "loss: listwise")).ranked_by is None
    assert "grades', which say something for loss: graded only, not pointwise" in fault(*lines, "grades: 5")
    assert "expected a whole number from 2, not 1" in fault(*lines, "loss: graded", "grades: 1")
    assert fault(*lines, "loss: graded", "ranked_by: logit").endswith("is graded; expected one of: expected, likeliest")
    assert fault(*lines, "loss: listwise", "ranked_by: logit").endswith("expected none, as there is only one")
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
    assert "unknown value 'boi'; did you mean 'bio'?" in fault("scheme: boi", *lines)
    assert "has the option 'each' of jsonl, json" in fault("each: x", *lines)


def test_as_needs_the_same_kind() -> None:
    text = HEAD + "    kind: span\n    language: en\n    format: squad\n    train: x\n  b:\n    as: a\n"
    text += "    kind: labelling\n    language: zh\n    test: x\n"
    with pytest.raises(InputError, match="10: corpus 'b' shares with 'a', whose kind is 'span', not 'labelling'"):
        parse_corpora_file(text, Path("c.yaml"))


@pytest.mark.parametrize("articles", ["0-18", "a:b", "-1:2", "1:2:3", "5"])
def test_articles_are_a_slice(articles: str) -> None:
    message = fault("kind: span", "format: squad", splits=f"train: {{path: x, articles: '{articles}'}}")
    assert message.startswith("7: corpus 'a': train: articles: expected \"FIRST:LAST\" with numbers from 0")


def test_where_needs_columns_that_are_there() -> None:
    message = fault("kind: span", "format: squad", "where: {titel: x}")
    assert message == "6: corpus 'a' has an unknown column 'titel' in 'where'; did you mean 'title'?"
    message = fault("kind: masked_lm", "format: lines", "where: {txt: x}", splits="train: {text: x}")
    assert message == "6: corpus 'a' has an unknown column 'txt' in 'where'; did you mean 'text'?"
    assert "has the option 'where' of" in fault("kind: masked_lm", "format: conll", "where: {0: x}")


def test_another_format_than_that_of_as_starts_without_its_columns() -> None:
    text = HEAD + "    kind: labelling\n    language: en\n    format: conll\n    separator: ' '\n    lenient: true\n"
    text += "    columns: {token: 0, tag: 1}\n    train: x\n  b:\n    as: a\n    language: zh\n    format: jsonl\n"
    text += "    columns: {text: t, entities: e}\n    test: y\n"
    b = parse_corpora_file(text, Path("c.yaml")).corpora["b"]
    assert (b.columns, b.separator, b.join) == ({"text": "t", "entities": "e"}, "\t", "none")
    assert LabellingKeys.of(b).lenient
