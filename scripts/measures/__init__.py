"""What ``bench.py`` measures: a file a measure, with a function ``cases``, and what measures share."""

from __future__ import annotations

import importlib

from measures.asked import Asked, Cases

MEASURES = {  # as --only names them; what the program says of each
    "layers": "layers of skills and of experts over dense ones of the same cost",
    "super-batch": "one pack of 8 corpora over 8 batches",
    "r3f": "a step of R3F over a plain one",
    "sampling": "a step of uncertainty sampling over its parts",
    "skills-bank": "many skills in the model over few, as many of them active: time and memory of a step",
    "data": "check and prepare of a million rows: rows a second, memory of a row",
    "training": "whole training over transformers' Trainer and tasknet: sentences a second",
    "text-to-text": "whole training of mT5 over transformers' Seq2SeqTrainer: sentences a second",
    "update": "an update of a whole run over the device's busy time in it, launches, FLOPs; every variant",
    "predict": "transformers' pipeline over `predict` and `evaluate`: seconds of the whole command",
    "plan": "planning an epoch of 100 million examples: seconds and memory, for 10 to 200 corpora",
    "start": "a training command up to its first update: 25 corpora of a million rows over one (5 GB of disk)",
    "ranks": "two processes over one: sentences a second",
    "export": "what a corpus uses, as a slice and as ONNX graphs, over the whole model: time and size",
    "serve": "the server under load over the same server with one request at a time: answers a second",
}
# What is measured unless --only says otherwise; on the CPU under five minutes.
BY_DEFAULT = {
    "cpu": (
        "layers/skills/384", "layers/experts/384", "super-batch/skillnet_x_ffn_mha", "r3f/dense", "sampling",
        "skills-bank", "training/16",
    ),
    "cuda": (
        "layers", "super-batch", "r3f", "sampling", "skills-bank", "training/1", "text-to-text", "update", "predict",
        "ranks",
    ),
}  # fmt: skip


def cases_of(measure: str, asked: Asked) -> Cases:
    """The cases of a measure, whose libraries are imported only now."""
    return importlib.import_module(f"measures.{measure.replace('-', '_')}").cases(asked)  # type: ignore[no-any-return]
