"""What a person may ask, by kind, and what is said of what cannot be asked."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import make_input_form
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import CORPORA, examples, make_reading, raw_input

LINE = st.text().map(lambda line: line.replace("\n", " "))


@pytest.fixture(scope="module")
def corpora(encoders: dict[str, TextEncoder]) -> dict[str, Corpus]:
    return {name: make_reading(name, encoders["word_piece"]).corpus for name in CORPORA}


@given(LINE, LINE)
def test_lines_of_texts_alone(corpora: dict[str, Corpus], first: str, second: str) -> None:
    for name in ("one", "mlm"):
        line = f"{first}\t{second}"
        assert make_input_form(corpora[name]).example(make_input_form(corpora[name]).parse_line(line)).texts == (line,)
    before = first.replace("\t", " ")
    for name in ("pair", "topics", "score", "nsp"):
        for line, texts in ((f"{before}\t{second}", (before, second)), (before, (before, ""))):
            assert (
                make_input_form(corpora[name]).example(make_input_form(corpora[name]).parse_line(line)).texts == texts
            )


@given(LINE | st.sampled_from(['{"text": "It is 北京"}', '{"tokens": ["It", "is"]}']))
def test_a_line_is_a_sentence(corpora: dict[str, Corpus], line: str) -> None:
    for name in ("tags", "signs"):
        made = make_input_form(corpora[name]).example(make_input_form(corpora[name]).parse_line(line))
        if made.texts != (line,):  # a JSON object with the kind's keys after all
            assert {"text", "words", "token", "tokens"} & set(json.loads(line))
        inked = [i for i, character in enumerate(made.texts[0]) if not character.isspace()]
        assert [i for start, end in made.words for i in range(start, end)] == inked


def test_every_kind_has_a_sample(corpora: dict[str, Corpus]) -> None:
    for name, corpus in corpora.items():
        form = make_input_form(corpus)
        made = form.sample(("The cat sat", "Who closed it"))
        assert len(made.texts) == len(form.texts), name
        assert made.texts[0] == "The cat sat", name
    found = [make_input_form(corpora[name]).sample(("The cat sat", "Who closed it")) for name in ("wic", "wsc")]
    words = [[one.texts[text][start:end] for text, start, end in one.spans] for one in found]
    assert words == [["The", "Who"], ["The", "sat"]]


@pytest.mark.parametrize("line", ['{"a": 1}', "{", "{}", "[1, 2]", '"words"', "{:-) smile", '{"a": {"words": 1}}'])
def test_a_sentence_may_look_like_json(corpora: dict[str, Corpus], line: str) -> None:
    assert make_input_form(corpora["tags"]).example(make_input_form(corpora["tags"]).parse_line(line)).texts == (line,)


@pytest.mark.parametrize("name", ["choice", "search", "tags", "signs", "span", "wic", "wsc"])
def test_json_lines(corpora: dict[str, Corpus], name: str) -> None:
    """The example that is asked about is the one that a reader would give, but for its answer."""
    for made in examples(name, 30, words=6):
        asked = raw_input(name, made)
        parsed = make_input_form(corpora[name]).parse_line(json.dumps(asked))
        assert parsed == asked
        assert make_input_form(corpora[name]).example(parsed) == made._replace(answer=None, file="", line=0)


def test_other_ways_to_ask(corpora: dict[str, Corpus]) -> None:
    def ask(name: str, value: Any) -> Example:
        return make_input_form(corpora[name]).example(value)

    assert ask("one", "a\tb").texts == ask("one", ["a\tb"]).texts == ask("one", {"text_a": "a\tb"}).texts == ("a\tb",)
    assert ask("pair", ("a", "b")).texts == ask("pair", {"text_b": "b", "text_a": "a"}).texts == ("a", "b")
    assert ask("pair", {"text_b": "b"}).texts == ("", "b")
    assert ask("mlm", {"text": "a"}).texts == ("a",)
    assert ask("tags", ["a b", "c"]).words == ask("tags", {"tokens": ["a b", "c"]}).words == ((0, 3), (4, 5))
    assert ask("signs", ["北", "京"]).texts == ("北京",)
    assert ask("span", ("q", "c")).texts == ask("span", {"question": "q", "context": "c", "id": 7}).texts == ("q", "c")
    assert ask("span", make_input_form(corpora["span"]).parse_line("q\tc\td")).texts == ("q", "c\td")
    for value in (
        ["q", "a", "b"],
        {"query": "q", "choices": ["a", "b"]},
        make_input_form(corpora["choice"]).parse_line("q\ta\tb"),
    ):
        assert (ask("choice", value).texts, ask("choice", value).candidates) == (("q",), ("a", "b"))
    assert ask("choice", "q").candidates == ask("choice", []).candidates == ("",)
    found = ask("search", {"text_a": "p", "question": "q", "candidates": ["a"]})
    assert (found.texts, found.candidates) == (("p", "q"), ("a",))
    assert ask("search", ("p", "q", "a")) == found


def test_words_in_context(corpora: dict[str, Corpus]) -> None:
    def spans(name: str, **value: Any) -> tuple[Any, ...]:
        return make_input_form(corpora[name]).example(value).spans

    texts = {"text_a": "a cat, a cat", "text_b": "the cat"}
    assert spans("wic", **texts, word_a="cat", word_b="cat") == ((0, 2, 5), (1, 4, 7))
    assert spans("wic", **texts, word_a="cat", start_a=9, word_b="cat") == ((0, 9, 12), (1, 4, 7))
    assert spans("wic", **texts, start_a=9, end_a=10, start_b=0, end_b=3) == ((0, 9, 10), (1, 0, 3))
    assert spans("wsc", text_a="Mark said he", word_a="Mark", word_b="he") == ((0, 0, 4), (0, 10, 12))


def test_offsets_in_words(encoders: dict[str, TextEncoder]) -> None:
    corpus = make_reading("wsc", encoders["word_piece"], offsets="words").corpus
    asked = {"text_a": "The  old Mark said that he left", "start_a": 0, "start_b": 5}
    assert make_input_form(corpus).example({**asked, "word_a": "The old Mark"}).spans == ((0, 0, 13), (0, 24, 26))
    assert make_input_form(corpus).example({**asked, "end_a": 2}).spans == ((0, 0, 8), (0, 24, 26))
    with pytest.raises(InputError, match="start_b is 7 and end_b 8; expected offsets in words, 0 to 7"):
        make_input_form(corpus).example({**asked, "start_b": 7})


FAULTS: list[tuple[str, Any, str]] = [
    ("one", ["a", "b"], "2 texts; the corpus 'one' has 1"),
    ("one", {"text": "a"}, "unknown key 'text'; did you mean 'text_a'?"),
    ("one", 7, "expected a text, a list of texts or a mapping, not 7"),
    ("one", [7], "expected a text, a list of texts or a mapping, not [7]"),
    ("pair", {"text_a": 7}, "expected a text under 'text_a', not 7"),
    ("pair", {}, "expected texts under 'text_a' and 'text_b', the keys are none"),
    ("tags", {}, "expected a text under 'text', the keys are none"),
    ("tags", {"words": "a b"}, "expected a list of texts under 'words', not 'a b'"),
    ("span", {"question": "q"}, "expected a text under 'context', the keys are 'question'"),
    ("choice", {"text_a": "q", "candidates": []}, "no candidates; expected a list of one or more"),
    ("choice", {"text_a": "q", "candidats": ["a"]}, "unknown key 'candidats'; did you mean 'candidates'?"),
    ("search", {"text_a": "q", "candidates": ["a"]}, "expected a text under 'question'"),
    ("wic", "a\tb", "the kind word_in_context takes the keys text_a, text_b, word_a"),
    ("wsc", {"text_a": "a cat", "word_a": "dog", "word_b": "cat"}, "the word 'dog' is not in its text"),
    ("wsc", {"text_a": "a cat", "word_a": "", "word_b": "cat"}, "the word '' is not in its text"),
    ("wsc", {"text_a": "a cat", "word_b": "cat"}, "expected a text under 'word_a'"),
    (
        "wsc",
        {"text_a": "a cat", "start_a": 5, "end_a": 6},
        "start_a is 5 and end_a 6; expected offsets in characters, 0 to 5",
    ),
    ("wsc", {"text_a": "a cat", "start_a": True, "end_a": 3}, "start_a is True and end_a 3; expected offsets"),
    ("wsc", {"text_a": "a cat", "start_a": 2}, "start_a is 2 and end_a None; expected offsets"),
]


@pytest.mark.parametrize(("name", "value", "message"), FAULTS)
def test_what_cannot_be_asked(corpora: dict[str, Corpus], name: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make_input_form(corpora[name]).example(value)


def test_lines_that_are_no_json(corpora: dict[str, Corpus]) -> None:
    for name in ("span", "choice", "wic"):
        with pytest.raises(InputError, match="not JSON: "):
            make_input_form(corpora[name]).parse_line('{"question": ')
        with pytest.raises(InputError, match="not JSON that can be read: the key 'question' stands twice"):
            make_input_form(corpora[name]).parse_line('{"question": "q", "question": "r"}')
        with pytest.raises(InputError, match="not JSON that can be read: nested too deeply"):
            make_input_form(corpora[name]).parse_line('{"a":' * 100_000)
    with pytest.raises(InputError, match="takes JSON lines with the keys text_a, text_b, word_a"):
        make_input_form(corpora["wic"]).parse_line("a\tb")
