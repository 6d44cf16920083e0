"""A dense model of ours as a folder that transformers loads: the same weights, the same answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from skill_plugin.checkpoints.checkpoint import Checkpoint

_SYMBOLS = {"[CLS]": "<s>", "[PAD]": "<pad>", "[SEP]": "</s>", "[UNK]": "<unk>", "[MASK]": "<mask>"}
_LAYER = {
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward.fc1": "intermediate.dense",
    "feed_forward.fc2": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}


def write_bert_folder(trained: Checkpoint, corpus: str, pieces: Sequence[str], folder: Path) -> None:
    """Writes a BertForSequenceClassification with the head of a corpus.

    Args:
        trained: a dense model with token types, whose tokenizer is a lower-casing WordPiece.
        corpus: of the kind classification.
        pieces: of the WordPiece, in the order of its ``vocab.txt``.
        folder: is made.
    """
    folder.mkdir()
    shape, labels = trained.bundle.shape, trained.bundle.labels[corpus]
    config = {
        "architectures": ["BertForSequenceClassification"],
        "model_type": "bert",
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "vocab_size": len(pieces),
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.token_types,
        "layer_norm_eps": shape.layer_norm_eps,
        "pad_token_id": pieces.index("[PAD]"),
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 128}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    weights = {name: tensor.contiguous().clone() for name, tensor in _renamed(trained, corpus, pieces).items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _renamed(trained: Checkpoint, corpus: str, pieces: Sequence[str]) -> dict[str, Tensor]:
    state, head = trained.state, f"heads.{trained.bundle.corpus(corpus).head}"
    vocabulary = trained.bundle.text_encoder.vocabulary
    rows = torch.tensor([vocabulary.index(_SYMBOLS.get(piece, piece)) for piece in pieces])
    tables = {
        "word_embeddings": state["encoder.embeddings.tokens.weight"][rows],
        "position_embeddings": state["encoder.embeddings.positions.weight"],
        "token_type_embeddings": state["encoder.embeddings.token_types.weight"],
    }
    found = {f"bert.embeddings.{name}.weight": table for name, table in tables.items()}
    modules = {"encoder.embeddings.norm": "bert.embeddings.LayerNorm"}
    modules |= {f"{head}.dense": "bert.pooler.dense", f"{head}.out_proj": "classifier"}
    for number in range(trained.bundle.shape.layers):
        ours, theirs = f"encoder.layers.{number}", f"bert.encoder.layer.{number}"
        modules |= {f"{ours}.{name}": f"{theirs}.{other}" for name, other in _LAYER.items()}
        for part in ("weight", "bias"):
            maps = zip(("query", "key", "value"), state[f"{ours}.attention.qkv.{part}"].chunk(3), strict=True)
            found |= {f"{theirs}.attention.self.{name}.{part}": values for name, values in maps}
    return found | {f"{to}.{part}": state[f"{of}.{part}"] for of, to in modules.items() for part in ("weight", "bias")}
