"""``skill-plugin describe`` of architectures that are frozen and conditioned."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """Nine corpora with two labels each."""
    lines = ["languages: [en]", "corpora:"]
    lines += [
        f"  c{i}: {{kind: classification, language: en, labels: [a, b], format: tsv, columns: {{text_a: t, label: l}}, "
        "train: t.tsv}"
        for i in range(9)
    ]
    (tmp_path / "t.tsv").write_text("t\tl\nx\ta\n")
    (tmp_path / "corpora.yaml").write_text("\n".join(lines) + "\n")
    return tmp_path / "corpora.yaml"


def described(command: Command, corpora: Path, arch: str, *options: object) -> dict[str, Any]:
    status, out, err = command("describe", arch, "--corpora", corpora, "--json", *options)
    assert (status, err) == (0, "")
    content: dict[str, Any] = json.loads(out)
    return content


@pytest.mark.parametrize(("grades", "outputs"), [("", 4), ("grades: 5, ", 5)])
def test_a_head_has_as_many_outputs_as_there_are_grades(
    command: Command, tmp_path: Path, grades: str, outputs: int
) -> None:
    """Those of the corpora file, or else of the data."""
    (tmp_path / "t.tsv").write_text("q\tc\tl\na\tx\t3\na\ty\t0\n")
    columns = f"loss: graded, {grades}format: tsv, columns: {{text_a: q, text_b: c, label: l}}"
    (tmp_path / "c.yaml").write_text(
        f"languages: [en]\ncorpora:\n  w: {{kind: ranking, language: en, {columns}, train: t.tsv}}\n"
    )
    counts = described(command, tmp_path / "c.yaml", "dense_tiny")["parameters"]
    assert counts["heads"] == 64 * 64 + 64 + 64 * outputs + outputs


def test_options_change_what_is_counted(command: Command, corpora: Path) -> None:
    ours = described(command, corpora, "ca_mtl_tiny")
    counts, relative = ours["parameters"], ours["relative_to_one_encoder"]
    assert relative["encoder_total"] == pytest.approx((counts["total"] - counts["heads"]) / counts["encoder"])
    assert relative["trainable_per_corpus"] == pytest.approx(
        (counts["trainable"] - counts["heads"]) / counts["encoder"] / 9
    )
    layer = 4 * 64 * 64 + 4 * 64 + 2 * 64 * 128 + 128 + 64 + 4 * 64
    assert counts["trainable"] == layer + counts["conditional"] + counts["heads"]
    free = described(command, corpora, "ca_mtl_tiny", "--freeze", "none")["parameters"]
    assert free["trainable"] == free["total"] == counts["total"]
    half = described(command, corpora, "skillnet_x_ffn_tiny", "--freeze", "bottom-half")["parameters"]
    assert half["trainable"] < half["total"]
    one = described(command, corpora, "ca_mtl_tiny", "--conditional", "alignment")["parameters"]
    assert one["conditional"] == 9 * 64 + 64 * 64 + 16 * 64 + 128 * 16 + 128
    short = described(command, corpora, "ca_mtl_tiny", "--conditional-length", 32)["parameters"]
    assert short["conditional"] < counts["conditional"]
    full = described(command, corpora, "ca_mtl_tiny", "--conditional-length", 32, "--conditional-blocks", "full")
    assert short["conditional"] < full["parameters"]["conditional"] < counts["conditional"]
    linear = described(command, corpora, "ca_mtl_tiny", "--head", "linear")
    assert counts["heads"] - linear["parameters"]["heads"] == 9 * (64 * 64 + 64)
    assert {one["linear"] for one in linear["corpora"].values()} == {True} != {ours["corpora"]["c0"]["linear"]}
    held = described(command, corpora, "ca_mtl_tiny", "--r4f")["corpora"]["c0"]
    assert held["constrained"] and not ours["corpora"]["c0"]["constrained"]
    large = described(command, corpora, "ca_mtl_tiny", "--conditional-form", "large")["parameters"]
    assert large["conditional"] > counts["conditional"]


def test_the_options_of_a_model_are_told(command: Command, corpora: Path) -> None:
    options = ("--expert-layers", "1", "--experts", 3, "--lora-rank", 4, "--lora-targets", "qkv", "--head", "linear")
    ours = described(command, corpora, "mt_tag_tiny", *options)
    assert ours["variant"] == "mt_tag"
    assert ours["options"] == {
        "head": "linear",
        "experts": 3,
        "expert_layers": "1",
        "lora_rank": 4,
        "lora_alpha": 4.0,
        "lora_dropout": 0.1,
        "lora_targets": "query,key,value",
    }
    again = [str(part) for name, value in ours["options"].items() for part in (f"--{name.replace('_', '-')}", value)]
    assert described(command, corpora, "mt_tag_tiny", *again) == ours
    _, out, _ = command("describe", "ca_mtl_tiny", "--corpora", corpora, "--conditional-blocks", "full")
    assert re.search(r"--freeze +│ bottom-half ", out) and re.search(r"--conditional-blocks +│ full ", out)
    assert "--experts" not in out
    assert described(command, corpora, "dense_tiny")["options"] == {}


def test_what_does_not_fit_is_one_line(command: Command, corpora: Path) -> None:
    for options, message in (
        (("dense_tiny", "--conditional", "norm"), "dense has no conditional modules"),
        (("ca_mtl_tiny", "--conditional", "nrom"), "no such module 'nrom'"),
        (("ca_mtl_tiny", "--conditional-length", 513), "--conditional-length 513: the encoder has positions for 512"),
        (("mt_tag_tiny", "--experts", 0), "--experts 0: expected 1 to 1024"),
        (("mt_tag_tiny", "--expert-scale", "renormalised"), "weight is always 1, and the gate would not learn"),
        (("dense_tiny", "--lora-rank", 4, "--lora-dropout", 1), "--lora-dropout 1.0: expected 0 to below 1"),
    ):
        status, out, err = command("describe", *options, "--corpora", corpora)
        assert (status, out) == (1, "") and message in err and err.count("\n") == 1
    status, _, err = command("describe", corpora, "--only-corpora", "a")  # of any file, before it is read
    assert status == 2 and "a checkpoint brings its own corpora file" in err
    status, _, err = command("describe", "ca_mtl_tiny", "--corpora", corpora, "--freeze", "half")
    assert status == 2 and "'half' is not one of 'none', 'embeddings', 'bottom-quarter', 'bottom-half'" in err


def test_help_starts_without_torch() -> None:
    code = (
        "import sys; from skill_plugin.cli.main import main\n"
        "try: main(['describe', '--help'])\n"
        "finally: assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("width", [80, pytest.param(60, marks=pytest.mark.long)])
def test_tables_fit_the_terminal(width: int, corpora: Path) -> None:
    """In parts that begin with the corpus; what is printed elsewhere is whole."""
    command = [sys.executable, "-m", "skill_plugin", "describe", "skillnet_tiny", "--corpora", corpora]
    skills = ", ".join(f"skill-number-{i}: x" for i in range(8))
    used = "[" + ", ".join(f"skill-number-{i}" for i in range(8)) + "]"
    text = corpora.read_text().replace("corpora:", f"skills: {{{skills}}}\ncorpora:", 1)
    corpora.write_text(text.replace("language: en,", f"language: en, skills: {used},"))
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        list(map(str, command)), stdout=writer, stdin=writer, stderr=writer, env={**environment, "TERM": "xterm"}
    ) as process:
        os.close(writer)
        out = b""
        while part := _read(reader):
            out += part
    assert process.returncode == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out.decode()).splitlines()
    assert max(map(len, lines)) <= width
    assert all(any(f"skill-number-{i}" in line for line in lines) for i in range(8))
    assert sum("c0" in line for line in lines) > 1


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # how a terminal says that nobody writes any more
        return b""


def test_mt5_has_its_own_vocabulary(command: Command, corpora: Path) -> None:
    """The published number (``test_mt5``), and a row of both tables for ``<s>``."""
    found = described(command, corpora, "mt5_small")
    assert found["parameters"]["total"] == 300_176_768 + 2 * 512
    assert found["parameters"]["decoder"] > found["parameters"]["encoder"] > 0 == found["parameters"]["heads"]
    assert found["corpora"]["c0"]["head"] == ""


def test_mt5_is_described_for_corpora_that_it_answers_alone(command: Command, corpora: Path) -> None:
    spoken = "kind: labelling, labels: [O, B-X], format: conll, columns: {token: 0, tag: 1}, train: t.conll"
    spoken += ", language: en"
    corpora.write_text(f"{corpora.read_text()}  names: {{{spoken}}}\n")
    status, out, err = command("describe", "mt5_tiny", "--corpora", corpora)
    assert (status, out) == (1, "") and err.count("\n") == 1
    assert "corpus 'names': a text-to-text model does not answer the kind labelling" in err
    status, _, err = command("describe", "mt5_tiny", "--corpora", corpora, "--only-corpora", "c0,c1")
    assert (status, err) == (0, "")
