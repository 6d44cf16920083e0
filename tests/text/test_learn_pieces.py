"""Pieces that are learned from texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.text.learn_pieces import learn_pieces
from skill_plugin.text.tokenizer_files import open_tokenizer


def test_texts_are_spelled_without_unknown_pieces(tmp_path: Path) -> None:
    texts = ["the cat sat on the mat", "a\x00b\nthe cat\u2028ran", "", "猫坐在垫子上", "word " * 4000, "x" * 9000] * 3
    pieces = learn_pieces(iter(texts), tmp_path / "own.model", 300)
    assert 260 < pieces <= 600  # 256 of them are bytes
    text = open_tokenizer(tmp_path / "own.model")
    unknown = text.vocabulary.index("<unk>")
    for one in (*texts[:4], "другой текст 🙂"):
        ids = text.encode(one).ids.tolist()
        assert ids or not one.strip()
        assert unknown not in ids
    assert text.spell(text.encode("другой текст 🙂").ids.tolist()) == "другой текст 🙂"
    pieces_of_a_sign = text.encode("🙂").ids.tolist()
    assert text.spell(pieces_of_a_sign[:-1]).endswith("\ufffd")


def test_too_few_pieces_are_refused_with_the_number_that_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^100 pieces are too few: the texts' characters and bytes alone are 2\d\d$"):
        learn_pieces(iter(["the cat sat on the mat"]), tmp_path / "own.model", 100)
    assert not list(tmp_path.iterdir())


def test_without_texts_there_is_nothing_to_learn(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training texts"):
        learn_pieces(iter(["", " \n "]), tmp_path / "own.model", 300)
    assert not (tmp_path / "own.model").exists()
