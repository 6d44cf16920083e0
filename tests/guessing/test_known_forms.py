"""Forms in which well-known data sets come, filled with made texts: they are guessed as a person would read them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from skill_plugin.guessing.corpora_text import corpora_text
from skill_plugin.guessing.find_labels import add_labels
from skill_plugin.guessing.guess_corpora import guess_corpora
from skill_plugin.spec import Corpus, read_corpora_file

WORDS = [
    "the", "of", "and", "to", "in", "that", "was", "they", "from", "have", "word", "what", "were", "when", "there",
    "which", "their", "said", "about", "many", "these", "would", "other", "into", "more", "time", "could", "make",
    "first", "been", "people", "water", "long", "little", "after", "called", "where", "most", "know", "over",
]  # fmt: skip
rng = random.Random(3)


def text(least: int = 6, most: int = 20) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most))).capitalize() + "."


def one_of(*values: Any) -> Any:
    return rng.choice(values)


def table(rows: list[list[Any]], separator: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def lines(row: Callable[[int], Any], count: int) -> str:
    return "".join(json.dumps(row(number)) + "\n" for number in range(count))


def parquet(rows: list[dict[str, Any]], **features: Any) -> bytes:
    found, out = pa.Table.from_pylist(rows), io.BytesIO()
    if features:
        found = found.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    pyarrow.parquet.write_table(found, out)
    return out.getvalue()


def tagged(number: int) -> dict[str, Any]:
    words = text().split()
    return {"id": str(number), "tokens": words, "ner_tags": [one_of(0, 0, 1, 2) for _ in words]}


def asked(number: int) -> dict[str, Any]:
    context = text(30, 60)
    answer = " ".join(context.split()[number % 20 :][:3])
    answers = {"text": [answer], "answer_start": [context.index(answer)]}
    return {"id": f"q{number}", "title": "t", "context": context, "question": text(4, 8), "answers": answers}


def sentence() -> str:
    tags = [(one_of("NN", "VB", "DT"), one_of("B-NP", "O"), one_of("O", "O", "B-PER", "B-LOC")) for _ in range(9)]
    return "".join(f"{one_of(*WORDS)} {' '.join(row)}\n" for row in tags)


def mnli(number: int) -> dict[str, Any]:
    return {
        "annotator_labels": ["neutral"], "genre": one_of("fiction", "travel"), "pairID": f"{number}n",
        "gold_label": one_of("entailment", "neutral", "contradiction", "-"), "sentence1": text(),
        "sentence1_parse": f"(ROOT {text()})", "sentence2": text(), "sentence2_parse": f"(ROOT {text()})",
    }  # fmt: skip


N = 120
PAIR = {"text_a": "sentence1", "text_b": "sentence2", "label": "gold_label"}
FORMS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "reviews of films": (
        {"IMDB Dataset.csv": table(
            [["review", "sentiment"], *([text(50, 90), one_of("positive", "negative")] for _ in range(N))])},
        "classification", {"text_a": "review", "label": "sentiment"},
    ),
    "spam": (
        {"SMSSpamCollection": "".join(f"{one_of('ham', 'ham', 'spam')}\t{text()}\n" for _ in range(N))},
        "classification", {"text_a": 1, "label": 0},
    ),
    "stars, title, body": (
        {"train.csv": table([[one_of(1, 2, 3, 4, 5), text(3, 6), text(30, 50)] for _ in range(N)])},
        "classification", {"text_a": 1, "text_b": 2, "label": 0},
    ),
    "news": (
        {"train.csv": table([["Class Index", "Title", "Description"],
                             *([one_of(1, 2, 3, 4), text(4, 8), text(20, 40)] for _ in range(N))])},
        "classification", {"text_a": "Title", "text_b": "Description", "label": "Class Index"},
    ),
    "questions": (
        {"train.csv": table([["id", "qid1", "qid2", "question1", "question2", "is_duplicate"],
                             *([n, 2 * n, 2 * n + 1, text(5, 9), text(5, 9), one_of(0, 1)] for n in range(N))])},
        "classification", {"text_a": "question1", "text_b": "question2", "label": "is_duplicate"},
    ),
    "MultiNLI": (
        {"multinli_1.0_train.jsonl": lines(mnli, N), "multinli_1.0_dev_matched.jsonl": lines(mnli, 30)},
        "classification", PAIR,
    ),
    "intents": (
        {"train.csv": table(
            [["text", "category"], *([text(5, 12), f"topic_{rng.randrange(40)}_x"] for _ in range(400))])},
        "classification", {"text_a": "text", "label": "category"},
    ),
    "fastText": (
        {"train.txt": "".join(f"__label__{one_of('pos', 'neg')} {text()}\n" for _ in range(N))},
        "classification", {"text_a": 1, "label": 0},
    ),
    "emotions of a hub": (
        {f"{split}-00000-of-00001.parquet": parquet(
            [{"text": text(), "label": one_of(0, 1, 2)} for _ in range(N)],
            label={"names": ["sad", "joy", "love"], "_type": "ClassLabel"},
        ) for split in ("train", "validation")},
        "classification", {"text_a": "text", "label": "label"},
    ),
    "entities of a hub": (
        {"train-00000-of-00001.parquet": parquet([tagged(n) for n in range(N)], ner_tags={
            "feature": {"names": ["O", "B-PER", "I-PER"], "_type": "ClassLabel"}, "_type": "Sequence"})},
        "labelling", {"token": "tokens", "tag": "ner_tags"},
    ),
    "SQuAD of a hub": (
        {"train-00000-of-00001.parquet": parquet([asked(n) for n in range(N)])},
        "span", {"question": "question", "context": "context", "answers": "answers.text",
                 "answer_start": "answers.answer_start"},
    ),
    "CoNLL-2003": (
        {f"eng.{part}": "-DOCSTART- -X- -X- O\n\n" + "\n".join(sentence() for _ in range(40))
         for part in ("train", "testa")},
        "labelling", {"token": 0, "tag": 3},
    ),
    "entities by their places": (
        {"train.json": json.dumps(
            [{"text": text(), "entities": [{"start": 0, "end": 3, "label": "x"}]} for _ in range(N)])},
        "labelling", {"text": "text", "entities": "entities"},
    ),
    "toxic comments": (
        {"train.csv": table([["id", "comment_text", "toxic", "obscene", "threat", "insult"],
                             *([f"{rng.getrandbits(60):x}", text(), *(one_of(0, 0, 1) for _ in range(4))]
                               for _ in range(N))])},
        "multilabel", {"text_a": "comment_text", "label": ("toxic", "obscene", "threat", "insult")},
    ),
    "readability": (
        {"train.csv": table([["id", "excerpt", "target", "error"],
                             *([f"c{n}", text(40, 60), round(rng.gauss(0, 1), 6), round(rng.random(), 6)]
                               for n in range(N))])},
        "regression", {"text_a": "excerpt", "score": "target"},
    ),
    "HellaSwag": (
        {"hellaswag_train.jsonl": lines(lambda n: {
            "ind": n, "activity_label": one_of("x y", "z"), "ctx_a": text(), "ctx_b": "", "ctx": text(),
            "label": rng.randrange(4), "endings": [text() for _ in range(4)], "source_id": f"a~{n}"}, N)},
        "ranking", {"text_a": "ctx", "choices": "endings", "label": "label"},
    ),
    "choices with letters": (
        {"train.jsonl": lines(lambda n: {
            "answerKey": one_of(*"ABCD"), "id": str(n), "question": {
                "choices": [{"label": letter, "text": one_of(*WORDS)} for letter in "ABCD"], "stem": text()}}, N)},
        "ranking", {"text_a": "question.stem", "choices": "question.choices", "candidate_text": "text",
                    "label": "answerKey"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_known_form(tmp_path: Path, name: str) -> None:
    files, kind, columns = FORMS[name]
    for file, content in files.items():
        (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = guess_corpora(tmp_path, tmp_path / "corpora.yaml")
    add_labels(found, str(tmp_path), tmp_path / "corpora.yaml")
    assert (len(found.corpora), found.left_out, found.corpora[0].open) == (1, [], [])
    (tmp_path / "corpora.yaml").write_text(corpora_text(found, str(tmp_path)), encoding="utf-8")
    (corpus,) = read_corpora_file(tmp_path / "corpora.yaml").corpora.values()
    assert (corpus.kind, corpus.language, shown(corpus)) == (kind, "en", columns)
    assert ("valid" in corpus.sources) and len(corpus.sources["train"].files) == 1
    if name == "emotions of a hub":
        assert corpus.labels == ("sad", "joy", "love") and corpus.label_map["2"] == "love"


def shown(corpus: Corpus) -> dict[str, Any]:
    """Columns as a person writes them."""
    return {meaning: getattr(field, "columns", field) for meaning, field in corpus.columns.items()} | {
        meaning: tuple(field.columns) for meaning, field in corpus.columns.items() if hasattr(field, "columns")
    }
