"""``skill-plugin predict``: one line out per line in, or a fault with its line and no file."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skill_plugin import api
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, examples, make_world, raw_input

Command = Callable[..., tuple[int, str, str]]
TEXTS = [
    "the cat sat", "", " ", "🙂🇩🇪👩\u200d👧", "a\u2028b\u2029c\x85d", "lone\rreturn", "שלום مرحبا",
    "a\u200b\ufeffb", "\x00\x1c", "\u202e\u0301", "le der Hund läuft 北京 " * 500,
]  # fmt: skip
PLAIN = ("one", "pair", "topics", "score", "tags", "signs", "span", "choice", "search", "mlm", "nsp")  # of any line


@pytest.fixture(scope="module")
def checkpoint(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    rows = {name: examples(name, 10) for name in CORPORA}
    model = make_world(folder / "bin", open_tokenizer(sentencepiece_model), rows, max_length=100).model()
    state = {f"model.{name}": value for name, value in model.model.state_dict().items()}
    torch.save({"model": state, "task_state": {"bundle": model.bundle.to_state()}}, folder / "model.pt")
    return folder / "model.pt"


@pytest.fixture(scope="module")
def model(checkpoint: Path) -> api.Model:
    return api.load(str(checkpoint))


def lines_of(path: Path) -> list[str]:
    data = path.read_bytes().decode()
    assert data == "" or data.endswith("\n")
    return data.split("\n")[:-1]


@pytest.mark.parametrize("name", PLAIN)
def test_a_line_for_every_line(command: Command, checkpoint: Path, model: api.Model, tmp_path: Path, name: str) -> None:
    lines = [*TEXTS, *(f"{one}\t{other}" for one, other in zip(TEXTS, reversed(TEXTS), strict=True))]
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes("\n".join(lines).encode() + b"\n")
    status, out, err = command("predict", checkpoint, "--corpus", name, source, target)
    assert (status, out) == (0, "")
    if name not in ("one", "mlm", "tags", "signs"):
        assert err == ""
    else:  # of one text: told once
        assert err.startswith(f"{source}:{len(TEXTS) + 1}: lines with more tabs than there are between the texts of ")
        assert f": {len(TEXTS):,}, the first one here" in err and err.count("\n") == 1
    found = lines_of(target)
    assert len(found) == len(lines)
    parts = {"score": 1, "tags": 1, "signs": 1, "span": 4}.get(name, 2)
    assert name == "mlm" or {len(line.split("\t")) for line in found} == {parts}
    asked: list[Any] = [line.split("\t") for line in lines]
    if name in ("one", "mlm", "tags", "signs"):
        asked = list(lines)
    elif name not in ("choice", "search"):
        asked = [line.split("\t", 1) for line in lines]
    expected = [model.predict(name, [one])[0].to_line() for one in asked]
    assert [shape(line) for line in found] == [shape(line) for line in expected]

    command("predict", checkpoint, "--corpus", name, source, target, "--json", "--batch-size", 3)
    values = [json.loads(line) for line in lines_of(target)]
    assert len(values) == len(lines)
    assert {tuple(value) for value in values} == {tuple(model.predict(name, [asked[0]])[0].to_json())}


@pytest.mark.parametrize("name", list(CORPORA))
def test_jsonl_takes_what_python_takes(
    command: Command, checkpoint: Path, model: api.Model, tmp_path: Path, name: str
) -> None:
    """Every kind, as objects; of kinds of texts alone with tabs and line ends in the texts."""
    asked = [raw_input(name, example) for example in examples(name, 5)]
    if name in ("one", "topics", "pair", "score", "nsp"):
        keys = ("text_a",) if name == "one" else ("text_a", "text_b")
        asked = [{key: f"a\tb\n{key}" for key in keys}, *([["x\ty\n", "z\n"]] if len(keys) == 2 else ["x\ty\nz"])]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.txt"
    source.write_text("".join(f"{json.dumps(one)}\n" for one in asked))
    assert command("predict", checkpoint, "--corpus", name, "--jsonl", source, target) == (0, "", "")
    assert [shape(line) for line in lines_of(target)] == [shape(one.to_line()) for one in model.predict(name, asked)]
    for line, message in (("plain", "not JSON"), ("3", "expected a text, a list of texts or a mapping, not 3")):
        source.write_text(f"{json.dumps(asked[0])}\n{line}\n")
        status, _, err = command("predict", checkpoint, "--corpus", name, "--jsonl", source, tmp_path / "none")
        assert status == 1 and err.startswith(f"{source}:2: {message}") and not (tmp_path / "none").exists()


@pytest.mark.parametrize("size", ["0", "9" * 30, "x"])
def test_a_batch_size_that_is_none_is_wrong_usage(command: Command, checkpoint: Path, size: str) -> None:
    status, _, err = command("predict", checkpoint, "--corpus", "one", "-", "--batch-size", size)
    assert status == 2 and "Invalid value for '--batch-size'" in err


def shape(line: str) -> str:
    """A line without the digits that rounding may change."""
    return "".join("9" if c.isdigit() else c for c in line)


@pytest.mark.parametrize("name", ["choice", "search", "tags", "signs", "span", "wic", "wsc"])
def test_json_lines(command: Command, checkpoint: Path, model: api.Model, tmp_path: Path, name: str) -> None:
    asked = [raw_input(name, made) for made in examples(name, 20)]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(one) + "\r\n" for one in asked), encoding="utf-8")
    status, _, _ = command("predict", checkpoint, "--corpus", name, source, tmp_path / "out")
    assert status == 0
    expected = [prediction.to_line() for prediction in model.predict(name, asked)]
    assert lines_of(tmp_path / "out") == expected


def test_a_packed_input_is_unpacked(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    plain, packed, cut = (tmp_path / name for name in ("in.txt", "in.txt.gz", "cut.txt.gz"))
    plain.write_text("one text\nanother\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    cut.write_bytes(packed.read_bytes()[:-9])
    for source in (plain, packed):
        assert command("predict", checkpoint, "--corpus", "one", source, tmp_path / f"{source.name}.out")[0] == 0
    assert (tmp_path / "in.txt.gz.out").read_bytes() == (tmp_path / "in.txt.out").read_bytes()
    status, _, err = command("predict", checkpoint, "--corpus", "one", cut, tmp_path / "cut.out")
    assert status == 1 and err.startswith(f"{cut}: not a whole gzip file")
    assert not (tmp_path / "cut.out").exists()


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=20).filter(lambda text: "\n" not in text), max_size=5))
def test_any_lines(command: Command, checkpoint: Path, tmp_path: Path, lines: list[str]) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    for name in ("pair", "tags"):
        assert command("predict", checkpoint, "--corpus", name, source, tmp_path / "out")[0] == 0
        assert len(lines_of(tmp_path / "out")) == len(lines)


def test_line_ends_and_byte_order_mark(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    found = []
    for data in (b"the cat\na dog\n", b"the cat\na dog", b"\xef\xbb\xbfthe cat\r\na dog\r\n"):
        (tmp_path / "in").write_bytes(data)
        command("predict", checkpoint, "--corpus", "one", tmp_path / "in", tmp_path / "out")
        found.append(lines_of(tmp_path / "out"))
    assert found[0] == found[1] == found[2]
    (tmp_path / "in").write_bytes(b"")
    assert command("predict", checkpoint, "--corpus", "one", tmp_path / "in", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_bytes() == b""


def test_standard_input_and_output(
    command: Command, checkpoint: Path, model: api.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("the cat\nälter\n".encode())))
    status, out, err = command("predict", checkpoint, "--corpus", "one", "-")
    expected = [one.to_line() for one in model.predict("one", ["the cat", "älter"])]
    assert (status, out.splitlines(), err) == (0, expected, "")


FAULTS = [
    ("wsc", b'{"text_a": "a", "word_a": "b", "word_b": "a"}\n', 1, "the word 'b' is not in its text"),
    ("wsc", b"a cat\n", 1, "the kind word_in_context takes JSON lines with the keys text_a, "),
    ("span", b'q\tc\n{"question": "q"}\n', 2, "expected a text under 'context', the keys are 'question'"),
    ("span", b'q\tc\n\n{"question\n', 3, "not JSON: "),
    ("one", b"a\n\xff\n", 2, "not UTF-8: byte 0xff"),
]


@pytest.mark.parametrize(("name", "data", "line", "message"), FAULTS)
def test_faults_name_their_line_and_leave_no_file(
    command: Command, checkpoint: Path, tmp_path: Path, name: str, data: bytes, line: int, message: str
) -> None:
    (tmp_path / "in").write_bytes(data)
    options = ("predict", checkpoint, "--corpus", name, tmp_path / "in", tmp_path / "out", "--batch-size", 1)
    status, out, err = command(*options)
    assert (status, out) == (1, "")
    assert err.startswith(f"{tmp_path / 'in'}:{line}: {message}")
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    (tmp_path / "out").write_text("before", encoding="utf-8")
    assert command(*options)[0] == 1
    assert (tmp_path / "out").read_text(encoding="utf-8") == "before"


def test_faults_of_the_call(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_text("a\n", encoding="utf-8")

    def fault(*arguments: object, status: int = 1) -> str:
        found, out, err = command("predict", *arguments)
        assert (found, out) == (status, "")
        return err

    assert (
        fault(checkpoint, "--corpus", "one", tmp_path / "none") == f"{tmp_path / 'none'}: no such file or directory\n"
    )
    assert fault(checkpoint, "--corpus", "one", tmp_path) == f"{tmp_path}: is a directory\n"
    assert "no corpus 'ones'; did you mean 'one'?" in fault(checkpoint, "--corpus", "ones", source)
    assert fault(tmp_path / "no.pt", "--corpus", "one", source) == f"{tmp_path / 'no.pt'}: no such file\n"
    assert "cannot run on the device 'gpu'" in fault(checkpoint, "--corpus", "one", source, "--device", "gpu")
    assert "batch-size" in fault(checkpoint, "--corpus", "one", source, "--batch-size", 0, status=2)
    target = tmp_path / "no" / "out"
    assert fault(checkpoint, "--corpus", "one", source, target) == f"{target}: no such file or directory\n"
    assert fault(checkpoint, "--corpus", "one", source, tmp_path) == f"{tmp_path}: is a directory\n"


def test_pipes(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    """Devices and pipes are read and written as they are, not replaced by a file."""
    assert command("predict", checkpoint, "--corpus", "one", "/dev/null", "/dev/null") == (0, "", "")
    assert not Path("/dev/null").is_file()
    reader, writer = os.pipe()
    os.write(writer, b"the cat\n")
    os.close(writer)
    assert command("predict", checkpoint, "--corpus", "one", f"/dev/fd/{reader}", tmp_path / "out")[0] == 0
    os.close(reader)
    assert len(lines_of(tmp_path / "out")) == 1


def test_links_are_followed_and_an_input_is_not_written_over(
    command: Command, checkpoint: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text("the cat\n")
    (tmp_path / "out").write_text("old")
    (tmp_path / "link").symlink_to("out")
    assert command("predict", checkpoint, "--corpus", "one", tmp_path / "in", tmp_path / "link")[0] == 0
    assert (tmp_path / "link").is_symlink()
    assert len(lines_of(tmp_path / "out")) == 1
    for target in (tmp_path / "in", checkpoint):
        before = target.read_bytes()
        status, _, err = command("predict", checkpoint, "--corpus", "one", tmp_path / "in", target)
        assert (status, err) == (1, f"{target}: is read and to be written; name another file to write\n")
        assert target.read_bytes() == before
