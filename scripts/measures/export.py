"""What a corpus uses of a ``skillnet_x_ffn_mha`` for four languages, as a slice and as graphs, over the whole model.

The model has random weights, XLM-R's number of pieces and the six skills of SkillNet-X; the corpus activates three.
Texts have 20 tokens, and everything is counted from the text to the logits: a text alone, and 32 at a time. In turns.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from measures.asked import Asked, Cases
from measures.figure import Figure, at_least
from measures.made_data import SPECIALS
from measures.timing import seconds_of
from skill_plugin.api import Model
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, save_checkpoint
from skill_plugin.checkpoints.slice import take_slice
from skill_plugin.export.load_script import load_script
from skill_plugin.export.onnx.quantize import quantize
from skill_plugin.export.onnx.write_onnx import write_onnx
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape

CORPORA = """\
languages: [en, zh, de, es]
skills: {generic: made, token: made, sentence: made, interact: made, sentiment: made, question: made}
corpora:
  nli-en: {kind: classification, language: en, skills: [generic, sentence, interact], format: tsv, test: none.tsv,
           labels: [entailment, neutral, contradiction], columns: {text_a: a, label: l}}
"""
CORPUS, LABELS = "nli-en", ("entailment", "neutral", "contradiction")
PIECES = 250_002  # of XLM-R
LENGTH = 20  # tokens of a text, special tokens included
BATCH = 32

Ask = Callable[[Sequence[str]], Any]  # texts -> logits [n, C]


def over_whole_model(asked: Asked) -> Iterator[Figure]:
    """The whole model, its slice, and the slice as graphs."""
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        folder = Path(made)
        trained = make_model(asked, folder)
        ways, sizes = make_ways(trained, folder)
        random = np.random.default_rng(0)
        pieces = len(trained.bundle.text_encoder.vocabulary) - len(SPECIALS)
        texts = [" ".join(f"w{word}" for word in row) for row in random.integers(0, pieces, (BATCH, LENGTH - 2))]
        expected = ways["whole"](texts)
        seconds: dict[tuple[str, int], list[float]] = {(name, n): [] for name in ways for n in (1, BATCH)}
        for _ in range(asked.rounds_or(8) + 2):
            for name, ask in ways.items():
                seconds[name, 1] += [seconds_of(partial(ask, [text])) for text in texts[:4]]
                seconds[name, BATCH].append(seconds_of(partial(ask, texts)))
        alone = {name: 1e3 * statistics.median(seconds[name, 1][4:]) for name in ways}
        rate = {name: BATCH / statistics.median(seconds[name, BATCH][1:]) for name in ways}
        for name, ask in ways.items():
            if name != "whole":
                yield Figure(
                    alone["whole"] / alone[name],
                    f"{WHAT[name]} of a `skillnet_x_ffn_mha` over the whole model: a text of {LENGTH} tokens alone",
                    at_least(1),
                    name,
                    details={
                        "ms": alone[name], "whole_ms": alone["whole"],
                        "texts_per_s": rate[name], "whole_texts_per_s": rate["whole"],
                        "file_MB": sizes[name], "whole_file_MB": sizes["whole"],
                        "difference_of_logits": float(np.abs(ask(texts) - expected).max()),
                    },
                )  # fmt: skip


WHAT = {
    "slice": "the slice of a corpus",
    "onnx": "the slice as a graph in ONNX Runtime",
    "onnx-int8": "the slice as a graph in 8 bits",
}


def make_model(asked: Asked, folder: Path) -> Checkpoint:
    """Random weights."""
    words = 500 if asked.tiny else PIECES - len(SPECIALS)
    (folder / "vocab.txt").write_text("\n".join([*SPECIALS, *(f"w{number}" for number in range(words))]) + "\n")
    encoder = open_tokenizer(folder / "vocab.txt")
    size = SIZES["tiny" if asked.tiny else asked.size or "minilm12"]
    shape = EncoderShape(size.layers, size.width, size.heads, size.inner, len(encoder.vocabulary), token_types=2)
    torch.manual_seed(0)
    bundle = Bundle(
        "skillnet_x_ffn_mha", shape, CORPORA, "corpora.yaml", {CORPUS: LABELS}, {CORPUS: {}}, 128, encoder.to_state()
    )
    return Checkpoint(bundle, build_model(bundle).state_dict())


def make_ways(trained: Checkpoint, folder: Path) -> tuple[dict[str, Ask], dict[str, float]]:
    """What is asked, by name, and the megabytes of its file."""
    ways: dict[str, Ask] = {}
    sizes = {}
    for name, checkpoint in {"whole": trained, "slice": take_slice(trained, CORPUS)}.items():
        file = folder / f"{name}.pt"
        save_checkpoint(checkpoint, file)
        model = Model(checkpoint.bundle, checkpoint.model(), torch.device("cpu"))
        ways[name] = lambda texts, model=model: torch.cat(model.logits(CORPUS, texts)).numpy()  # type: ignore[misc]
        sizes[name] = file.stat().st_size / 1e6
        file.unlink()
    for name in ("onnx", "onnx-int8"):
        out = folder / name
        if name == "onnx":
            out.mkdir()
            write_onnx(trained, CORPUS, out, "float32")
        else:  # what --quantize does, of the graph that is there
            shutil.copytree(folder / "onnx", out, ignore=shutil.ignore_patterns("model.onnx"))
            quantize(folder / "onnx" / "model.onnx", out / "model.onnx")
        script = load_script(out)
        ways[name] = lambda texts, script=script: script.run([script.encode(text) for text in texts])  # type: ignore[misc]
        sizes[name] = sum(file.stat().st_size for file in out.glob("model.onnx*")) / 1e6
    return ways, sizes


def cases(asked: Asked) -> Cases:
    return {"export": partial(over_whole_model, asked)} if asked.device == "cpu" else {}
