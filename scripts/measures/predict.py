"""``predict`` and ``evaluate`` on 10,000 short texts, over transformers' pipeline with batches of 32.

The whole command counts: start, reading, tokenizing, the model, writing. Both run the same dense model of random
weights, in float32: on the CPU 6 layers of 384, on a GPU 12 of 768.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch

from measures.asked import Asked, Cases
from measures.bert_folder import write_bert_folder
from measures.figure import Figure, at_least
from measures.glue import draw_lengths
from measures.made_data import SPECIALS
from measures.runs import LONGEST, FailedRunError, environment
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape

LABELS = ("negative", "positive")
CORPORA = """\
languages: [en]
skills: {generic: made}
corpora:
  short: {kind: classification, language: en, skills: [generic], format: tsv, quoting: none, train: train.tsv,
          valid: valid.tsv, columns: {text_a: a, label: l}, labels: [negative, positive]}
"""


def commands(asked: Asked, folder: Path) -> dict[str, list[str]]:
    """What is measured, by name, after what it reads was made."""
    texts = make_texts(10_000 if not asked.tiny else 60)
    vocabulary = [*SPECIALS, *dict.fromkeys(word for text in texts for word in text.split())]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    (folder / "texts").write_text("\n".join(texts) + "\n")
    for split, rows in {"train": texts[:2], "valid": texts}.items():
        lines = [f"{text}\t{LABELS[number % 2]}" for number, text in enumerate(rows)]
        (folder / f"{split}.tsv").write_text("\n".join(["a\tl", *lines]) + "\n")
    (folder / "corpora.yaml").write_text(CORPORA)
    encoder = open_tokenizer(folder / "vocab.txt")
    prepare_corpora(read_corpora_file(folder / "corpora.yaml"), folder / "data", encoder)
    size = SIZES[asked.model_size]
    shape = EncoderShape(
        size.layers, size.width, size.heads, size.inner, len(encoder.vocabulary), token_types=2, layer_norm_eps=1e-12
    )
    torch.manual_seed(0)
    labels = {"short": LABELS}
    bundle = Bundle("dense", shape, CORPORA, "corpora.yaml", labels, {"short": {}}, 128, encoder.to_state())
    trained = Checkpoint(bundle, build_model(bundle).state_dict())
    save_checkpoint(trained, folder / "model.pt")
    write_bert_folder(trained, "short", vocabulary, folder / "bert")

    ours, device = [sys.executable, "-m", "skill_plugin"], ["--device", asked.device]
    pipeline = [sys.executable, str(Path(__file__).with_name("pipeline_program.py"))]
    paths = {name: str(folder / name) for name in ("model.pt", "texts", "data", "bert", "ours", "theirs")}
    return {
        "pipeline": [*pipeline, paths["bert"], paths["texts"], paths["theirs"], *device],
        "predict": [*ours, "predict", paths["model.pt"], "--corpus", "short", paths["texts"], paths["ours"], *device],
        "evaluate": [*ours, "evaluate", paths["model.pt"], paths["data"], *device],
    }


def make_texts(number: int) -> list[str]:
    """Texts of made words, as long as those of the shortest corpora of GLUE."""
    random, lengths = np.random.default_rng(0), draw_lengths()
    found = random.choice(np.concatenate([lengths["cola"], lengths["sst2"]]), number) - 2  # without [CLS] and [SEP]
    return [" ".join(f"w{word}" for word in random.integers(0, 30_000, length)) for length in found.tolist()]


def over_pipeline(asked: Asked) -> Iterator[Figure]:
    """In turns."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        measured = commands(asked, Path(folder))
        seconds: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(asked.rounds_or(1)):
            for name, command in measured.items():
                seconds[name].append(seconds_of(command))
        ours, theirs = (Path(folder, name).read_text(encoding="utf-8").split("\n") for name in ("ours", "theirs"))
    if len(ours) != len(theirs):
        raise FailedRunError(f"{len(ours) - 1} lines from predict, {len(theirs) - 1} from the pipeline")
    others = sum(one.split("\t")[0] != other.split("\t")[0] for one, other in zip(ours, theirs, strict=True))
    for name in ("predict", "evaluate"):
        yield Figure(
            statistics.median(b / a for a, b in zip(seconds[name], seconds["pipeline"], strict=True)),
            f"transformers' pipeline, batches of 32, over `{name}`: seconds of the whole command, 10,000 short texts",
            at_least(3),
            name,
            details={
                "s": statistics.median(seconds[name]),
                "pipeline_s": statistics.median(seconds["pipeline"]),
                "other_labels": others,
            },
        )


def seconds_of(command: Sequence[str]) -> float:
    """Wall time of a command.

    Raises:
        FailedRunError: it failed, or took too long.
    """
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
            errors="replace", env={**environment(), "TOKENIZERS_PARALLELISM": "true"}, timeout=LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FailedRunError(f"stopped after {LONGEST} s: {' '.join(command)}") from None
    if done.returncode:
        raise FailedRunError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    return time.perf_counter() - start


def cases(asked: Asked) -> Cases:
    return {"predict": partial(over_pipeline, asked)}
