"""Encoders that tests of data use."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer


@pytest.fixture(scope="session")
def encoders(
    sentencepiece_model: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TextEncoder]:
    """SentencePiece with RoBERTa's template, lower-casing WordPiece with BERT's."""
    path = tmp_path_factory.mktemp("word_piece") / "vocab.txt"
    path.write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    return {"sentencepiece": open_tokenizer(sentencepiece_model), "word_piece": open_tokenizer(path)}


@pytest.fixture(scope="session", params=["sentencepiece", "word_piece"])
def encoder(request: pytest.FixtureRequest, encoders: dict[str, TextEncoder]) -> TextEncoder:
    return encoders[request.param]
