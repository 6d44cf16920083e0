"""Entities in a text, as annotation tools and CLUENER write them, become tags of its words."""

from __future__ import annotations

from typing import Any

import pytest

from skill_plugin.kinds.input_form import make_input_form
from tests.one_corpus import Read, faults, json_lines, notices, words_and_tags

ENTITIES = ("kind: labelling", "format: jsonl", "columns: {text: text, entities: label}")


def entities(text: str, *spans: tuple[str, int, int]) -> dict[str, Any]:
    label: dict[str, dict[str, list[list[int]]]] = {}
    for name, start, end in spans:
        label.setdefault(name, {}).setdefault(text[start:end], []).append([start, end - 1])
    return {"text": text, "label": label}


def test_entities_have_inclusive_ends(read: Read) -> None:
    lines = (*ENTITIES, "join: none")  # each character is a word
    data = read(*lines, train=json_lines(entities("浙商 银行的叶老桂", ("company", 0, 5), ("name", 6, 9))))
    example = data.splits["train"].examples[0]
    assert [example.texts[0][a:b] for a, b in example.words] == list("浙商银行的叶老桂")
    assert example.answer == ("B-company", *["I-company"] * 3, "O", "B-name", "I-name", "I-name")
    data = read(*lines, train=json_lines(entities("abcdef", ("x", 0, 2), ("y", 1, 4), ("x", 4, 6))))
    assert data.splits["train"].examples[0].answer == ("O", "B-y", "I-y", "I-y", "B-x", "I-x")
    assert notices(data) == ["1: entities left out because they overlap a longer one: 1, the first one here ('ab')"]
    data = read(*lines, train=json_lines({"text": "abc", "label": {"x": {"ad": [[0, 1]]}}}))
    assert notices(data) == [
        "1: entities whose text is nowhere, taken at their offsets: 1, the first one here ('ad' is 'ab' there)"
    ]
    data = read(*ENTITIES, test=json_lines({"text": "abc"}))
    assert data.splits["test"].examples[0].answer is None


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ({"x": {"d": [[0, 3]]}}, "1: the entity 'd' is at [the number 0, the number 3]; expected first and last"),
        ({"x": {"d": [[2, 1]]}}, "1: the entity 'd' is at [the number 2, the number 1]; expected first and last"),
        ({"x": {"a": [0]}}, "1: a span of the entity 'a' is the number 0; expected [first, last]"),
        ({"x": [0, 1]}, "1: the entities of type 'x' are a list of 2; expected {type: {text: [[first, last]]}}"),
        (3, "1: the entities are the number 3; expected {type: {text: [[first, last]]}}, or a list of [start, end, "),
        (
            [[0, 4, "x"]],
            "1: the entity 'x' is at [the number 0, the number 4]; expected first character and the one past",
        ),
        (
            [[1, 1, "x"]],
            "1: the entity 'x' is at [the number 1, the number 1]; expected first character and the one past",
        ),
        ([[0, 1]], "1: an entity is [0, 1]; expected [start, end, type] or {start: …, end: …, label: …}"),
        ([{"start": 0, "end": 1}], "1: an entity has the keys ['start', 'end']; expected [start, end, type] or {start"),
        ([[0, 1, ""]], "1: the type of an entity is empty; expected a string or a whole number"),
    ],
)
def test_entities_that_are_broken(read: Read, label: Any, message: str) -> None:
    assert faults(read(*ENTITIES, train=json_lines({"text": "abc", "label": label})))[0].startswith(message)


def test_entities_of_annotation_tools(read: Read) -> None:
    """Ends are exclusive; the words of a text are those that predict finds in it."""
    text = "Anna Beck (32) lives in Kiel."
    words = ["Anna", "Beck", "(", "32", ")", "lives", "in", "Kiel", "."]
    tags = ("B-PER", "I-PER", *["O"] * 5, "B-LOC", "O")
    spacy = [{"start": 24, "end": 28, "label": "LOC", "token_start": 7}, {"start": 0, "end": 9, "label": "PER"}]
    doccano = [{"id": 1, "start_offset": 0, "end_offset": 9, "label": "PER"}, [24, 28, "LOC"]]
    for label in ([[0, 9, "PER"], [24, 28, "LOC"]], spacy, doccano):
        data = read(*ENTITIES, train=json_lines({"text": text, "label": label}, {"text": "It rained.", "label": []}))
        assert (faults(data), notices(data)) == ([], [])
        assert words_and_tags(data) == [(words, tags), (["It", "rained", "."], ("O", "O", "O"))]
        assert words == [text[a:b] for a, b in make_input_form(data.corpus).example(text).words]
    moved = [{"start": 1, "end": 10, "label": "PER", "text": "Anna Beck"}, [24, 27, "LOC"], [9, 10, "X"]]
    data = read(*ENTITIES, train=json_lines({"text": text, "label": moved}))
    assert words_and_tags(data) == [(words, tags)]
    assert notices(data) == [
        "1: entities that are not at their offsets, found by their text: 1, the first one here ('Anna Beck')",
        "1: entities of white space alone, left out: 1, the first one here",
        "1: entities that begin or end within a word, which is tagged as a whole: 1, the first one here ('Kie')",
    ]
