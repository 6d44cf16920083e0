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

from skill_plugin.pretrained.load_encoder import load_encoder_file

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


def test_trims_to_the_pieces_of_files(command: Command, bert: Path) -> None:
    """Embedding rows, dictionary and tokenizer alike."""
    (bert / "texts.txt").write_text("the cat sat on the mat\n\nDer Hund\u2028läuft", encoding="utf-8")
    (bert / "rows.tsv").write_text("text\tlabel\nhe looked at manzana\tx\nthe dog\ty\n", encoding="utf-8")
    section = "kind: classification, language: en, columns: {text_a: text, label: label}, format: tsv, train: rows.tsv"
    (bert / "corpora.yaml").write_text(f"languages: [en]\ncorpora:\n  c: {{{section}}}\n")
    trim = [part for name in ("texts.txt", "corpora.yaml") for part in ("--trim-vocabulary", bert / name)]
    command("import", bert, bert / "full.pt")
    status, out, err = command("import", bert, bert / "cut.pt", *trim)
    assert (status, err) == (0, "")
    full, cut = (load_encoder_file(bert / name) for name in ("full.pt", "cut.pt"))
    assert full.text is not None and cut.text is not None
    before, after = len(full.text.vocabulary), len(cut.text.vocabulary)
    assert after < before
    assert f"vocabulary: {after} symbols\n" in out
    assert f"trimmed: {after} of {before} symbols stay (" in out
    assert "; the embedding table is 0 MB smaller\n" in out
    # a frequent word that occurs in no file is spelled
    assert "in other texts, words are now more pieces, such as b·e·l·l·t, " in out
    for text in ("the cat sat on the mat", "Der Hund", "läuft", "he looked at manzana", "the dog"):
        pieces = [cut.text.vocabulary.symbols[i] for i in cut.text.encode(text).ids]
        assert pieces == [full.text.vocabulary.symbols[i] for i in full.text.encode(text).ids]
        rows = cut.state["embeddings.tokens.weight"][cut.text.encode(text).ids]
        assert torch.equal(rows, full.state["embeddings.tokens.weight"][full.text.encode(text).ids])
    # an imported file can be cut too
    status, _, _ = command("import", bert / "full.pt", bert / "again.pt", *trim)
    assert status == 0
    again = load_encoder_file(bert / "again.pt")
    assert again.text is not None and again.text.fingerprint() == cut.text.fingerprint()
    assert all(torch.equal(again.state[name], tensor) for name, tensor in cut.state.items())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nowhere.txt", None, "nowhere.txt: no such file"),
        ("nowhere.yaml", None, "nowhere.yaml: the corpora file cannot be read"),
        ("broken.txt", b"the cat\nth\xe9 dog\n", "broken.txt:2: "),
        ("corpora.yaml", b"languages: [en]\n", "corpora.yaml:1: the key"),
    ],
)
def test_faults_of_texts_are_one_line_and_leave_nothing(
    command: Command, bert: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (bert / name).write_bytes(content)
    before = sorted(os.listdir(bert))
    status, out, err = command("import", bert, bert / "out.pt", "--trim-vocabulary", bert / name)
    assert (status, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(os.listdir(bert)) == before


def test_weights_alone_are_not_trimmed(command: Command, bert: Path) -> None:
    (bert / "texts.txt").write_text("the cat")
    (bert / "vocab.txt").unlink()
    status, out, err = command("import", bert, bert / "out.pt", "--trim-vocabulary", bert / "texts.txt")
    assert (status, out) == (1, "")
    assert err == f"{bert}: --trim-vocabulary: comes without a tokenizer, which says what pieces a text has\n"
