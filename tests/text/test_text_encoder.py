from __future__ import annotations

import io
from pathlib import Path

import pytest
import torch

from skill_plugin.errors import InputError
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.vocabulary import Vocabulary

TEXTS = ["The cat sat.", "我爱北京。", "", "🙂 dog"]


@pytest.fixture(params=["sentencepiece", "word_piece"])
def encoder(request: pytest.FixtureRequest, sentencepiece_model: Path, word_piece_vocabulary: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model if request.param == "sentencepiece" else word_piece_vocabulary)


def same(a: TextEncoder, b: TextEncoder) -> bool:
    ids = all(
        x.ids.tolist() == y.ids.tolist() for x, y in zip(a.encode_batch(TEXTS), b.encode_batch(TEXTS), strict=True)
    )
    return ids and a.vocabulary == b.vocabulary and a.template == b.template and a.fingerprint() == b.fingerprint()


def test_state_survives_a_safe_torch_file(encoder: TextEncoder) -> None:
    file = io.BytesIO()
    torch.save(encoder.to_state(), file)
    file.seek(0)
    assert same(TextEncoder.from_state(torch.load(file, weights_only=True)), encoder)


def test_folder(encoder: TextEncoder, tmp_path: Path) -> None:
    encoder.save(tmp_path / "text")
    assert same(TextEncoder.load(tmp_path / "text"), encoder)


def test_fingerprint_tells_templates_apart(encoder: TextEncoder) -> None:
    other = TextEncoder(encoder.tokenizer, encoder.vocabulary, Template(3, token_types=False))
    assert other.fingerprint() != encoder.fingerprint()


def test_without_tokenizer(tmp_path: Path) -> None:
    encoder = TextEncoder(None, Vocabulary.from_pieces(["a"]), Template(2, token_types=False))
    encoder.save(tmp_path)
    again = TextEncoder.load(tmp_path)
    assert again.tokenizer is None
    assert again.vocabulary == encoder.vocabulary
    with pytest.raises(InputError, match="no tokenizer"):
        again.encode("a")


def test_damaged_states(encoder: TextEncoder, tmp_path: Path) -> None:
    state = encoder.to_state()
    with pytest.raises(InputError, match="version 7"):
        TextEncoder.from_state({**state, "version": 7})
    with pytest.raises(InputError, match="unknown tokenizer 'sentencepeice'; did you mean 'sentencepiece'"):
        TextEncoder.from_state({**state, "tokenizer": "sentencepeice"})
    with pytest.raises(InputError, match="lacks its part 'separators'"):
        TextEncoder.from_state({k: v for k, v in state.items() if k != "separators"})
    with pytest.raises(InputError, match=r"text_encoder.json: no such file"):
        TextEncoder.load(tmp_path)


@pytest.mark.parametrize("texts", [[], [""], TEXTS, [*TEXTS, "", *TEXTS[::-1]]])
def test_ids_alone_are_those_with_offsets(encoders: dict[str, TextEncoder], texts: list[str]) -> None:
    for encoder in encoders.values():
        found = encoder.encode_ids(texts)
        encoded = encoder.encode_batch(texts)
        assert found.lengths.tolist() == [len(one.ids) for one in encoded]
        assert found.flat.tolist() == [i for one in encoded for i in one.ids.tolist()]
