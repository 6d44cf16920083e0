"""Which texts are read together, and how long the longest sequence must be."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec import Corpus, parse_corpora_file
from skill_plugin.text.template import Template

COLUMNS = {
    "classification": "text_a: a, text_b: b, text_c: c",
    "ranking": "text_a: a, choices: c",
    "span": "question: q, context: c",
    "next_sentence": "text: t",
    "masked_lm": "text: t",
}


def corpus_of(kind: str) -> Corpus:
    columns = f"kind: {kind}, language: en, format: jsonl, columns: {{{COLUMNS[kind]}}}, test: none"
    return parse_corpora_file(f"languages: [en]\ncorpora:\n  c: {{{columns}}}\n", Path("corpora.yaml")).corpora["c"]


@pytest.mark.parametrize(
    ("kind", "texts", "candidates", "lengths", "count"),
    [
        ("classification", [3, 4, 5], [], [12], 3),
        ("ranking", [3, 4], [1, 2, 10], [8, 9, 17], 2),
        ("span", [3, 40], [], [43], 2),
        ("next_sentence", [3, 4, 5], [], [12], 2),
        ("next_sentence", [3], [], [], 2),
        ("masked_lm", [30], [], [30], 1),
    ],
)
def test_what_is_read_together(
    kind: str, texts: list[int], candidates: list[int], lengths: list[int], count: int
) -> None:
    rule = kind_named(kind).sequence_rule(corpus_of(kind))
    assert rule.uncut(rule.sizes([texts], [candidates])).tokens.tolist() == lengths
    assert rule.texts == count


@pytest.mark.parametrize("template", [Template(1, token_types=True), Template(2, token_types=False)])
@pytest.mark.parametrize("kind", COLUMNS)
def test_no_room_for_texts(kind: str, template: Template) -> None:
    make, corpus = kind_named(kind).sequence_rule, corpus_of(kind)
    special = template.special_tokens(make(corpus).texts)
    assert make(corpus, template, special + 1).room == 1
    for length in (special, special - 1):
        tokens = "1 token" if length == 1 else f"{length} tokens"
        told = f"the longest sequence has {tokens}; expected at least {special + 1}"
        with pytest.raises(InputError) as error:
            make(corpus, template, length)
        assert str(error.value) == f"corpora.yaml:3: corpus 'c': {told}"


def test_rows_of_another_number_of_texts() -> None:
    rule = kind_named("classification").sequence_rule(corpus_of("classification"))
    with pytest.raises(InputError, match=r"corpora\.yaml:3: corpus 'c' has 3 text columns, but its rows have 2 texts"):
        rule.lengths(rule.sizes([[1, 2]], [()]))
