"""An encoder that lost rows gives the same for the texts that it was cut for, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.checkpoints.cut_to_pieces import cut_to_pieces
from skill_plugin.checkpoints.initial_weights import read_initial_weights
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.pretrained.encoder_file import (
    HEADS,
    EncoderFile,
    EncoderFileConfig,
    expected_sizes,
    save_encoder_file,
)
from skill_plugin.pretrained.huggingface import read_huggingface_folder
from skill_plugin.pretrained.load_encoder import load_encoder_file
from skill_plugin.pretrained.trim_encoder import trim_encoder
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.trimming.trim_text import TrimmedText, trim_text
from skill_plugin.text.trusted_offsets import TEXTS
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.slots import Inventory
from tests.conftest import LINES


def random_encoder(text: TextEncoder) -> EncoderFile:
    v = len(text.vocabulary)
    config = EncoderFileConfig(2, 16, 2, 24, v, 128, 2, 1e-12, "bert")
    sizes = expected_sizes(config) | {"masked_lm.dense.weight": (16, 16), "masked_lm.bias": (v,)}
    sizes |= dict.fromkeys(("masked_lm.dense.bias", "masked_lm.norm.weight", "masked_lm.norm.bias"), (16,))
    return EncoderFile(config, text, {name: torch.randn(size) for name, size in sizes.items()})


def trimmed_to(text: TextEncoder, lines: list[str]) -> TrimmedText:
    occurring = np.zeros(len(text.vocabulary), np.bool_)
    for encoding in text.encode_batch(lines):
        occurring[encoding.ids] = True
    return trim_text(text, occurring)


@torch.no_grad()
def hidden_states(encoder: EncoderFile, lines: list[str]) -> torch.Tensor:
    """Hidden states [N, D] of lines in one pack."""
    c, text = encoder.config, encoder.text
    assert text is not None
    model = build_encoder("dense", c.shape, Inventory((), ())).eval()
    model.load_state_dict({name: tensor for name, tensor in encoder.state.items() if not name.startswith(HEADS)})
    assembled = [text.template.assemble([found.ids]) for found in text.encode_batch(lines)]
    sequences = [EncodedSequence(one.tokens.astype(np.int64), one.token_types.astype(np.int64)) for one in assembled]
    return model(pack([(ActiveSet((), "en"), "h", sequences)], c.token_types > 0)).hidden


@torch.no_grad()
def scores(encoder: EncoderFile, hidden: torch.Tensor) -> torch.Tensor:
    """Scores [N, V] of all pieces at all places."""
    head = MaskedLmHead(encoder.config.width, encoder.config.vocabulary, encoder.config.layer_norm_eps)
    of_head = {name: tensor for name, tensor in encoder.state.items() if name.startswith("masked_lm.")}
    head.load_state_dict({name.removeprefix("masked_lm."): tensor for name, tensor in of_head.items()})
    found = head(hidden, torch.arange(len(hidden)), encoder.state["embeddings.tokens.weight"])
    assert isinstance(found, torch.Tensor)
    return found


def test_hidden_states_are_the_same_bit_by_bit(encoder: TextEncoder, tmp_path: Path) -> None:
    full, trimmed = random_encoder(encoder), trimmed_to(encoder, LINES[:2])
    cut = trim_encoder(full, trimmed)
    assert cut.config.vocabulary == len(trimmed.rows) < full.config.vocabulary
    save_encoder_file(cut, tmp_path / "cut.pt")
    read = load_encoder_file(tmp_path / "cut.pt")
    hidden = hidden_states(full, LINES[:2])
    assert torch.equal(hidden_states(read, LINES[:2]), hidden)
    # a matrix product of fewer columns may round otherwise
    expected = scores(full, hidden)[:, torch.from_numpy(trimmed.rows)]
    torch.testing.assert_close(scores(read, hidden), expected, rtol=1e-6, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_real_encoders(checkpoints: Path, name: str) -> None:
    full = read_huggingface_folder(checkpoints / name)
    assert full.text is not None
    trimmed = trimmed_to(full.text, LINES)
    cut = trim_encoder(full, trimmed)
    assert cut.config.vocabulary < 0.1 * full.config.vocabulary
    assert torch.equal(hidden_states(cut, LINES), hidden_states(full, LINES))
    before, after = ([found.ids.tolist() for found in one.encode_batch(TEXTS)] for one in (full.text, trimmed.text))
    assert [ids.count(Vocabulary.unk) for ids in after] == [ids.count(Vocabulary.unk) for ids in before]


def test_the_full_encoders_rows_are_taken_by_name(encoder: TextEncoder, tmp_path: Path) -> None:
    """What a data folder with a cut vocabulary starts from: the same as from the cut encoder's file."""
    full, trimmed = random_encoder(encoder), trimmed_to(encoder, LINES[:2])
    save_encoder_file(full, tmp_path / "full.pt")
    save_encoder_file(trim_encoder(full, trimmed), tmp_path / "cut.pt")
    initial, cut = read_initial_weights(str(tmp_path / "full.pt")), read_initial_weights(str(tmp_path / "cut.pt"))
    taken = cut_to_pieces(initial, trimmed.text, "data")
    assert taken.shape == cut.shape
    assert taken.state.keys() == cut.state.keys()
    assert all(torch.equal(taken.state[name], tensor) for name, tensor in cut.state.items())
    assert cut_to_pieces(taken, trimmed.text, "data") is taken


def test_another_vocabulary_is_refused(encoder: TextEncoder, tmp_path: Path) -> None:
    trimmed, other = trimmed_to(encoder, LINES[:2]), trimmed_to(encoder, LINES[2:4])
    save_encoder_file(trim_encoder(random_encoder(encoder), trimmed), tmp_path / "cut.pt")
    initial = read_initial_weights(str(tmp_path / "cut.pt"))
    lacking = [symbol for symbol in other.text.vocabulary.symbols if symbol not in trimmed.text.vocabulary]
    with pytest.raises(InputError) as error:
        cut_to_pieces(initial, other.text, "data")
    assert str(error.value) == (
        f"data: prepared with another vocabulary than that of {tmp_path / 'cut.pt'}, which lacks {len(lacking)} of its "
        f"pieces, such as {lacking[0]!r}: prepare it with --encoder {tmp_path / 'cut.pt'}"
    )
    symbols = trimmed.text.vocabulary.symbols
    for changed in ([*symbols[:4], *symbols[4:-1][::-1], symbols[-1]], symbols[:-2]):
        tokenizer = trimmed.text.tokenizer if len(changed) == len(symbols) else None
        text = TextEncoder(tokenizer, Vocabulary(changed), Template(2, token_types=False))
        with pytest.raises(InputError, match="data: prepared with another vocabulary than that of"):
            cut_to_pieces(initial, text, "data")
