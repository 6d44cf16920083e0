#!/usr/bin/env python3
"""Measures ratios side by side, in one run on this machine: below 1 is faster for a layer, above 1 for training.

    .venv/bin/python scripts/bench.py [--only NAME…] [--json FILE] [--corpora glue.yaml --encoder FOLDER]

- skill_ffn/WIDTH/kK: forward and backward of K active skills' feed-forward networks, over one dense feed-forward
  network K times as wide, on the same 4,096 tokens.
- training_vs_transformers: sentences a second of `fairseq-train` with this plugin, over those of transformers' Trainer
  with dynamic padding, on the same sentences, encoder and batch size, dense model, float32. Needs --corpora and
  --encoder, and makes .venv-transformers on first use.

Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from side_by_side import Figures, compare

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.packed_batch import PackedBatch, Segment
from skill_plugin.nn.skills.feed_forward import SkillFeedForward

ROOT = Path(__file__).resolve().parent.parent
TOKENS = 4096
CORPORA = "sst2,cola,mrpc,rte"


def forward_and_backward(module: torch.nn.Module, x: torch.Tensor, batch: PackedBatch) -> Callable[[], object]:
    def step() -> None:
        module.zero_grad(set_to_none=True)
        module(x.detach().requires_grad_(), batch).sum().backward()

    return step


def skill_ffn(width: int, k: int, rounds: int) -> dict[str, Any]:
    """K skills against a dense network K times as wide."""
    torch.manual_seed(0)
    names = [f"skill{i}" for i in range(k)]
    empty = torch.zeros(0, dtype=torch.int64)
    segment = Segment(ActiveSet(tuple(names), "en"), "head", 0, TOKENS)
    batch = PackedBatch(empty, empty, None, [TOKENS], [segment], [empty])
    x = torch.randn(TOKENS, width)
    return compare(
        forward_and_backward(SkillFeedForward(width, 4 * width, names), x, batch),
        forward_and_backward(FeedForward(width, 4 * width * k), x, batch),
        rounds,
    )


def training_vs_transformers(corpora: str, encoder: str, updates: int, rounds: int) -> dict[str, Any]:
    """Sentences a second of both, in turns."""
    python = transformers_environment()
    with tempfile.TemporaryDirectory() as folder:
        plugin = [sys.executable, "-m", "skill_plugin"]
        run([*plugin, "import", encoder, f"{folder}/encoder.pt"])
        run(
            [
                *plugin,
                "prepare",
                corpora,
                f"{folder}/data",
                "--encoder",
                f"{folder}/encoder.pt",
                "--only-corpora",
                CORPORA,
            ]
        )
        ours = [sys.executable, "-m", "fairseq_cli.train", f"{folder}/data", "--user-dir", str(ROOT / "skill_plugin")]
        ours += ["--task", "multilingual_multitask", "--corpora", corpora, "--only-corpora", CORPORA]
        ours += [
            "--arch",
            "dense_small",
            "--init-from",
            f"{folder}/encoder.pt",
            "--criterion",
            "multitask_cross_entropy",
        ]
        ours += ["--optimizer", "skill_adam", "--lr", "5e-5", "--batch-size", "16", "--max-update", str(updates)]
        ours += ["--clip-norm", "1.0", "--cpu", "--disable-validation", "--no-save", "--log-format", "none"]
        theirs = [python, str(ROOT / "scripts" / "bench_transformers.py"), encoder, f"{folder}/data", CORPORA]
        theirs += ["--updates", str(updates), "--work", f"{folder}/work"]
        speeds: dict[str, list[float]] = {"plugin": [], "transformers": []}
        for _ in range(rounds):
            taken = float(found(r"done training in ([\d.]+) seconds", run(ours)))
            speeds["plugin"].append(16 * updates / taken)
            speeds["transformers"].append(float(found(r"sentences a second: ([\d.]+)", run(theirs))))
    medians_ = {name: statistics.median(values) for name, values in speeds.items()}
    return {"ratio": medians_["plugin"] / medians_["transformers"], "sentences_per_second": medians_, "rounds": speeds}


def transformers_environment() -> str:
    """The interpreter of an environment of its own, since transformers and fairseq pull different dependencies."""
    folder = ROOT / ".venv-transformers"
    python = str(folder / "bin" / "python")
    if not (folder / "ready").exists():
        print("making .venv-transformers", file=sys.stderr)
        pip = [
            python,
            "-m",
            "pip",
            "-qq",
            "--disable-pip-version-check",
            "install",
            "-c",
            str(ROOT / "constraints.txt"),
        ]
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        run([*pip, "torch"])
        run([*pip, "transformers", "accelerate"])
        (folder / "ready").touch()
    return python


def run(command: list[str]) -> str:
    """What a command prints, both streams; it must succeed."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}")
    return done.stdout


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        sys.exit(f"expected {pattern!r} in:\n{text[-3000:]}")
    return match[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="beginnings of names, e.g. skill_ffn/384")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--corpora", help="a corpora file with sst2, cola, mrpc and rte")
    parser.add_argument("--encoder", help="a Hugging Face folder of a BERT with 6 layers of width 384")
    parser.add_argument("--rounds", type=int, default=31, help="of each layer; training takes a tenth of them")
    parser.add_argument("--updates", type=int, default=100, help="of each training run")
    arguments = parser.parse_args()
    if (arguments.corpora is None) != (arguments.encoder is None):
        parser.error("--corpora and --encoder go together")
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        f"skill_ffn/{width}/k{k}": lambda width=width, k=k: skill_ffn(width, k, arguments.rounds)  # type: ignore[misc]
        for width in (384, 768)
        for k in (1, 3, 5)
    }
    if arguments.corpora:
        steps["training_vs_transformers"] = lambda: training_vs_transformers(
            arguments.corpora, arguments.encoder, arguments.updates, max(arguments.rounds // 10, 1)
        )
    chosen = [n for n in steps if not arguments.only or any(n.startswith(only) for only in arguments.only)]
    if not chosen:
        parser.error(f"nothing to measure; known: {', '.join(steps)} (training needs --corpora and --encoder)")
    figures = Figures()
    for name in chosen:
        figures.add(name, steps[name]())
    figures.write(arguments.json)


if __name__ == "__main__":
    main()
