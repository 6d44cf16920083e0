"""Recipes of examples/, gone through on a few rows of the real data with a tiny encoder of random weights."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import yaml

from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig, expected_sizes, save_encoder_file
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests import warm_process
from tests.warm_python import warm_python

ROWS = 24

Recipe = Callable[..., str]


def cut(source: Path, target: Path) -> None:
    """The first rows of a raw file; SQuAD files whole, since their splits are by article."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_bytes()
    document = None
    if source.suffix == ".json":
        with contextlib.suppress(ValueError):  # JSON lines
            document = json.loads(text)
    if isinstance(document, dict) and "data" not in document:
        target.write_text(json.dumps(dict(list(document.items())[:ROWS])))
    elif document is not None:
        shutil.copy(source, target)
    elif source.suffix in (".conll", ".conllu"):
        target.write_bytes(b"\n".join(text.split(b"\n")[: 20 * ROWS]) + b"\n\n")
    else:
        target.write_bytes(b"\n".join(text.split(b"\n")[: ROWS + 1]) + b"\n")


def cut_work(
    recipes: Path,
    files: Sequence[str],
    raw: Path,
    word_pieces: Sequence[str],
    folder: Path,
    more: Sequence[str] = (),
) -> Path:
    """A folder for recipes to work in: raw files of the corpora files, and ``more``, cut short, and a tiny encoder."""
    paths = set(more)
    for name in files:
        for section in yaml.safe_load((recipes / f"{name}.yaml").read_text())["corpora"].values():
            for split in ("train", "valid"):
                source = section.get(split, {})
                paths.update(
                    path.removeprefix("${SKILL_DATA}/")
                    for path in (source.values() if isinstance(source, dict) else [source])
                    if path.startswith("${SKILL_DATA}/")
                )
    for path in sorted(paths):
        cut(raw / path, folder / "raw" / path)
    tiny_encoder(word_pieces, folder)
    return folder


def tiny_encoder(
    word_pieces: Sequence[str], folder: Path, name: str = "encoder.pt",
    layers: int = 2, width: int = 64, heads: int = 2, inner: int = 128,
) -> EncoderFile:  # fmt: skip
    """A BERT of random weights, written to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(word_pieces) + "\n", encoding="utf-8")
    text = open_tokenizer(str(folder / "vocab.txt"), None)
    config = EncoderFileConfig(layers, width, heads, inner, len(text.vocabulary), 512, 2, 1e-12, "bert")
    torch.manual_seed(0)
    state = {name: 0.02 * torch.randn(size) for name, size in expected_sizes(config).items()}
    encoder = EncoderFile(config, text, state)
    save_encoder_file(encoder, folder / name)
    return encoder


def prepared(recipes: Path, work: Path, **own: str) -> Recipe:
    """What runs a recipe in the folder, after prepare.sh, and gives what it printed.

    Args:
        recipes: their folder.
        work: from ``cut_work``.
        own: settings of these recipes, which a call may change.
    """
    settings = {
        "PYTHON": str(warm_python()), "WORK": str(work), "SKILL_DATA": str(work / "raw"), "SIZE": "tiny",
        "DEVICE": "cpu", "SEEDS": "1", "UPDATES": "2", "EPOCHS": "1", "OMP_NUM_THREADS": "1",
        "OPTIONS": "--num-workers 0", **own,
    }  # fmt: skip

    def run(name: str, *arguments: object, **changes: str) -> str:
        done = subprocess.run(
            ["bash", recipes / name, *map(str, arguments)], capture_output=True, text=True, check=False,
            env={**os.environ, **settings, **changes},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    run("prepare.sh")
    return run


def elsewhere(work: Path, folder: Path) -> dict[str, str]:
    """Settings with which a recipe works in another folder, on the data and with the encoder of this one."""
    return {"WORK": str(folder), "DATA_BIN": str(work / "data-bin"), "ENCODER": str(work / "encoder.pt")}


def swept(file: Path, work: Path, folder: Path, **settings: str) -> dict[str, Any]:
    """The table of a sweep file of a work whose data are prepared, with settings as those of the recipes."""
    given = {
        "WORK": str(work), "DATA_BIN": str(work / "data-bin"), "NEW_BIN": str(work / "new-bin"),
        "ENCODER": str(work / "encoder.pt"), "SIZE": "tiny", "UPDATES": "2", "EPOCHS": "1", "PATIENCE": "1",
        "BATCH": "8", "SEEDS": "[1]", **settings,
    }  # fmt: skip
    line = [sys.executable, "-m", "skill_plugin", "sweep", file, "--out", folder, "--jobs", "2"]
    done = warm_process.run(line, capture_output=True, text=True, env={**os.environ, **given})
    assert done.returncode == 0, done.stdout + done.stderr
    content: dict[str, Any] = json.loads((folder / "table.json").read_text())
    return content


def table(work: Path, name: str) -> dict[str, Any]:
    """What a recipe's table holds."""
    content: dict[str, Any] = json.loads((work / f"{name}.json").read_text())
    assert (work / f"{name}.md").read_text().startswith("|  | ")
    return content
