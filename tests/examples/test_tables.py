"""Tables and parallel files of the collection: quotes, marks, cells, as the data's README says of them."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.examples import direct
from tests.examples.conftest import Read


def test_byte_order_mark_and_quotes_of_mrpc(raw: Path, read: Read) -> None:
    assert (raw / "mrpc/msr_paraphrase_train.txt").read_bytes().startswith(b"\xef\xbb\xbfQuality\t")
    examples = read("paraphrase", "mrpc")
    assert examples[0].texts[0].startswith("Amrozi accused his brother")
    assert examples[0].answer == "paraphrase"
    assert sum(text.count('"') % 2 for example in examples[:1800] for text in example.texts) == 122
    assert sum(text.startswith('"') for example in examples[:1800] for text in example.texts) == 343


def test_the_third_cell_of_cola_may_be_empty(raw: Path, read: Read) -> None:
    rows = [line.split("\t") for line in direct.lines_of(raw / "cola/train.tsv")]
    examples = read("acceptability", "cola")
    for example, row in zip(examples, rows, strict=False):
        assert example.texts == (row[3],)
        assert example.answer == ("acceptable" if row[1] == "1" else "unacceptable")
    assert sum(row[2] == "" for row in rows) == 2791 + 1  # and a mark is no label: one unacceptable row has none
    assert all(example.answer is None for example in read("acceptability", "cola-test"))


def test_csv_quotes_in_tab_files(raw: Path, read: Read) -> None:
    for file, name, paths, columns in (
        ("sentiment", "imdb", ("imdb-cad/train.tsv", "imdb-cad/dev.tsv"), (1,)),
        ("nli", "snli", ("snli-cad/train.tsv", "snli-cad/dev.tsv", "snli-cad/test.tsv"), (0, 1)),
        ("paraphrase", "pawsx-es", ("pawsx-es/dev-es.tsv", "pawsx-es/test-es.tsv"), (0, 1)),
        ("paraphrase", "pawsx-en", ("pawsx-en/dev-en.tsv", "pawsx-en/test-en.tsv"), (0, 1)),
    ):
        rows = []
        for path in paths:
            with (raw / path).open(encoding="utf-8", newline="") as stream:
                rows += list(csv.reader(stream, delimiter="\t"))[0 if file == "paraphrase" else 1 :]
        assert [example.texts for example in read(file, name)] == [tuple(row[i] for i in columns) for row in rows]
    assert not any('""' in example.texts[0] for example in read("sentiment", "imdb"))


def test_lone_quotes_are_text(raw: Path, read: Read) -> None:
    rows = direct.table(raw / "rte/train.tsv", True, "none", "\t")
    examples = read("nli", "rte")[: len(rows)]
    assert [example.texts for example in examples] == [(row["sentence1"], row["sentence2"]) for row in rows]
    assert sum(text.startswith('"') for example in examples for text in example.texts) == 33
    texts = [text for example in read("nli", "qnli") for text in example.texts]
    assert sum(text.count("\ufeff") for text in texts) == 3


def test_parallel_files_are_split_at_line_ends_only(raw: Path, read: Read) -> None:
    for language in ("en", "de", "es"):
        lines = [t for split in ("train", "val") for t in direct.lines_of(raw / f"umsab-{language}/{split}_text.txt")]
        assert [example.texts[0] for example in read("sentiment", f"umsab-{language}")] == lines
    text = "".join(example.texts[0] for example in read("sentiment", "umsab-de"))
    assert {"\u200b", "\ufffd", "\u00a0"} <= set(text)


def test_german_tweets_and_reviews(raw: Path, read: Read) -> None:
    tweets = read("sentiment", "germeval2018-fine")[:2500]
    assert sum("|LBR|" in example.texts[0] for example in tweets) == 470
    reviews = read("sentiment", "germeval2017-aspects")
    rows = [
        line.split("\t") for split in ("train", "dev") for line in direct.lines_of(raw / f"germeval2017/{split}.tsv")
    ]
    rows = [row for row in rows if row != [""]]
    for example, row in zip(reviews, rows, strict=True):
        assert example.texts == (row[1],)
        assert example.answer == tuple(dict.fromkeys(row[4].split(" "))) if len(row) == 5 else example.answer == ()
    assert any("\ufeff" in example.texts[0] for example in reviews)
    assert all(len(example.texts) == 3 for example in read("ranking", "xglue-qadsm-de"))


def test_cells_that_were_not_translated(read: Read) -> None:
    for language in ("de", "es", "zh"):
        assert any("NS" in example.texts for example in read("paraphrase", f"pawsx-{language}"))


def test_scores_with_seven_and_nine_cells(raw: Path, read: Read) -> None:
    rows = [line.split("\t") for line in direct.lines_of(raw / "stsb/sts-train.tsv")]
    assert {len(row) for row in rows} == {7, 9}
    examples = read("similarity", "stsb")[:2000]
    expected = [((row[5], row[6]), float(row[4])) for row in rows]
    assert [(example.texts, example.answer) for example in examples] == expected
    for language in ("de", "es", "zh"):
        with (raw / f"stsb-multi-mt-{language}/stsb-{language}-train.csv").open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
        examples = read("similarity", f"stsb-{language}")[:1200]
        assert [(e.texts, e.answer) for e in examples] == [((row[0], row[1]), float(row[2])) for row in rows]


def test_both_languages_of_one_file(raw: Path, read: Read) -> None:
    rows = direct.table(raw / "meta4xnli/train_met.tsv", True, "none", "\t")
    for language in ("en", "es"):
        expected = [(row["sentence1"], row["sentence2"]) for row in rows if row["language"] == language]
        assert [example.texts for example in read("nli", f"meta4xnli-{language}-met")] == expected
