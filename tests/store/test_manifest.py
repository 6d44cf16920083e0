"""Checksums of a prepared folder: any change of any byte is named; folders of before and identities of splits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import write_json
from skill_plugin.readers.example import Example
from skill_plugin.store.corpus_store import open_corpus, read_text_encoder
from skill_plugin.store.manifest import FILE, read_corpus_manifest
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, World, examples, make_world


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def rows(name: str) -> dict[str, list[Example]]:
    return {"train": examples(name, 9, seed=1), "valid": examples(name, 6)}


@pytest.fixture
def world(encoder: TextEncoder, tmp_path: Path) -> World:
    return make_world(tmp_path / "bin", encoder, {name: rows(name) for name in CORPORA})


def read_all(world: World, name: str, split: str, verify: bool = True) -> None:
    """Everything that scoring reads."""
    stored = open_corpus(world.folder, world.bundle.corpus(name), split, world.bundle.labels[name], verify)
    for row in range(len(stored)):
        assert stored[row]
        stored.example(row)


@pytest.mark.parametrize("name", CORPORA)
def test_every_file_of_a_split_is_verified(world: World, name: str) -> None:
    folder = world.folder / name
    manifest = read_corpus_manifest(folder)
    assert manifest is not None
    assert manifest.files is not None
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert manifest.files.keys() == there - {FILE}
    random = np.random.default_rng(0)
    for file in sorted(there):
        path, content = folder / file, (folder / file).read_bytes()
        if not content:
            continue
        at = int(random.integers(len(content)))
        damaged = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        if file == FILE and json.loads(content) == _loads(damaged):
            continue
        path.unlink()  # not through the hard link that dictionaries are
        path.write_bytes(damaged)
        if path.stem == "train":
            read_all(world, name, "valid")
        with pytest.raises(InputError) as error:
            read_all(world, name, "train" if path.stem == "train" else "valid")
        assert str(error.value).startswith(str(path))
        path.write_bytes(content)
    read_all(world, name, "train")


def _loads(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def test_the_text_encoder_is_verified(encoder: TextEncoder, tmp_path: Path) -> None:
    from skill_plugin.spec.corpora_file import parse_corpora_file
    from skill_plugin.store.prepare import prepare_corpora

    (tmp_path / "train.tsv").write_text("a\tx\nb\ty\n")
    text = (
        "languages: [en]\nskills: {generic: on}\ncorpora:\n  c: {kind: classification, language: en, skills: [generic],"
        " format: tsv, header: false, columns: {text_a: 0, label: 1}, train: train.tsv}\n"
    )
    data = tmp_path / "data"
    prepare_corpora(parse_corpora_file(text, tmp_path / "corpora.yaml"), data, encoder)
    for name in ("text_encoder.json", "sentencepiece.bpe.model", "dict.txt"):
        path = data / "text" / name
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content + b" ")
        with pytest.raises(InputError, match=f"text/{name}: damaged: not as it was written"):
            read_text_encoder(data, ["c"])
        path.write_bytes(content)
    assert read_text_encoder(data, ["c"]).fingerprint() == encoder.fingerprint()
    (data / "manifest.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match=r"data/manifest.json: not JSON that can be read: nested too deeply"):
        read_text_encoder(data, ["c"])


def to_version_2(folder: Path) -> dict[str, object]:
    """A manifest as it was before files had checksums."""
    content = json.loads((folder / FILE).read_text())
    old = {key: value for key, value in content.items() if key not in ("files", "checksum")} | {"version": 2}
    write_json(folder / FILE, old)
    return old


def test_folders_of_before_are_read_and_told_of_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    old = to_version_2(world.folder / "one")
    to_version_2(world.folder / "pair")
    for name in ("one", "pair", "one"):
        read_all(world, name, "valid")
    assert [record.message for record in caplog.records] == [
        f"{world.folder}: prepared by an earlier version, which noted no checksums: its files are not verified"
    ]
    for wrong in ({"files": {}}, {"texts": "many"}, {"splits": [1]}, {"labels": 3}, {"version": 3}, {"version": None}):
        write_json(world.folder / "one" / FILE, {**old, **wrong})
        with pytest.raises(InputError, match=r"one/manifest.json: "):
            read_all(world, "one", "valid")


def test_no_verify_reads_what_is_there(world: World) -> None:
    path = world.folder / "one" / "input0" / "valid.bin"
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    read_all(world, "one", "valid", verify=False)
    with pytest.raises(InputError, match=r"input0/valid.bin: damaged"):
        read_all(world, "one", "valid")


def test_a_split_knows_whether_its_files_were_compared(world: World) -> None:
    """Only then its rows need no look of their own."""
    corpus = next(iter(world.bundle.labels))

    def verified(verify: bool = True) -> bool:
        found = open_corpus(world.folder, world.bundle.corpus(corpus), "train", world.bundle.labels[corpus], verify)
        return found.verified

    assert (verified(), verified(verify=False)) == (True, False)
    to_version_2(world.folder / corpus)
    assert not verified()


def test_identity_is_that_of_rows_and_answers(encoder: TextEncoder, tmp_path: Path) -> None:
    def identities(folder: str, change: Callable[[Example], Example] = lambda one: one) -> dict[str, str | None]:
        made = {"train": [change(one) for one in examples("one", 9)], "valid": examples("one", 5, seed=1)}
        make_world(tmp_path / folder, encoder, {"one": made})
        manifest = read_corpus_manifest(tmp_path / folder / "one")
        assert manifest is not None
        return {split: manifest.identity(split) for split in ("train", "valid", "test")}

    first = identities("a")
    assert first["test"] is None
    assert None not in (first["train"], first["valid"])
    assert first["train"] != first["valid"]
    assert identities("b", lambda one: one._replace(file="elsewhere", line=7)) == first
    for name, change in {
        "c": lambda one: one._replace(answer="a"),
        "d": lambda one: one._replace(texts=(one.texts[0] + " cat",)),
    }.items():
        other = identities(name, change)
        assert other["train"] != first["train"]
        assert other["valid"] == first["valid"]
    to_version_2(tmp_path / "a" / "one")
    old = read_corpus_manifest(tmp_path / "a" / "one")
    assert old is not None
    assert old.identity("train") is not None
