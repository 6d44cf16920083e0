"""What is found and written does not depend on how many bytes are read, and how many rows are kept, at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.kinds.classification.reader import ClassificationReader
from skill_plugin.kinds.masked_lm.reader import MaskedLMReader
from skill_plugin.readers import cells, example_rows, spilled, text_lines
from skill_plugin.spec import read_corpora_file
from skill_plugin.store.prepare import FaultyCorporaError, prepare_corpora
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer

TEXTS = [
    "a man sleeps", "a man", "läuft 北京", "", " ", "NULL", '["a", "b"]', "['a', 'b']", "[a", '"so ""it"" is"', "'so'",
    "a\rb", "\x85c", "schlÃ¤ft", "\ufffd", "\ufeffx", "(a, b)", '"open', "a, b",
]  # fmt: skip
LABELS = ["yes", "yes", "no", "no", "maybe", "Yes", "nan", "-1", "", "[1]", " no ", "['yes']"]
BROKEN = ["", "id\ttext_a\ttext_b\tlabel", "1\ta", "1\ta\tb\tc\td", "\x00\ta\tb\tyes", "1\t\udcff\tb\tyes"]
CORPORA = """\
languages: [en]
skills: {{g: on}}
corpora:
  c:
    {{kind: {kind}, language: en, skills: [g], format: {form}, columns: {columns}, {options}train: train, {splits}}}
"""


def write(folder: Path, seed: int, faulty: bool) -> Path:
    """A corpora file and its table, in which nearly everything occurs that a row may have."""
    rng = random.Random(seed)
    kind, form = rng.choice(["classification"] * 3 + ["masked_lm"]), rng.choice(["tsv", "tsv", "csv"])
    columns = "{text: text_a}" if kind == "masked_lm" else "{text_a: text_a, text_b: text_b, label: label}"
    options = rng.choice(["", "quoting: csv, ", "extra_cells: drop, ", "missing_cells: empty, ", "on_bad_row: skip, "])
    if kind == "classification":
        options += rng.choice(
            ["", "label_map: {'Yes': 'yes'}, ", "drop_labels: [maybe], ", "where: {id: ['1', '2']}, "]
        )
    splits = rng.choice(["split: {valid: 20%}", "valid: valid, test: test"])
    for split in ("train", "valid", "test"):
        rows = ["id\ttext_a\ttext_b\tlabel"]
        for _ in range(rng.choice([3, 40, 90])):
            if faulty and rng.random() < 0.05:
                rows.append(rng.choice(BROKEN))
                continue
            texts = [rng.choice(TEXTS if rng.random() < 0.4 else TEXTS[:3]) for _ in range(2)]
            label = rng.choice(LABELS if faulty and rng.random() < 0.1 else LABELS[:4])
            rows.append("\t".join((str(rng.randint(1, 3)), *texts, label)))
        table = rng.choice(["\n", "\n", "\r\n"]).join(rows) + rng.choice(["", "\n", "\n\n"])
        table = table.replace(",", ";").replace("\t", ",") if form == "csv" else table
        (folder / split).write_bytes(table.encode("utf-8", "surrogateescape"))
    path = folder / "corpora.yaml"
    path.write_text(CORPORA.format(kind=kind, form=form, columns=columns, options=options, splits=splits))
    return path


@contextmanager
def sizes(number: int) -> Iterator[None]:
    """0: no runs, each row by itself; else blocks so large."""
    with ExitStack() as stack:
        if not number:
            stack.enter_context(patch.object(text_lines, "_ordinary", lambda *_: None))
            for reader in (ClassificationReader, MaskedLMReader):
                stack.enter_context(patch.object(reader, "read_ordinary", lambda *_: None))
        for module, name in (
            (text_lines, "_CHUNK"), (example_rows, "BLOCK"), (spilled, "BLOCK"), (spilled, "MEMORY"), (cells, "_FEW")
        ):  # fmt: skip
            stack.enter_context(patch.object(module, name, max(number, 1)))
        yield


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(str(sentencepiece_model))


def found(path: Path, encoder: TextEncoder, number: int) -> tuple[object, object]:
    """The report, and all files that prepare writes or the faults that it names."""
    spec, data = read_corpora_file(path), path.parent / f"data-{number}"
    with sizes(number):
        report = check_corpora(spec, encoder, max_length=12).to_json()
        try:
            prepare_corpora(spec, data, encoder)
        except FaultyCorporaError as error:
            return report, str(error)
    return report, {str(file.relative_to(data)): file.read_bytes() for file in data.rglob("*") if file.is_file()}


@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_tables(tmp_path: Path, encoder: TextEncoder, seed: int, faulty: bool) -> None:
    path = write(tmp_path, seed, faulty)
    expected = found(path, encoder, 1 << 20)
    assert expected[0] == found(path, encoder, 0)[0]
    for number in (0, 1, 3, 50):
        assert found(path, encoder, number) == expected


def test_prepared_and_faulty_ones_are_among_them(tmp_path: Path, encoder: TextEncoder) -> None:
    results = set()
    for seed in range(12):
        for faulty in (False, True):
            folder = tmp_path / f"{seed}-{faulty}"
            folder.mkdir()
            results.add(type(found(write(folder, seed, faulty), encoder, 1 << 20)[1]))
    assert results == {str, dict}
