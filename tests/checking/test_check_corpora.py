"""A report of made files of every kind in exact numbers, and of the real ones against a direct count."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.report import CheckReport
from skill_plugin.spec import Corpus, parse_corpora_file, read_corpora_file

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def make_corpus(tmp_path: Path) -> MakeCorpus:
    """A corpus of any kind: lines of its section, and content by split; of parallel files by column."""

    def make(*lines: str, **splits: bytes | dict[str, bytes]) -> Corpus:
        section = ["language: en", "skills: [generic]", *lines]
        for split, content in splits.items():
            files = {f"{split}.{column}": data for column, data in content.items()} if isinstance(content, dict) else {}
            for name, data in (files or {split: content}).items():
                (tmp_path / name).write_bytes(data)  # type: ignore[arg-type]
            parallel = ", ".join(f"{name.partition('.')[2]}: {name}" for name in files)
            section.append(f"{split}: {{{parallel}}}" if files else f"{split}: {split}")
        text = "languages: [en]\nskills: {generic: on}\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
        (tmp_path / "corpora.yaml").write_text(text, encoding="utf-8")
        return parse_corpora_file(text, tmp_path / "corpora.yaml").corpora["c"]

    return make


def report_of(corpus: Corpus) -> CheckReport:
    return check_corpora(read_corpora_file(corpus.file))


def jsonl(*rows: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def notices(report: CheckReport) -> list[str]:
    """``split:line: message``."""
    return [f"{notice.split}:{notice.fault.line}: {notice.fault.message}" for notice in report.notices]


def found(report: CheckReport, split: str = "train") -> dict[str, Any]:
    return report.to_json()["corpora"]["c"][split]


def test_regression(make_corpus: MakeCorpus) -> None:
    lines = ("kind: regression", "format: tsv", "columns: {text_a: a, text_b: b, score: s}")
    train = b"a\tb\ts\nx\ty\t1\nx\ty\t4\nx\tz\t2.5\nx\tz\t2.5\n"
    report = report_of(make_corpus(*lines, train=train, valid=b"a\tb\ts\nx\tz\t0\nz\tx\t1\n"))
    assert report.faults == []
    assert found(report)["contents"] == {"rows": 4, "minimum": 1.0, "mean": 2.5, "maximum": 4.0}
    assert notices(report) == [
        "train:5: rows that repeat an earlier row: 1, the first one here",
        "train:3: rows that have the texts of an earlier row but another score: 1, the first one here",
        "valid:2: rows that also occur in train: 1, the first one here",
    ]


def test_ranking(make_corpus: MakeCorpus) -> None:
    lines = ("kind: ranking", "format: tsv", "columns: {text_a: q, text_b: c, label: l}")
    train = b"q\tc\tl\nq1\ta\t1\nq2\ta\t0\nq1\tbb\t0\nq2\tbbb\t0\nq2\ta\t1\n"
    report = report_of(make_corpus(*lines, train=train, valid=b"q\tc\tl\nq2\tbbb\t1\nq1\tz\t1\n"))
    split = found(report)
    assert (split["rows"], split["labels"]) == (2, {})
    assert split["contents"] == {
        "queries": 2,
        "candidates": 5,
        "fewest": 2,
        "median": 2,
        "most": 3,
        "relevance": {"0": 3, "1": 2},
        "without_relevant": 0,
        "several_relevant": 0,
        "twice": 1,
    }
    assert split["characters"] == {  # query and candidate: 3, 4, 3, 5, 3
        "mean": 3.6,
        "median": 3,
        "p95": 4,
        "maximum": 5,
        "histogram": {"edges": (0, 8), "counts": (5,)},
    }
    assert notices(report) == [
        "train:3: queries that hold a candidate twice: 1, the first one here",
        "train:3: queries that have a candidate of the same query with another relevance: 1, the first one here",
        "valid:2: queries that have a candidate that train has for the same query: 1, the first one here",
    ]
    assert found(report, "valid")["in_train"] == 1


def test_span(make_corpus: MakeCorpus) -> None:
    def row(question: str, context: str, *answers: tuple[str, int]) -> dict[str, Any]:
        return {"q": question, "c": context, "a": [{"text": text, "answer_start": start} for text, start in answers]}

    lines = ("kind: span", "format: jsonl", "columns: {question: q, context: c, answers: a}")
    train = jsonl(
        row("who", "the cat sat", ("cat", 4), ("the cat", 0)),
        row("who", "the cat sat", ("cat", 4)),  # another answer of one question
        row("who", "the cat sat"),  # a conflict
        row("where", "the cat sat"),
        row("what", "the cat sat", ("sat", 0)),  # elsewhere
        row("when", "the cat sat", ("dog", 0)),  # nowhere
    )
    valid = jsonl(row("when", "the cat sat", ("dog", 0)), row("where", "the cat sat", ("cat", 4)))
    report = report_of(make_corpus(*lines, train=train, valid=valid))
    split = found(report)
    assert (split["rows"], split["skipped_by_reason"]) == (5, {"answer not in its context": 1})
    assert split["contents"] == {"answered": 3, "without_answer": 2, "answers": 4, "not_in_context": 0}
    assert found(report, "valid")["contents"] == {
        "answered": 2,
        "without_answer": 0,
        "answers": 2,
        "not_in_context": 1,
    }
    where = "answers that were not at their offset, but elsewhere in the context (the nearest place is taken)"
    other = "questions that are asked before, and have an answer at one place and none at the other"
    assert report.faults == []
    assert notices(report) == [
        f"train:5: {where}: 1, the first one here ('sat')",
        "train:6: answers not in their context: 1, the first one here ('dog')",
        f"train:3: {other}: 1, the first one here",
        "train:2: questions that are asked before, with other answers: 1, the first one here",
        "valid:1: answers not in their context: 1, the first one here ('dog')",
        "valid:2: questions that also occur in train: 1, the first one here",
    ]


def test_labelling(make_corpus: MakeCorpus) -> None:
    def sentences(*rows: str) -> bytes:
        pairs = ([word.split("/") for word in row.split()] for row in rows)
        return "\n".join("".join(f"{w}\t{t}\n" for w, t in row) for row in pairs).encode()

    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
    train = sentences("a/B-PER b/I-PER c/O", "a/B-PER b/I-PER c/O", "a/B-PER b/B-PER c/O", "d/B-LOC")
    valid = sentences("a/B-Per b/I-PER c/O", "e/O")
    report = report_of(make_corpus(*lines, train=train, valid=valid))
    assert report.faults == []
    assert found(report)["contents"] == {
        "sentences": 4,
        "words": 10,
        "scheme": "bio",
        "entities": {"LOC": 1, "PER": 4},
    }
    assert found(report)["labels"] == {"O": 3, "B-LOC": 1, "B-PER": 4, "I-PER": 2}
    assert found(report, "valid")["labels"] == {"O": 2, "I-PER": 1, "B-Per": 1}  # a tag that train lacks comes last
    assert notices(report) == [
        "train:5: sentences that repeat an earlier sentence: 1, the first one here",
        "train:9: sentences that occur earlier with other tags: 1, the first one here",
        "valid:1: words with a tag that never occurs in train, so that no prediction can be right: 1, the first one "
        "here ('B-Per')",
        "valid:2: words tagged I- after neither B- nor I- of their type (lenient: true lets them begin an entity): 1, "
        "the first one here",
        "valid:1: sentences that also occur in train: 1, the first one here",
        "valid:4: the tag 'B-Per' of valid and 'B-PER' of train look like one",
    ]


def test_words_that_are_not_at_their_offsets(make_corpus: MakeCorpus) -> None:
    lines = (
        "kind: word_in_context",
        "format: jsonl",
        "columns: {text_a: a, word_a: w, word_b: v, start_a: s, start_b: t, label: l}",
    )
    row = {"a": "a bank by a bank", "w": "bank", "v": "bank", "s": 2, "t": 12, "l": "same"}
    train = jsonl(row, {**row, "t": 11, "l": "different"}, {**row, "s": 0}, row)
    report = report_of(make_corpus(*lines, train=train))
    assert report.faults == []
    assert notices(report) == [
        "train:2: words that are not the text at their offsets: 2, the first one here ('bank' is ' ban' there)",
        "train:4: rows that repeat an earlier row: 1, the first one here",
    ]


def test_entities_that_are_not_at_their_offsets(make_corpus: MakeCorpus) -> None:
    lines = ("kind: labelling", "format: jsonl", "columns: {text: t, entities: e}", "join: none")
    train = jsonl({"t": "ab cd", "e": {"X": {"ab": [[0, 1]], "cd": [[2, 3]]}}}, {"t": "ef", "e": {}})
    report = report_of(make_corpus(*lines, train=train))
    assert found(report)["contents"] == {"sentences": 2, "words": 6, "scheme": "bio", "entities": {"X": 2}}
    assert notices(report) == [
        "train:1: entities that are not at their offsets, found by their text: 1, the first one here ('cd')"
    ]


def test_multilabel(make_corpus: MakeCorpus) -> None:
    lines = ("kind: multilabel", "format: tsv", "columns: {text_a: a, label: l}")
    train = b"a\tl\np\tx,y\np\ty,x\nq\t\nr\tx\nr\ty\n"
    report = report_of(make_corpus(*lines, train=train))
    assert found(report)["labels"] == {"x": 3, "y": 3}
    assert found(report)["contents"] == {"rows": 5, "without_label": 1, "mean": 1.2, "most": 2}
    assert notices(report) == [
        "train:3: rows that repeat an earlier row: 1, the first one here",
        "train:6: rows that have the texts of an earlier row but other labels: 1, the first one here",
    ]


def test_masked_lm(make_corpus: MakeCorpus) -> None:
    lines = ("kind: masked_lm", "format: lines")
    report = report_of(make_corpus(*lines, train={"text": b"abc\n\nde\nabc\n"}, valid={"text": b"de\n"}))
    assert found(report)["contents"] == {"documents": 3, "sentences": 0, "pairs": 0, "characters": 8}
    assert (found(report)["skipped_by_reason"], found(report, "valid")["in_train"]) == ({"empty text": 1}, 1)
    assert notices(report) == [
        "train:4: texts that repeat an earlier text: 1, the first one here",
        "valid:1: texts that also occur in train: 1, the first one here",
    ]


def test_next_sentence(make_corpus: MakeCorpus) -> None:
    lines = ("kind: next_sentence", "format: lines")
    train = {"sentence": b"abc\nde\nf\n\nalone\n\nabc\nde\nf\n"}
    report = report_of(make_corpus(*lines, train=train, valid={"sentence": b"abc\nde\n"}))
    assert found(report)["contents"] == {"documents": 3, "sentences": 7, "pairs": 4, "characters": 17}
    assert found(report)["characters"]["histogram"] == {"edges": (0, 8), "counts": (2,)}
    assert (found(report)["duplicates"], found(report, "valid")["in_train"]) == (1, 0)
    assert notices(report) == [
        "train:5: documents of one sentence, which give no pair: 1, the first one here",
        "train:7: documents that repeat an earlier document: 1, the first one here",
    ]


BMES, BIOES, BIO = "O S-Y B-X M-X E-X", "O S-X B-X I-X E-X", "O B-X I-X"


@pytest.mark.parametrize(
    ("train", "valid", "expected"),
    [
        (BMES, "B-X M-X O M-X E-X S-Y", ["words with tags that make no whole entity in the scheme bmes: 4, the first"]),
        (
            BIOES,
            "B-X I-X E-X I-X O S-X",
            ["words with tags that make no whole entity in the scheme bioes: 1, the first"],
        ),
        (BIO, "O B-X", []),
        (BIO, "O O", ["no entity in any sentence, so that the metric f1 is 0 whatever is predicted"]),
    ],
)
def test_tags_that_cannot_be_scored(make_corpus: MakeCorpus, train: str, valid: str, expected: list[str]) -> None:
    files = {
        split: "".join(f"{split}{number}\t{tag}\n" for number, tag in enumerate(tags.split())).encode()
        for split, tags in (("train", train), ("valid", valid))
    }
    report = report_of(make_corpus("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}", **files))
    said = [notice.fault.message for notice in report.notices if notice.split == "valid"]
    assert len(said) == len(expected) and all(map(str.startswith, said, expected))


@pytest.mark.parametrize(
    ("more", "tags", "fault"),
    [
        ((), "NOUN VERB ADJ ADV", "tags (ADJ, ADV, NOUN, …)"),
        (("scheme: raw",), "B-X I-X O O", "tags (B-X, I-X)"),
        ((), "B-X I-X E-X S-X", None),
        ((), "B-X F-X E-X S-X", "tags (B-X, E-X, F-X, …)"),
        ((), "B-X I-X L-X U-X", None),
        (("label_map: {I-X: M-X}",), "B-X I-X E-X S-X", None),
        (("metric: accuracy",), "NOUN VERB ADJ ADV", None),
        ((), "B-X I-X O O", None),
    ],
)
def test_entities_cannot_be_scored_without_a_scheme(
    more: tuple[str, ...], tags: str, fault: str | None, make_corpus: MakeCorpus
) -> None:
    train = "".join(f"w\t{tag}\n" for tag in tags.split()).encode()
    corpus = make_corpus("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}", *more, train=train)
    report = report_of(corpus)
    if fault is None:
        assert report.faults == []
    else:
        (found_fault,) = report.faults
        assert (found_fault.file, found_fault.line) == (str(corpus.file), corpus.line)
        start = f"corpus 'c' has the metric f1, which is of entities, but its {fault} have no scheme; expected metric: "
        assert found_fault.message.startswith(f"{start}accuracy, or ")


def test_labels_of_one_head_by_language(tmp_path: Path) -> None:
    section = (
        "  a: {kind: classification, language: en, skills: [s], format: tsv, columns: {text_a: t, label: l}, "
        "train: a.tsv, valid: a.tsv}\n"
        "  b: {as: a, language: sw, test: b.tsv}\n"
        "  d: {as: a, language: sw, test: b.tsv}\n"
    )
    (tmp_path / "a.tsv").write_text("t\tl\nx\tno\ny\tyes\nz\tyes\n")
    (tmp_path / "b.tsv").write_text("t\tl\nx\tyes\n")
    text = f"languages: [en, sw]\nskills: {{s: on}}\ncorpora:\n{section}"
    report = check_corpora(parse_corpora_file(text, tmp_path / "c.yaml")).to_json()
    both = {"no": 1, "yes": 2}
    assert report["labels_by_language"] == {
        "a": {"en": {"train": both, "valid": both}, "sw": {"test": {"yes": 2}}},
    }
    assert report["languages"]["sw"] == {
        "corpora": ["b", "d"],
        "rows": {"test": 2},
        "pieces": None,
        "unknown_pieces": None,
    }


def conll(path: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Words and tags of each sentence."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    lines = [[line.split("\t") for line in block.split("\n") if line.strip()] for block in blocks]
    return [(tuple(w for _, w, *_ in block), tuple(t for _, _, t, *_ in block)) for block in lines if block]


def questions(path: Path, articles: slice) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for article in json.loads(path.read_text(encoding="utf-8"))["data"][articles]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answers = tuple(answer["text"] for answer in question["answers"])
                yield question["question"], paragraph["context"], answers


def test_real_corpora(shared: Path) -> None:
    report = check_corpora(read_corpora_file(shared / "corpora/skillnet_x.yaml"))
    raw = shared / "data/raw"
    assert report.faults == []

    for name, folder in (("wikiann-de", "wikiann-de"), ("ner-en", "wikineural-en")):
        train, valid = conll(raw / folder / "train.conllu"), conll(raw / folder / "val.conllu")
        known = {words for words, _ in train}
        splits = report.corpora[name]
        assert splits["train"].duplicates == len(train) - len(set(train))
        assert splits["valid"].in_train == sum(words in known for words, _ in valid)
        for split, sentences in (("train", train), ("valid", valid)):
            tags = Counter(tag for _, row in sentences for tag in row)
            contents = splits[split].to_json()["contents"]
            assert splits[split].labels == tags
            assert (contents["sentences"], contents["words"]) == (len(sentences), tags.total())
            begins = Counter({tag[2:]: count for tag, count in tags.items() if tag.startswith("B-")})
            assert contents["entities"] == begins
    assert (report.corpora["wikiann-de"]["train"].duplicates, report.corpora["wikiann-de"]["valid"].in_train) == (
        60,
        28,
    )

    rows = list(questions(raw / "xquad-en/xquad.en.json", slice(18)))
    train = report.corpora["squad-en"]["train"]
    assert train.to_json()["contents"] == {
        "answered": len(rows),
        "without_answer": 0,
        "answers": sum(len(set(answers)) for *_, answers in rows),
        "not_in_context": 0,
    }
    assert (train.duplicates, train.conflicting) == (len(rows) - len(set(rows)), 0)
    assert train.characters is not None
    assert train.characters.maximum == max(len(question) + len(context) for question, context, _ in rows)

    lines = (raw / "sst2/train.tsv").read_text(encoding="utf-8").splitlines()
    assert report.corpora["sst2"]["train"].duplicates == len(lines) - len(set(lines)) == 3


def test_a_hundred_thousand_rows_take_seconds(make_corpus: MakeCorpus) -> None:
    rows = "".join(f"a text of some words number {i}\tand a second one\t{'xyz'[i % 3]}\n" for i in range(100_000))
    lines = ("kind: classification", "format: tsv", "header: false", "columns: {text_a: 0, text_b: 1, label: 2}")
    corpus = make_corpus(*lines, train=rows.encode())
    start = time.process_time()
    report = report_of(corpus)
    assert report.corpora["c"]["train"].labels == {"x": 33_334, "y": 33_333, "z": 33_333}
    assert time.process_time() - start < 10
