"""Which files are splits of one corpus."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from skill_plugin.guessing.corpus_guess import CorpusGuess
from skill_plugin.guessing.file_names import corpus_name, read_name
from skill_plugin.guessing.guess_corpora import guess_corpora
from tests.readers.test_parquet_and_arrow import save_to_disk

ROOT = Path("/data")


@pytest.mark.parametrize(
    ("path", "split", "key"),
    [
        ("train.tsv", "train", ()),
        ("sts-dev.tsv.gz", "valid", ("sts",)),
        ("wnut17train.conll", "train", ("wnut17",)),
        ("stsb-de-test.csv", "test", ("stsb", "de")),
        ("validation/part.jsonl", "valid", ("part",)),
        ("train-00000-of-00002.parquet", "train", ()),
        ("reviews.tsv", None, ("reviews",)),
        ("testimony.txt", None, ("testimony",)),
    ],
)
def test_names(path: str, split: str | None, key: tuple[str, ...]) -> None:
    name = read_name(ROOT / path, ROOT)
    assert (name.split, name.key) == (split, key)


def test_names_of_corpora() -> None:
    assert corpus_name(("a b", "NLI.en"), ("en",), True, "x") == "a-b-NLI-en"
    assert corpus_name(("nli-en",), ("en", "big"), False, "x") == "nli-en-big"
    assert corpus_name((), (), True, "My data") == "My-data"
    assert corpus_name((), ("日本",), True, "日本") == "corpus"


def rows(count: int, labels: bool = True, first: int = 0) -> str:
    header = "text\tlabel\n" if labels else "text\n"
    lines = [
        f"it was day {n} of a rather long journey" + (f"\t{'ab'[n % 2]}" if labels else "")
        for n in range(first, first + count)
    ]
    return header + "".join(f"{line}\n" for line in lines)


def guess(folder: Path, **files: str) -> dict[str, CorpusGuess]:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_tsv", ".tsv").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return {corpus.name: corpus for corpus in guess_corpora(folder, folder / "corpora.yaml").corpora}


def splits(corpus: CorpusGuess) -> dict[str, object]:
    return {key: corpus.keys[key][0] for key in ("train", "valid", "test", "split") if key in corpus.keys}


def test_files_and_folders_of_splits(tmp_path: Path) -> None:
    found = guess(
        tmp_path,
        a__train_tsv=rows(30),
        a__dev_tsv=rows(5),
        a__test_tsv=rows(5),
        train__b_tsv=rows(30),
        val__b_tsv=rows(5),
    )
    assert splits(found["a"]) == {"train": "a/train.tsv", "valid": "a/dev.tsv", "test": "a/test.tsv"}
    assert splits(found["b"]) == {"train": "train/b.tsv", "valid": "val/b.tsv"}


def test_one_file_is_divided(tmp_path: Path) -> None:
    found = guess(tmp_path, first_tsv=rows(30), second_tsv=rows(40))
    assert splits(found["first"]) == {"train": "first.tsv", "split": {"valid": "10%"}}
    assert set(found) == {"first", "second"}


def test_a_test_file_without_the_label_under_another_name(tmp_path: Path) -> None:
    numbered = {
        name: "".join(f"{n or 'nr'}\t{line}\n" for n, line in enumerate(content.splitlines()))
        for name, content in (("train", rows(30)), ("dev_few", rows(5)), ("unlabeled", rows(9, labels=False)))
    }
    (corpus,) = guess(tmp_path, **{f"{name}_tsv": content for name, content in numbered.items()}).values()
    assert splits(corpus) == {"train": "train.tsv", "valid": "dev_few.tsv", "test": "unlabeled.tsv"}
    assert corpus.keys["valid"][1].startswith("the only train file beside it is train.tsv")
    assert corpus.keys["test"][1] == "it lacks a column that train.tsv has"


def test_a_column_that_says_the_split(tmp_path: Path) -> None:
    lines = rows(40).splitlines()
    marked = [f"{lines[0]}\tsplit", *(f"{line}\t{'train' if n % 4 else 'dev'}" for n, line in enumerate(lines[1:]))]
    found = guess(tmp_path, all_tsv="\n".join(marked) + "\n")
    assert found["all"].keys["where"][0] == {"split": "train"} and splits(found["all"]) == {"train": "all.tsv"}
    valid = found["all-valid"]
    assert valid.keys["as"][0] == "all" and valid.keys["where"][0] == {"split": "dev"} and "valid" in valid.keys


def test_a_column_that_says_the_language(tmp_path: Path) -> None:
    german = "das war der {} Tag einer langen Reise durch das Land\t{}\tde\n"
    english = "it was day {} of a rather long journey through it\t{}\ten\n"
    content = "text\tlabel\tlanguage\n" + "".join((german if n % 2 else english).format(n, n % 3) for n in range(60))
    found = guess(tmp_path, m__train_tsv=content)
    assert {name: (one.keys["language"][0], one.keys["where"][0]) for name, one in found.items()} == {
        "m-en": ("en", {"language": "en"}), "m-de": ("de", {"language": "de"})
    }  # fmt: skip


def test_data_sets_that_were_saved_to_disk(tmp_path: Path) -> None:
    table = pa.table(
        {"text": [f"it was day {n} of a long journey" for n in range(30)], "label": [n % 2 for n in range(30)]}
    )
    for split in ("train", "validation"):
        save_to_disk(tmp_path / "set" / split, table, 1)
    (tmp_path / "set/dataset_dict.json").write_text("{}")
    (tmp_path / "set/around").symlink_to(tmp_path)  # is followed once
    found = guess(tmp_path)
    assert splits(found["set"]) == {"train": "set/train", "valid": "set/validation"}
    assert found["set"].keys["format"][0] == "arrow"


def test_parallel_files(tmp_path: Path) -> None:
    texts = "".join(f"it was day {n} of a long journey\n" for n in range(30))
    found = guess(
        tmp_path,
        train_text_txt=texts,
        train_labels_txt="0\n1\n" * 15,
        val_text_txt="it rained for days\n" * 10,
        val_labels_txt="1\n" * 10,
    )
    (corpus,) = found.values()
    assert corpus.keys["kind"][0] == "classification"
    assert corpus.keys["train"][0] == {"text_a": "train_text.txt", "label": "train_labels.txt"}


def test_the_same_file_packed_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(rows(30).encode()))
    found = guess(tmp_path, train_tsv=rows(30))
    (corpus,) = found.values()
    assert corpus.keys["train"][0] == "train.tsv"


def test_a_test_file_with_other_columns_shares_the_head(tmp_path: Path) -> None:
    plain = "".join(f"s{n}\t{n % 2}\tit was day {n} of a rather long journey\n" for n in range(30))
    other = "index\tsentence\n" + "".join(f"{n}\tit was day {n} of a rather long journey\n" for n in range(9))
    found = guess(tmp_path, cola__train_tsv=plain, cola__test_tsv=other)
    assert splits(found["cola"]) == {"train": "cola/train.tsv", "split": {"valid": "10%"}}
    test = found["cola-test"].keys
    assert (test["as"][0], test["columns"][0], test["test"][0]) == ("cola", {"text_a": "sentence"}, "cola/test.tsv")
