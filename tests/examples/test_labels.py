"""Labels of the collection: their types, names, and sets that repeat others, as the data's README says of them."""

from __future__ import annotations

import re
from pathlib import Path

from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import parse_corpora_file
from tests.examples import direct
from tests.examples.conftest import Read


def test_numbers_of_intents_have_the_names_that_the_texts_mean(read: Read) -> None:
    intents = {example.texts[0]: example.answer for example in read("topic-intent", "massive-de-intent")}
    assert intents["weck mich am freitag um neun uhr auf"] == "alarm_set"
    assert intents["hey ich brauche jetzt kaffee"] == "iot_coffee"
    assert intents["bitte bestelle sushi zum abendessen"] == "takeaway_order"
    assert intents["buche mir ein taxi siri"] == "transport_taxi"
    assert intents["regnet es"] == "weather_query"


def test_labels_of_one_task_may_have_several_types(raw: Path, read: Read) -> None:
    kinds = {
        name: {type(row["label"]) for row in direct.objects(raw / path)}
        for name, path in (
            ("bool", "fewglue/BoolQ/train.jsonl"),
            ("text", "superglue-boolq/val.jsonl"),
            ("number", "fewglue/COPA/train.jsonl"),
        )
    }
    assert kinds == {"bool": {bool}, "text": {str}, "number": {int}}
    first = direct.objects(raw / "fewglue/BoolQ/train.jsonl")[0]
    assert read("superglue", "boolq-32")[0].answer == {True: "yes", False: "no"}[first["label"]]
    row, example = direct.objects(raw / "fewglue/COPA/train.jsonl")[1], read("superglue", "copa-32")[1]
    assert (example.texts, example.candidates) == (
        (row["premise"], row["question"]),
        (row["choice1"], row["choice2"]),
    )
    assert (row["label"], example.answer) == (1, (0, 1))
    tnews = direct.objects(raw / "tnews/train_few_all.json")
    assert {type(row["label"]) for row in tnews} == {int}
    assert [example.answer for example in read("topic-intent", "tnews")[:1185]] == [row["label_desc"] for row in tnews]


def test_scattered_candidates_and_strings_as_relevance(read: Read) -> None:
    cmedqa = read("ranking", "cmedqa")
    assert sum(len(example.candidates) for example in cmedqa) == 1070 + 427
    assert sum(not any(example.answer) for example in cmedqa[:110]) == 62  # type: ignore[arg-type]
    assert sum(sum(example.answer) > 1 for example in cmedqa[:110]) == 32  # type: ignore[arg-type]
    cmedir = read("ranking", "cmedir")
    assert {len(example.candidates) for example in cmedir} == {2}
    assert {relevance for example in cmedir for relevance in example.answer} == {0, 1, 2, 3}  # type: ignore[union-attr]


def test_labelled_sets_repeat_unlabelled_tests(read: Read) -> None:
    unlabelled = [example for example in read("nli", "xnli-zh") if example.answer is None]
    assert [e.texts for e in unlabelled] == [e.texts for e in read("nli", "xnli-zh-labelled")[:60]]
    unlabelled = [example for example in read("paraphrase", "pawsx-de") if example.answer is None]
    assert [e.texts for e in unlabelled] == [e.texts for e in read("paraphrase", "pawsx-de-labelled")[:60]]
    pairs = list(zip(read("sentiment", "sst2")[4000:], read("sentiment", "sst2-glue"), strict=True))
    assert all(a.answer == b.answer for a, b in pairs)
    assert sum(letters(a.texts[0]) == letters(b.texts[0]) for a, b in pairs) > 850  # accents differ in the others
    assert {e.texts + e.candidates for e in read("superglue", "copa-32")[:32]} <= {
        e.texts + e.candidates for e in read("superglue", "copa")[:400]
    }


def letters(text: str) -> str:
    """Without brackets, points and hyphens, which the two forms of SST-2 write in their own ways."""
    return re.sub(r"\W|\b[lr]rb\b", "", text)


def test_dummy_labels_are_pointed_out(raw: Path) -> None:
    path = direct.COLLECTION / "superglue.yaml"
    valid = "${SKILL_DATA}/copa-en/val-en.jsonl\n"
    text = path.read_text(encoding="utf-8").replace(valid, valid + "    test: ${SKILL_DATA}/copa-en/test-en.jsonl\n", 1)
    file = parse_corpora_file(text, path)
    notices = [str(notice) for notice in CorpusReader(file).read(file.corpora["copa"]).splits["test"].notices]
    message = "queries whose right choice is number 0, as of all here (placeholders?): 60, the first one here"
    assert any(notice.endswith(message) for notice in notices)
