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

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from layer_step import forward_and_backward, make_pack
from side_by_side import Figures, compare, make_parser, measure_all

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.skills.feed_forward import SkillFeedForward

ROOT = Path(__file__).resolve().parent.parent
TOKENS = 4096
CORPORA = "sst2,cola,mrpc,rte"


def skill_ffn(width: int, k: int, rounds: int) -> Figures:
    """K skills against a dense network K times as wide."""
    torch.manual_seed(0)
    names = tuple(f"skill{i}" for i in range(k))
    batch, x = make_pack(TOKENS, [ActiveSet(names, "en")]), torch.randn(TOKENS, width)
    return compare(
        forward_and_backward(SkillFeedForward(width, 4 * width, list(names)), x, batch),
        forward_and_backward(FeedForward(width, 4 * width * k), x, batch),
        rounds,
    )


def training_vs_transformers(corpora: str, encoder: str, updates: int, rounds: int) -> Figures:
    """Sentences a second of both, in turns."""
    python = transformers_environment()
    with tempfile.TemporaryDirectory() as folder:
        plugin = [sys.executable, "-m", "skill_plugin"]
        imported, data = f"{folder}/encoder.pt", f"{folder}/data"
        run([*plugin, "import", encoder, imported])
        run([*plugin, "prepare", corpora, data, "--encoder", imported, "--only-corpora", CORPORA])
        ours = [
            sys.executable, "-m", "fairseq_cli.train", data, "--user-dir", str(ROOT / "skill_plugin"),
            "--task", "multilingual_multitask", "--corpora", corpora, "--only-corpora", CORPORA,
            "--arch", "dense_small", "--init-from", imported, "--criterion", "multitask_cross_entropy",
            "--optimizer", "skill_adam", "--lr", "5e-5", "--batch-size", "16", "--max-update", str(updates),
            "--clip-norm", "1.0", "--cpu", "--disable-validation", "--no-save", "--log-format", "none",
        ]  # fmt: skip
        theirs = [python, str(ROOT / "scripts" / "bench_transformers.py"), encoder, data, CORPORA]
        theirs += ["--updates", str(updates), "--work", f"{folder}/work"]
        speeds: dict[str, list[float]] = {"plugin": [], "transformers": []}
        for _ in range(rounds):
            taken = float(found(r"done training in ([\d.]+) seconds", run(ours)))
            speeds["plugin"].append(16 * updates / taken)
            speeds["transformers"].append(float(found(r"sentences a second: ([\d.]+)", run(theirs))))
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    return {"ratio": medians["plugin"] / medians["transformers"], "sentences_per_second": medians, "rounds": speeds}


def transformers_environment() -> str:
    """The interpreter of an environment of its own, since transformers and fairseq pull different dependencies."""
    folder = ROOT / ".venv-transformers"
    python = str(folder / "bin" / "python")
    if not (folder / "ready").exists():
        print("making .venv-transformers", file=sys.stderr)
        pip = [python, "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
        pip += ["-c", str(ROOT / "constraints.txt")]
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
    parser = make_parser(__doc__, rounds=31)
    parser.add_argument("--corpora", help="a corpora file with sst2, cola, mrpc and rte, for training")
    parser.add_argument("--encoder", help="a Hugging Face folder of a BERT with 6 layers of width 384, for training")
    parser.add_argument("--updates", type=int, default=100, help="of each training run (rounds: a tenth of --rounds)")
    asked = parser.parse_args()
    if (asked.corpora is None) != (asked.encoder is None):
        parser.error("--corpora and --encoder go together")
    measurements: dict[str, Callable[[], Figures]] = {
        f"skill_ffn/{width}/k{k}": partial(skill_ffn, width, k, asked.rounds) for width in (384, 768) for k in (1, 3, 5)
    }
    if asked.corpora:
        training = partial(training_vs_transformers, asked.corpora, asked.encoder, asked.updates)
        measurements["training_vs_transformers"] = partial(training, max(asked.rounds // 10, 1))
    measure_all(parser, asked, measurements)


if __name__ == "__main__":
    main()
