"""A run goes on with the rows that it began with, and with no others."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec.corpora_file import parse_corpora_file, read_corpora_file
from skill_plugin.store.corpus_store import list_splits, open_corpus
from skill_plugin.store.manifest import CorpusManifest
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.tasks.same_data import check_same_data, identify_data, mix_seeds
from skill_plugin.text.tokenizer_files import open_tokenizer

YAML = """\
languages: [en, de]
corpora:
  news:
    kind: classification
    language: en
    labels: [a, b]
    format: tsv
    header: false
    columns: {text_a: 0, label: 1}
    train: train.tsv
    valid: valid.tsv
  nli:
    kind: classification
    labels: [a, b]
    format: tsv
    header: false
    columns: {text_a: 0, label: 1}
    mix: {en: train.tsv, de: train.tsv}
"""
NAMES = ("news", "nli-en", "nli-de")


@pytest.fixture
def folder(tmp_path: Path, sentencepiece_model: Path) -> Path:
    rows(tmp_path / "train.tsv", 6)
    rows(tmp_path / "valid.tsv", 3)
    (tmp_path / "corpora.yaml").write_text(YAML)
    (tmp_path / "pieces.model").symlink_to(sentencepiece_model)
    return tmp_path


def rows(path: Path, count: int, word: str = "hello") -> None:
    path.write_text("".join(f"{word} {'x' * i}\t{'ab'[i % 2]}\n" for i in range(count)))


def prepare(folder: Path) -> None:
    prepare_corpora(
        read_corpora_file(folder / "corpora.yaml"), folder / "data", open_tokenizer(folder / "pieces.model")
    )


def loaded(folder: Path) -> Any:
    corpora = read_corpora_file(folder / "corpora.yaml").corpora
    return {
        split: [
            SimpleNamespace(name=name, split=open_corpus(folder / "data", corpora[name], split))
            for name in NAMES
            if split in list_splits(folder / "data", name)
        ]
        for split in ("train", "valid")
    }


def data(folder: Path) -> Any:
    prepare(folder)
    found = identify_data(loaded(folder))
    assert json.loads(json.dumps(found)) == found  # a checkpoint takes it
    return found


def test_the_same_rows_prepared_again_are_the_same(folder: Path) -> None:
    was = data(folder)
    check_same_data(was, data(folder))
    assert {name: {split: one[0] for split, one in splits.items()} for name, splits in was.items()} == {
        "news": {"train": 6, "valid": 3},
        "nli-en": {"train": 3},
        "nli-de": {"train": 3},
    }
    check_same_data({}, was)  # of a run that did not say
    check_same_data(was, {})  # fairseq-preprocess says nothing


@pytest.mark.parametrize(
    ("file", "count", "word", "message"),
    [
        (
            "train.tsv",
            5,
            "hello",
            "train split of 'news' .*: it had 6 rows, now 5; .* --reset-dataloader",
        ),
        ("train.tsv", 6, "other", "train split of 'news' .*: it has 6 rows as before, but not"),
        ("valid.tsv", 4, "hello", "valid split of 'news' .*: it had 3 rows, now 4; .* --reset-meters"),
    ],
)
def test_other_rows_are_refused(folder: Path, file: str, count: int, word: str, message: str) -> None:
    was = data(folder)
    rows(folder / file, count, word)
    with pytest.raises(InputError, match=f"cannot resume: the {message}"):
        check_same_data(was, data(folder))


def test_a_run_goes_on_with_what_it_read_where_the_folder_is_replaced_meanwhile(folder: Path) -> None:
    was, begun = data(folder), loaded(folder)
    texts = [examples.split.example(row) for examples in begun["valid"] for row in range(1)]
    for file in ("train.tsv", "valid.tsv"):
        rows(folder / file, 7, "a longer word")
    now = data(folder)
    assert identify_data(begun) == was != now
    (valid,) = begun["valid"]
    assert [valid.split.example(0)] == texts and len(valid.split) == 3
    assert [valid.split.example(row).texts[0] for row in range(3)] == ["hello ", "hello x", "hello xx"]


def test_a_corpus_that_is_replaced_while_it_is_opened_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(folder)
    verify = CorpusManifest.verify

    def meanwhile(manifest: CorpusManifest, *where: Any) -> bool:
        found = verify(manifest, *where)
        rows(folder / "train.tsv", 7)
        prepare(folder)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(CorpusManifest, "verify", meanwhile)
        with pytest.raises(InputError, match="data/news: was replaced while it was read"):
            loaded(folder)
    assert len(loaded(folder)["train"][0].split) == 7


def test_the_seed_of_a_mix_is_known() -> None:
    corpora = parse_corpora_file(YAML, Path("c.yaml")).corpora
    bundle: Any = SimpleNamespace(labels=NAMES, corpus=lambda name: corpora[name])
    assert mix_seeds(bundle) == ["nli-en=1", "nli-de=1"]
    corpora = parse_corpora_file(YAML + "    mix_seed: 2\n", Path("c.yaml")).corpora
    assert mix_seeds(bundle) == ["nli-en=2", "nli-de=2"]
