#!/usr/bin/env python3
"""Times a training step of `multitask_r3f` over the same step of `multitask_cross_entropy`: forward and backward.

    .venv/bin/python scripts/bench_r3f.py [--only NAME…] [--rounds N] [--json FILE]

Medians of the rounds' ratios, measured in turns in this process on the same pack of 16 sentences of 8 to 60 tokens,
with dropout 0.1 and the vocabulary of BERT. On the CPU 6 layers of 384 in float32; on a GPU 12 layers of 768 under
autocast, as `--autocast bf16` trains, and packs of 16 and of 128 sentences. Nothing else should run on the machine
meanwhile.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from side_by_side import Figures, Step, compare, make_parser, measure_all, milliseconds

import skill_plugin.register  # noqa: F401
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.criterions.multitask_r3f import MultitaskR3F, MultitaskR3FConfig
from skill_plugin.models.skill_encoder import SkillEncoderModel
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape

CORPUS = "nli-en"
FILE = f"""\
languages: [en]
skills: {{generic: always on, sentence: meaning, interact: pairs}}
corpora:
  {CORPUS}:
    {{kind: classification, language: en, skills: [generic, sentence, interact], labels: [a, b, c], format: tsv,
     columns: {{text_a: a, label: l}}, train: train.tsv}}
"""
VOCABULARY = 30_522


def make_bundle(variant: str, size: str) -> Bundle:
    """One corpus and an encoder of a size."""
    s = SIZES[size]
    shape = EncoderShape(s.layers, s.width, s.heads, s.inner, VOCABULARY)
    return Bundle(variant, shape, FILE, "bench.yaml", {CORPUS: ("a", "b", "c")}, {CORPUS: {}}, 128, {})


def make_sample(bundle: Bundle, sentences: int, device: str) -> dict[str, Any]:
    """A pack of random sentences, as the dataset's collater would give it."""
    random = np.random.default_rng(0)
    lengths = random.integers(8, 61, sentences)
    sequences = [EncodedSequence(random.integers(4, VOCABULARY, n), np.zeros(n, np.int64)) for n in lengths]
    batch = pack([(bundle.active_set(CORPUS), CORPUS, sequences)], token_types=False).to(torch.device(device))
    return {
        "id": torch.arange(sentences),
        "net_input": batch.as_keywords(),
        "corpora": [0],
        "units": [[1] * sentences],
        "targets": [{"classes": torch.from_numpy(random.integers(0, 3, sentences)).to(device)}],
        "nsentences": sentences,
        "ntokens": int(lengths.sum()),
    }


def measure(variant: str, size: str, device: str, sentences: int, rounds: int) -> Figures:
    """The step with noise over the one without."""
    torch.manual_seed(0)
    bundle = make_bundle(variant, size)
    task: Any = SimpleNamespace(names=[CORPUS], bundle=bundle, cfg=SimpleNamespace(seed=1))
    model = SkillEncoderModel(build_model(bundle), bundle.shape.positions).to(device).train()
    sample = make_sample(bundle, sentences, device)

    def step(criterion: Any) -> Step:
        def run() -> None:
            model.zero_grad(set_to_none=True)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss, _, _ = criterion(model, sample)
            loss.backward()
            if device == "cuda":
                torch.cuda.synchronize()

        return run

    noisy = step(MultitaskR3F(MultitaskR3FConfig(), task))
    plain = step(MultitaskCrossEntropy(MultitaskCrossEntropyConfig(), task))
    for _ in range(3):
        noisy()
        plain()
    return compare(noisy, plain, rounds)


def main() -> None:
    parser = make_parser(__doc__, rounds=21)
    parser.add_argument("--no-cpu", action="store_true", help="the GPU alone")
    asked = parser.parse_args()
    places = [] if asked.no_cpu else [("cpu", "small", 16)]
    if torch.cuda.is_available():
        places += [("cuda", "base", 16), ("cuda", "base", 128)]
    measurements = {
        f"{device}/{size}/{sentences}/{variant}": partial(measure, variant, size, device, sentences, asked.rounds)
        for device, size, sentences in places
        for variant in VARIANTS
    }
    measure_all(parser, asked, measurements, lambda figures: milliseconds(figures, "plain"))


if __name__ == "__main__":
    main()
