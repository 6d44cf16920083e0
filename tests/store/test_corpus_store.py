"""Folders that fairseq-preprocess made, and damage to them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import sentencepiece

from skill_plugin.errors import InputError
from skill_plugin.spec.corpora_file import CorporaFile, parse_corpora_file
from skill_plugin.store.corpus_store import (
    list_corpora,
    list_splits,
    open_corpus,
    read_corpus_labels,
    read_text_encoder,
)
from skill_plugin.store.indexed_file import write_indexed
from skill_plugin.text.tokenizer_files import open_tokenizer

ROWS = [
    ("the cat sat on the mat", "a dog", "neutral"),
    ("A man sleeps.", "He is not awake", "yes"),
    ("der Hund bellt", "die Straße", "neutral"),
    ("el niño come", "", "no"),
]
YAML = """\
languages: [en]
skills: {generic: on}
corpora:
  pair:
    kind: classification
    language: en
    skills: [generic]
    LABELS
    format: tsv
    header: false
    columns: {text_a: 0, text_b: 1, label: 2}
    train: train.tsv
    valid: valid.tsv
"""


def spec(labels: str = "labels: [yes_, neutral, no_]", **replace: str) -> CorporaFile:
    text = YAML.replace("LABELS", labels)
    return parse_corpora_file(text, Path("corpora.yaml"))


MAPPED = "labels: [entails, neutral, contradicts]\n    label_map: {'yes': entails, 'no': contradicts}"


@pytest.fixture(scope="module")
def preprocessed(tmp_path_factory: pytest.TempPathFactory, sentencepiece_model: Path) -> Path:
    """What spm_encode | fairseq-preprocess --only-source leaves, labels in order of frequency."""
    from fairseq import options
    from fairseq_cli import preprocess

    folder = tmp_path_factory.mktemp("preprocessed")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    open_tokenizer(sentencepiece_model).vocabulary.write_dict_txt(folder / "dict.txt")
    for i, key in enumerate(("input0", "input1", "label")):
        for split, rows in (("train", ROWS), ("valid", ROWS[1:])):
            lines = [row[2] if key == "label" else " ".join(processor.encode(row[i], out_type=str)) for row in rows]
            (folder / f"{split}.{key}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        dictionary = [] if key == "label" else ["--srcdict", str(folder / "dict.txt")]
        arguments = ["--only-source", "--trainpref", str(folder / "train.") + key, "--validpref"]
        arguments += [str(folder / "valid.") + key, "--destdir", str(folder / "bin" / "pair" / key), *dictionary]
        preprocess.main(options.get_preprocessing_parser().parse_args(arguments))
    return folder / "bin"


def test_rows_and_labels_meet_by_name(preprocessed: Path, sentencepiece_model: Path) -> None:
    corpus = spec(MAPPED).corpora["pair"]
    encoder = open_tokenizer(sentencepiece_model)
    assert list_corpora(preprocessed) == ("pair",)
    assert list_splits(preprocessed, "pair") == ("train", "valid")
    train = open_corpus(preprocessed, corpus, "train")
    assert [train[i].arrays["label"].tolist() for i in range(4)] == [[1], [0], [1], [2]]
    for i, row in enumerate(ROWS):
        for text, file in zip(row[:2], train.texts, strict=True):
            assert file[i].tolist() == encoder.encode(text).ids.tolist()
    valid = open_corpus(preprocessed, corpus, "valid", labels=("contradicts", "entails", "neutral"))
    assert [valid[i].arrays["label"].tolist() for i in range(3)] == [[1], [2], [0]]
    assert len(valid) == 3


def test_text_encoder_has_the_vocabulary_alone(preprocessed: Path, sentencepiece_model: Path) -> None:
    found = read_text_encoder(preprocessed, ["pair"])
    assert found.tokenizer is None
    assert found.vocabulary == open_tokenizer(sentencepiece_model).vocabulary


def test_labels_without_names_in_the_corpora_file(preprocessed: Path) -> None:
    corpus = spec("metric: accuracy").corpora["pair"]
    assert read_corpus_labels(preprocessed, corpus) == ("neutral", "no", "yes")  # madeupword0000 to 0000 are not labels


@pytest.fixture
def folder(preprocessed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(preprocessed, tmp_path / "bin"))


def fault(folder: Path, labels: str = MAPPED, split: str = "train") -> str:
    with pytest.raises(InputError) as error:
        open_corpus(folder, spec(labels).corpora["pair"], split)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_unknown_label(folder: Path) -> None:
    message = fault(folder, "labels: [neutral, yess, 'no']")
    assert message.endswith("pair/label/dict.txt: unknown label 'yes'; did you mean 'yess'?")


def test_label_that_train_lacks(folder: Path) -> None:
    write_indexed(folder / "pair/label/valid", [[4, 2], [3, 2], [4, 2]], 8)
    lacks = f"row 1 holds a label that {folder / 'pair/label/dict.txt'} lacks"
    assert fault(folder, split="valid").endswith(f"label/valid.bin: {lacks}")


def test_labels_of_several_words(folder: Path) -> None:
    write_indexed(folder / "pair/label/train", [[4, 2], [4, 5, 2], [4, 2], [4, 2]], 8)
    assert fault(folder).endswith("label/train.bin: row 1 has 2 labels, expected one")


def test_unequal_lengths(folder: Path) -> None:
    write_indexed(folder / "pair/input1/train", [[5, 2]] * 3, 200)
    assert "input1/train.bin: has 3 rows, " in fault(folder)
    shutil.copytree(folder / "pair/input0", folder / "pair/input1", dirs_exist_ok=True)
    write_indexed(folder / "pair/label/train", [[4, 2]] * 5, 8)
    assert "label/train.bin: has 5 rows, " in fault(folder)


def test_id_beyond_the_vocabulary(folder: Path) -> None:
    write_indexed(folder / "pair/input0/train", [[5, 2], [5000, 2], [5, 2], [5, 2]], 6000)
    dictionary = folder / "pair/input0/dict.txt"
    assert f"input0/train.bin: holds the id 5000, but {dictionary} has only" in fault(folder)


def test_row_without_end(folder: Path) -> None:
    write_indexed(folder / "pair/input0/train", [[5, 2], [5, 6], [5, 2], [5, 2]], 100)
    assert "input0/train.bin: row 1 does not end with </s>" in fault(folder)


def test_missing_splits_and_corpora(folder: Path) -> None:
    assert "corpus 'pair' has no split 'test' here, only train, valid" in fault(folder, split="test")
    (folder / "pair").rename(folder / "pairs")
    assert "no corpus 'pair' here; did you mean 'pairs'?" in fault(folder)
    assert list_splits(folder, "pair") == ()


def test_split_without_labels(folder: Path) -> None:
    for suffix in ("bin", "idx"):
        (folder / f"pair/label/valid.{suffix}").unlink()
    valid = open_corpus(folder, spec(MAPPED).corpora["pair"], "valid")
    assert not valid.answered
    assert "label" not in valid[0].arrays


def test_two_dictionaries(folder: Path) -> None:
    shutil.copytree(folder / "pair", folder / "other")
    assert read_text_encoder(folder, ["pair", "other"]).vocabulary
    with (folder / "other/input0/dict.txt").open("a") as file:
        file.write("new 1\n")
    with pytest.raises(InputError, match=r"other/input0/dict.txt: is not the dictionary of .*pair/input0/dict.txt"):
        read_text_encoder(folder, ["pair", "other"])


def test_scores_as_fairseq_has_them(folder: Path) -> None:
    text = spec(MAPPED).text.replace("kind: classification", "kind: regression")
    text = re.sub(r"label(s|_map):.*", "", text).replace("label:", "score:")
    corpus = parse_corpora_file(text, Path("corpora.yaml")).corpora["pair"]
    shutil.rmtree(folder / "pair/label")
    assert not open_corpus(folder, corpus, "train").answered
    (folder / "pair/label").mkdir()
    (folder / "pair/label/train.label").write_text("0.5\n1\n2.25\n5.0\n")
    train = open_corpus(folder, corpus, "train")
    assert [train[i].score for i in range(4)] == [0.5, 1, 2.25, 5]
    (folder / "pair/label/train.label").write_text("0.5\n1\n2.25\n")
    with pytest.raises(InputError, match=r"train.label: has 3 scores, the texts have 4 rows"):
        open_corpus(folder, corpus, "train")
    (folder / "pair/label/train.label").write_text("0.5\n1\n2.25\nfive\n")
    with pytest.raises(InputError, match=r"train.label: not a score: .*five"):
        open_corpus(folder, corpus, "train")


def test_a_folder_without_corpora_names_the_one_below_that_has_some(folder: Path) -> None:
    with pytest.raises(InputError, match=re.escape(f"wrote; did you mean {folder}?")):
        list_corpora(folder.parent)
    (folder.parent / "none").mkdir()
    with pytest.raises(InputError, match=r"none: holds no corpora that 'skill-plugin prepare' wrote$"):
        list_corpora(folder.parent / "none")
