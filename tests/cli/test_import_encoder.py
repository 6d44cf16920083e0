from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Sequence, Split, Whitespace

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bert(word_piece_vocabulary: Path, word_piece_tokens: list[str]) -> Path:
    """A Hugging Face folder of one layer, written without transformers."""
    folder, d, f, v = word_piece_vocabulary.parent, 4, 6, len(word_piece_tokens)
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (v, d),
        "embeddings.position_embeddings.weight": (20, d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
        "pooler.dense.weight": (d, d),
    }
    maps = {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
    maps |= {"attention.output.dense": (d, d), "intermediate.dense": (f, d), "output.dense": (d, f)}
    maps |= {"attention.output.LayerNorm": (d,), "output.LayerNorm": (d,)}  # type: ignore[dict-item]
    for name, size in maps.items():
        sizes[f"encoder.layer.0.{name}.weight"] = size
        sizes[f"encoder.layer.0.{name}.bias"] = size[:1]
    save_file({name: torch.randn(size) for name, size in sizes.items()}, folder / "model.safetensors")
    config = {"model_type": "bert", "hidden_size": d, "num_hidden_layers": 1, "num_attention_heads": 2}
    config |= {"intermediate_size": f, "vocab_size": v, "max_position_embeddings": 20, "layer_norm_eps": 1e-12}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_says_what_was_read_and_left(command: Command, bert: Path, word_piece_tokens: list[str]) -> None:
    status, out, err = command("import", bert, bert / "out.pt")
    assert (status, err) == (0, "")
    assert out.split("\n")[:5] == [
        "bert: 1 layers x 4 (2 heads, feed-forward 6), 20 positions, 2 token types, eps 1e-12, without masked-LM head, "
        "without pooler, without next-sentence head",
        f"vocabulary: {len(word_piece_tokens)} symbols",
        "tokenizer: WordPiece, lower-cased",
        "template: <s> a </s> b </s>, token types 0 and 1",
        "left: pooler.dense.weight",
    ]
    assert torch.load(bert / "out.pt", weights_only=True)["format"] == "skill_plugin.encoder"


def test_imports_an_imported_file_again(command: Command, bert: Path) -> None:
    command("import", bert, bert / "out.pt")
    status, out, _ = command("import", bert / "out.pt", bert / "again.pt")
    assert status == 0
    assert "bert: 1 layers x 4" in out


@pytest.mark.parametrize(
    ("source", "out", "message"),
    [
        ("nowhere", "out.pt", "nowhere: no such file or folder"),
        ("empty", "out.pt", "empty/config.json: no such file"),
        ("model.safetensors", "out.pt", "model.safetensors: name the folder"),
        ("vocab.txt", "out.pt", "vocab.txt: not"),
        (".", "empty", "empty: is a folder, expected the name of a file to write"),
        (".", "nowhere/out.pt", "nowhere: no such folder"),
    ],
)
def test_faults_are_one_line_and_leave_nothing(
    command: Command, bert: Path, source: str, out: str, message: str
) -> None:
    (bert / "empty").mkdir()
    before = sorted(os.listdir(bert))
    status, stdout, err = command("import", bert / source, bert / out)
    assert status == 1
    assert stdout == ""
    assert message in err
    assert err.count("\n") == 1
    assert sorted(os.listdir(bert)) == before


def test_says_that_offsets_leave_out_characters(command: Command, bert: Path) -> None:
    """In one line: classification needs no offsets."""
    library = Tokenizer(WordPiece.from_file(str(bert / "vocab.txt")))
    library.pre_tokenizer = Sequence([Split("J", behavior="removed"), Whitespace()])
    library.save(str(bert / "tokenizer.json"))
    status, out, err = command("import", bert, bert / "out.pt")
    assert (status, err) == (0, "")
    (note,) = [line for line in out.splitlines() if line.startswith("note:")]
    assert note.startswith("note: the tokenizer's offsets leave out 'J' of 'Jan'; ")
    assert (bert / "out.pt").is_file()
