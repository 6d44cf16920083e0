"""Writes a slice as a checkpoint that fairseq's own RoBERTa loads, with what its hub interface looks for beside it.

That model has neither token types nor an epsilon of its own, and reads single texts and pairs with two separators.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError
from skill_plugin.export.encoder_names import Weights, head_weights, put_encoder, put_last_map, put_module
from skill_plugin.export.exported import Exported, texts_of
from skill_plugin.export.task_of import task_of
from skill_plugin.export.written import Written
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.pretrained.fairseq_roberta import ENCODER, EPS, MASKED_LM, UNUSED_POSITIONS
from skill_plugin.readers.example import Example
from skill_plugin.text.hub_tokenizer import HubTokenizer
from skill_plugin.text.sentencepiece_tokenizer import SentencePieceTokenizer
from skill_plugin.text.text_encoder import TextEncoder

MODEL, SENTENCEPIECE = "model.pt", "sentencepiece.bpe.model"
GPT2 = {"gpt2_encoder_json": "encoder.json", "gpt2_vocab_bpe": "vocab.bpe"}


def write_fairseq_folder(sliced: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    """Writes weights, dictionary and tokenizer.

    Args:
        sliced: the slice of the corpus.
        corpus: its corpus.
        folder: an empty folder.
        dtype: type of the weights.

    Raises:
        InputError: fairseq's model cannot be this one.
    """
    bundle, text = sliced.bundle, sliced.bundle.text_encoder
    head = bundle.corpus(corpus).head
    reading = corpus_reading(bundle, corpus)
    task = task_of(reading)
    if reason := _misfit(sliced, head, task, text):
        raise InputError(f"corpus {corpus!r}: fairseq's RoBERTa {reason}; use --format huggingface")
    rows = len(text.vocabulary) + (text.vocabulary.mask is None)  # its task adds a mask
    weights = _weights(sliced, head, task, rows)
    content = {
        "cfg": {
            "model": _model_config(bundle),
            "task": {"_name": "masked_lm", "data": "", "tokens_per_sample": bundle.shape.positions},
            "bpe": None,
        },
        "model": {name: tensor.to(getattr(torch, dtype)).clone() for name, tensor in weights.items()},
        # what fairseq would otherwise look for in the places of older versions
        "optimizer_history": [
            {"criterion_name": "masked_lm", "optimizer_name": "adam", "lr_scheduler_state": {}, "num_updates": 0}
        ],
        "last_optimizer_state": None,
        "extra_state": {"train_iterator": {"epoch": 1, "iterations_in_epoch": 0}},
    }
    torch.save(content, folder / MODEL)
    text.vocabulary.write_dict_txt(folder / "dict.txt")
    options = _write_tokenizer(text, folder)
    exported = FairseqFolder(folder, head, options, task, reading.max_length, reading.joined_question)
    notes = (
        *task.notes,
        f"Texts that are longer than {bundle.length_of(corpus)} tokens together are to be cut by whoever calls it.",
    )
    return Written(exported, sliced.parameters, _usage(head, options), notes)


def _misfit(sliced: Checkpoint, head: str, task: ExportTask, text: TextEncoder) -> str | None:
    """What of a slice fairseq's model has not."""
    if task.head is not ExportHead.SEQUENCE:
        return f"has no head like that of the kind {sliced.bundle.corpus(next(iter(sliced.bundle.labels))).kind}"
    if "dense.weight" not in head_weights(sliced.state, head):
        return "has a dense map and tanh before a head's last map, and this was trained with --head linear"
    if text.template.token_types or text.template.separators != 2:
        return "knows no token types, and puts two separators between texts"
    if (eps := sliced.bundle.encoder_shape.layer_norm_eps) != EPS:
        return f"normalises with an epsilon of {EPS:g}, and this encoder with {eps:g}"
    if not isinstance(text.tokenizer, SentencePieceTokenizer) and not _is_gpt2(text):
        return "has a SentencePiece model, or GPT-2's pieces by their numbers, for a tokenizer"
    return None


def _is_gpt2(text: TextEncoder) -> bool:
    return isinstance(text.tokenizer, HubTokenizer) and text.tokenizer.numbered


