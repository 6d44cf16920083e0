"""Five corpora of the generator, with other names of columns and in other formats, are guessed as they were made."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest
from backports import zstd

from skill_plugin.guessing.corpora_text import corpora_text
from skill_plugin.guessing.find_labels import add_labels
from skill_plugin.guessing.guess_corpora import guess_corpora
from skill_plugin.spec import Corpus, read_corpora_file
from tests import warm_process

ROOT = Path(__file__).parents[2]
FIVE = ("nli-en", "reviews-de", "names-zh", "questions-en", "similarity-es")
NAMES = ["alpha", "Feld 3", "文本", "X", "col_7", "premier", "käse", "zz-top", "R2", "what"]  # say nothing of a column
Row = dict[str, Any]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generator's corpora."""
    folder = tmp_path_factory.mktemp("made")
    command = [sys.executable, ROOT / "scripts/make_corpora", folder, "--rows", "60"]
    done = warm_process.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def guessed(folder: Path) -> dict[str, Corpus]:
    file = folder / "corpora.yaml"
    found = guess_corpora(folder, file)
    assert found.left_out == []
    add_labels(found, str(folder), file)
    file.write_text(corpora_text(found, str(folder)), encoding="utf-8")
    return read_corpora_file(file).corpora


def rename(rows: list[Row], rng: random.Random) -> tuple[list[Row], dict[str, str]]:
    """Rows with other names of columns, in another order, and with a number for each; and the names."""
    names = dict(zip(rows[0], rng.sample(NAMES, len(rows[0])), strict=True))
    order = rng.sample([*names], len(names))
    return [{"nr": number, **{names[old]: row[old] for old in order}} for number, row in enumerate(rows)], names


def write(path: Path, rows: list[Row], form: str, rng: random.Random) -> None:
    match form:
        case "parquet":
            pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
        case "xlsx":
            book = openpyxl.Workbook()
            for cells in ([*rows[0]], *([*row.values()] for row in rows)):
                book.active.append(cells)
            book.save(path.with_suffix(".xlsx"))
        case "jsonl":
            text = "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows)
            path.with_suffix(".jsonl").write_text(text, encoding="utf-8")
        case _:
            target = path.with_suffix({";": ".csv", ",": ".csv", "\t": ".tsv"}[form])
            with target.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, [*rows[0]], delimiter=form, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            if rng.random() < 0.5:
                Path(f"{target}.zst").write_bytes(zstd.compress(target.read_bytes()))
                target.unlink()


@pytest.mark.parametrize("seed", range(6))
def test_five_corpora_with_other_names(made: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    right = read_corpora_file(made / "corpora.yaml").corpora
    expected: dict[str, dict[str, str]] = {}
    for name in FIVE:
        form = rng.choice(["parquet", "xlsx", "jsonl", ",", ";", "\t"])
        for split in ("train", "valid"):
            (path,) = right[name].sources[split].files
            target = tmp_path / f"{name}.{split}{path.suffix}"
            if right[name].format in ("conll", "squad"):
                target.write_bytes(path.read_bytes())
                continue
            with path.open(encoding="utf-8", newline="") as file:
                rows = [dict(row) for row in csv.DictReader(file, delimiter=right[name].separator)]
            renamed, names = rename(rows, random.Random(f"{seed} {name}"))
            write(target, renamed, form, rng)
            expected[name] = {meaning: names[column] for meaning, column in right[name].columns.items()}
    found = guessed(tmp_path)
    assert set(found) == set(FIVE)
    for name in FIVE:
        guess, truth = found[name], right[name]
        assert (guess.kind, guess.language, set(guess.sources)) == (truth.kind, truth.language, {"train", "valid"})
        if name in expected:  # which of two texts comes first is nowhere said where names say nothing
            answers = {meaning: column for meaning, column in guess.columns.items() if not meaning.startswith("text_")}
            assert answers == {m: c for m, c in expected[name].items() if not m.startswith("text_")}
            assert set(guess.columns.values()) == set(expected[name].values())
        else:
            assert guess.columns == truth.columns
        if truth.labels is not None:
            assert set(guess.labels or ()) == set(truth.labels)


def test_init_writes_what_check_calls_good_and_overwrites_nothing(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "guessed.yaml"
    command = [sys.executable, "-m", "skill_plugin", "init", made / "raw", file]
    done = warm_process.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"wrote {file}" in done.stdout and "3,0" not in done.stdout
    text = file.read_text(encoding="utf-8")
    found, right = read_corpora_file(file).corpora, read_corpora_file(made / "corpora.yaml").corpora
    assert {name: (one.kind, one.language) for name, one in found.items()} == {
        name: (one.kind, one.language) for name, one in right.items()
    }
    again = warm_process.run(command, capture_output=True, text=True)
    assert again.returncode == 1
    assert again.stderr.startswith(f"{file}: is there already, and is not overwritten")
    assert file.read_text(encoding="utf-8") == text


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return warm_process.run([sys.executable, "-m", "skill_plugin", *command], capture_output=True, text=True)


def test_a_folder_without_data(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing")
    (tmp_path / "odd.tsv").write_text("id\tvalue\n1\t2\n3\t4\n")
    done = run("init", tmp_path, tmp_path / "c.yaml")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{tmp_path}: no file that any kind is like; ") and "odd.tsv" in done.stderr
    assert not (tmp_path / "c.yaml").exists()
    gone = run("init", tmp_path / "gone", tmp_path / "c.yaml")
    assert (gone.returncode, gone.stderr) == (1, f"{tmp_path / 'gone'}: no such folder; expected one with raw files\n")


def test_what_is_open_is_a_comment_or_told_by_the_reader(tmp_path: Path) -> None:
    """Where something else is whole, it can be read; where nothing is, the reader says what is missing."""
    (tmp_path / "short.tsv").write_text("text\tlabel\n" + "xq 1\tp\nqx 2\tn\nxx 3\tn\n" * 2)
    alone = run("init", tmp_path, tmp_path / "alone.yaml")
    assert alone.returncode == 1 and "unknown language 'TODO'" in alone.stderr.splitlines()[-1]
    rows = "".join(
        f"the weather of day {number} was rather {'good' if number % 2 else 'bad'}\t{number % 2}\n"
        for number in range(30)
    )
    (tmp_path / "long.tsv").write_text("text\tlabel\n" + rows)
    both = run("init", tmp_path, tmp_path / "both.yaml")
    assert both.returncode == 0, both.stderr
    text = (tmp_path / "both.yaml").read_text()
    assert "#     language: TODO" in text and list(read_corpora_file(tmp_path / "both.yaml").corpora) == ["long"]
    assert "TODO  short: classification" in both.stdout
