"""A mix from raw files to scores: parts in the data folder, names in every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.store.corpus_store import list_splits, open_corpus

pytestmark = pytest.mark.slow
LANGUAGES = ("en", "de", "es")
YAML = """\
languages: [en, de, es]
skills: {generic: on, sentence: meaning, interact: pairs}
corpora:
  nli:
    kind: classification
    skills: [generic, sentence, interact]
    labels: [entailment, neutral, contradiction]
    format: tsv
    columns: {text_a: 0, text_b: 1, label: 2}
    header: false
    mix: {en: en.train, de: de.train, es: es.train}
    mix_seed: 3
    valid: {en: en.valid, de: de.valid, es: es.valid}
  nli-sw:
    as: nli-de
    language: sw
    valid: sw.valid
"""
LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    for language in (*LANGUAGES, "sw"):
        for split, rows in (("train", 32), ("valid", 6)):
            lines = (f"{language} the man number {i}\tit is {i % 7}\t{LABELS[i % 3]}\n" for i in range(rows))
            (tmp_path / f"{language}.{split}").write_text("".join(lines))
    (tmp_path / "corpora.yaml").write_text(YAML)
    return tmp_path / "corpora.yaml"


def test_from_raw_files_to_scores(
    corpora: Path, made: Any, train: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    status, out, err = command("check", corpora, "--json")
    assert status == 0, err
    splits = {name: found["train"] for name, found in json.loads(out)["corpora"].items() if "train" in found}
    assert {name: found["rows"] for name, found in splits.items()} == {"nli-en": 11, "nli-de": 11, "nli-es": 10}
    assert splits["nli-es"]["skipped_by_reason"] == {"in another part of the mix": 22}

    data = tmp_path / "data"
    status, out, err = command("prepare", corpora, data, "--tokenizer", made.tokenizer)
    assert status == 0, err
    assert "nli-es train: 22 rows skipped: in another part of the mix" in out

    run = train(tmp_path / "run", "--corpora", corpora, "--max-update", 3, data=data)
    assert "valid_nli-sw_accuracy" in run.log("valid_avg")[-1]
    assert "validation on 'valid': 1 of 4 batches" in run.output  # no bar shows how far it is
    bundle = Bundle.from_state(run.checkpoint()["task_state"]["bundle"])
    assert list(bundle.labels) == ["nli-en", "nli-de", "nli-es", "nli-sw"]
    assert list(bundle.heads()) == ["nli"]
    assert [bundle.active_set(name).language for name in bundle.labels] == ["en", "de", "es", "de"]
    numbers: list[int] = []
    for language in LANGUAGES:
        assert list_splits(str(data), f"nli-{language}") == ("train", "valid")
        split = open_corpus(str(data), bundle.corpus(f"nli-{language}"), "train", LABELS)
        texts = [split.example(row).texts[0].split() for row in range(len(split))]
        assert {text[0] for text in texts} == {language}
        numbers += [int(text[-1]) for text in texts]
    assert sorted(numbers) == list(range(32))

    checkpoint = run.folder / "checkpoint_last.pt"
    status, out, err = command("evaluate", checkpoint, data, "--json", tmp_path / "r.json")
    assert status == 0, err
    results = json.loads((tmp_path / "r.json").read_text())["corpora"]
    assert {name: (found["language"], found["n"]) for name, found in results.items()} == {
        "nli-en": ("en", 6), "nli-de": ("de", 6), "nli-es": ("es", 6), "nli-sw": ("sw", 6),
    }  # fmt: skip
    status, out, err = command("describe", checkpoint, "--json")
    assert status == 0, err
    described = json.loads(out)["corpora"]
    assert {name: (found["language"], found["head"]) for name, found in described.items()} == {
        "nli-en": ("en", "nli"), "nli-de": ("de", "nli"), "nli-es": ("es", "nli"), "nli-sw": ("de", "nli"),
    }  # fmt: skip


def test_one_part_alone(
    corpora: Path, made: Any, train: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    status, _, err = command("prepare", corpora, tmp_path / "all", "--tokenizer", made.tokenizer)
    assert status == 0, err
    for path in (tmp_path / "en.train", tmp_path / "es.train"):
        path.unlink()  # only what is selected must be there
    more = ("--tokenizer", made.tokenizer, "--only-corpora", "nli-de")
    status, _, err = command("prepare", corpora, tmp_path / "one", *more)
    assert status == 0, err
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one/nli-de").rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "all" / path).read_bytes()
    run = train(
        tmp_path / "run", "--corpora", corpora, "--max-update", 2, "--only-corpora", "nli", data=tmp_path / "one"
    )
    assert "left out: nli-en, nli-es" in run.output


def test_files_that_are_not_parallel_leave_nothing_behind(
    corpora: Path, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "es.train"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    status, _, err = command("prepare", corpora, tmp_path / "data", "--tokenizer", made.tokenizer)
    assert status == 1
    message = (
        "corpus 'nli-es' has 31 rows in train and 'nli-en' has 32; row n of a mix's files must be the same one in each"
    )
    assert err == f"{corpora}:11: {message}\n"
    assert not (tmp_path / "data").exists()


def test_other_rows_and_another_seed_are_refused_on_resume(
    corpora: Path, made: Any, train: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    data, options = tmp_path / "data", ("--corpora", corpora, "--disable-validation")
    prepare = ("prepare", corpora, data, "--tokenizer", made.tokenizer)
    assert command(*prepare)[0] == 0
    train(tmp_path / "run", *options, "--max-update", 2, data=data)
    corpora.write_text(YAML.replace("mix_seed: 3", "mix_seed: 4"))
    run = train(tmp_path / "run", *options, "--max-update", 4, data=data, good=False)
    assert run.status == 1
    assert "cannot resume: mix_seed was nli-en=3" in run.output.splitlines()[-1]
    corpora.write_text(YAML)
    (tmp_path / "en.train").write_text((tmp_path / "en.train").read_text().replace("number ", "no "))
    assert command(*prepare)[0] == 0
    run = train(tmp_path / "run", *options, "--max-update", 4, data=data, good=False)
    assert "cannot resume: the train split of 'nli-en' was prepared anew: it has 11 rows as before" in run.output
    assert "Traceback" not in run.output
    assert train(tmp_path / "run", *options, "--max-update", 4, "--reset-dataloader", data=data).status == 0