def _write_tokenizer(text: TextEncoder, folder: Path) -> dict[str, str]:
    """Writes the tokenizer's files: what fairseq's hub interface must be told of them."""
    state = text.to_state()
    if not _is_gpt2(text):
        (folder / SENTENCEPIECE).write_bytes(state["model"])
        return {"bpe": "sentencepiece"}
    model = json.loads(state["json"])["model"]
    merges = "\n".join(pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"])
    (folder / GPT2["gpt2_encoder_json"]).write_text(json.dumps(model["vocab"]), encoding="utf-8")
    (folder / GPT2["gpt2_vocab_bpe"]).write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    return {"bpe": "gpt2", **GPT2}


def _weights(sliced: Checkpoint, head: str, task: ExportTask, rows: int) -> Weights:
    """Weights by fairseq's names; the head of raw text, which its model must have, is zeros."""
    found = {f"encoder.{name}": t for name, t in put_encoder(sliced.state, ENCODER, rows, UNUSED_POSITIONS).items()}
    types = sliced.state.get("encoder.embeddings.token_types.weight")
    if types is not None:  # every token is of the first type
        found[f"encoder.{ENCODER.positions}.weight"][UNUSED_POSITIONS:] += types[0]
    own, place = head_weights(sliced.state, head), f"classification_heads.{head}"
    found |= put_module(own, "dense", f"{place}.dense") | put_last_map(own, task, f"{place}.out_proj")
    width = sliced.bundle.shape.width
    table = found[f"encoder.{ENCODER.tokens}.weight"]
    zeros: dict[str, tuple[int, ...]] = {
        f"{MASKED_LM.dense}.weight": (width, width),
        f"{MASKED_LM.dense}.bias": (width,),
        f"{MASKED_LM.norm}.weight": (width,),
        f"{MASKED_LM.norm}.bias": (width,),
        MASKED_LM.biases[0]: (rows,),
    }
    found |= {f"encoder.{name}": torch.zeros(size) for name, size in zeros.items()}
    return {**found, f"encoder.{MASKED_LM.output}": table}


def _model_config(bundle: Bundle) -> dict[str, Any]:
    shape = bundle.shape
    return {
        "_name": "roberta",
        "arch": "roberta",
        "encoder_layers": shape.layers,
        "encoder_embed_dim": shape.width,
        "encoder_ffn_embed_dim": shape.inner,
        "encoder_attention_heads": shape.heads,
        "max_positions": shape.positions,
        "dropout": shape.dropout,
        "attention_dropout": shape.attention_dropout,
        "activation_fn": "gelu",
        "pooler_activation_fn": "tanh",
        "pooler_dropout": 0.0,
        "load_checkpoint_heads": True,
        "tokens_per_sample": shape.positions,
    }


class FairseqFolder(Exported):
    """Runs an exported folder through fairseq's hub interface, from raw texts.

    Args:
        folder: the folder.
        head: name of its head.
        options: what the interface must be told of the tokenizer.
        task: what the head is.
        longest: tokens of the longest sequence.
        joined: whether the texts of a query are one, with a space between.

    Raises:
        InputError: fairseq is not installed.
    """

    def __init__(
        self, folder: Path, head: str, options: dict[str, str], task: ExportTask, longest: int, joined: bool
    ) -> None:
        paths = {name: str(folder / file) for name, file in options.items() if name != "bpe"}
        with _without_its_log():
            try:
                # by its name: nothing of this side of the package needs fairseq, but to see that it reads what was
                # written
                roberta = importlib.import_module("fairseq.models.roberta")
            except ImportError:
                raise InputError(
                    "the check that fairseq reads what is written needs it: pip install 'skill_plugin[train]'"
                ) from None
            found = roberta.RobertaModel.from_pretrained(str(folder), MODEL, bpe=options["bpe"], **paths)
        self._model: Any = found.eval()
        self._head, self._task, self._longest, self._joined = head, task, longest, joined

    def reads(self, example: Example) -> bool:
        return all(len(tokens) <= self._longest for tokens in self._encoded(example))

    def logits(self, example: Example) -> Tensor:
        with torch.no_grad():
            rows = [self._model.predict(self._head, one, return_logits=True) for one in self._encoded(example)]
        return self._task.as_trained(torch.cat(rows))

    def _encoded(self, example: Example) -> list[Tensor]:
        return [self._model.encode(*texts) for texts in texts_of(example, self._joined)]


@contextmanager
def _without_its_log() -> Iterator[None]:
    """fairseq tells of each file that it loads, with the whole configuration."""
    logger = logging.getLogger("fairseq")
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _usage(head: str, options: dict[str, str]) -> str:
    """Lines of Markdown."""
    named = ", ".join(f'{name}="{value if name == "bpe" else f"FOLDER/{value}"}"' for name, value in options.items())
    return f"""```python
from fairseq.models.roberta import RobertaModel

model = RobertaModel.from_pretrained("FOLDER", "{MODEL}", {named}).eval()
logits = model.predict("{head}", model.encode("A text."), return_logits=True)
```
"""
