"""The head of masked pieces scores by the encoder's own table, of which there is one, whatever happens to the model."""

from __future__ import annotations

import copy
import io
import pickle
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory

SHAPE = EncoderShape(1, 16, 2, 32, vocabulary=30, positions=20, dropout=0.0, attention_dropout=0.0)
TABLE = "encoder.embeddings.tokens.weight"


def model(seed: int = 0) -> MultitaskModel:
    torch.manual_seed(seed)
    encoder = build_encoder("dense", SHAPE, Inventory((), ()))
    built = MultitaskModel(
        encoder,
        {"mlm": MaskedLmHead(16, 30, eps=1e-3), "nli": ClassificationHead(16, 3, 0.0), "b": MaskedLmHead(16, 30)},
    )
    for parameter in built.parameters():
        nn.init.normal_(parameter, std=0.4)
    return built


def batch() -> PackedBatch:
    rng = np.random.default_rng(0)
    sequences = [EncodedSequence(rng.integers(4, 30, n), np.zeros(n, np.int64)) for n in (5, 3, 7)]
    active = ActiveSet((), "en")
    packed = pack([(active, "mlm", sequences[:2]), (active, "nli", sequences[2:])], token_types=False)
    return replace(packed, units=[torch.tensor([1, 2, 6]), packed.units[1]])


def by_hand(built: MultitaskModel, table: Tensor) -> Tensor:
    head = built.heads["mlm"]
    hidden = built.encoder(batch()).hidden
    rows = []
    for unit in (1, 2, 6):
        x = head.dense.weight @ hidden[unit] + head.dense.bias
        x = 0.5 * x * (1 + torch.erf(x / 2**0.5))
        x = (x - x.mean()) / (x.var(correction=0) + 1e-3).sqrt() * head.norm.weight + head.norm.bias
        rows.append(table @ x + head.bias)
    return torch.stack(rows)


def test_logits_and_gradients_by_hand() -> None:
    ours, theirs = model(), model()
    logits, classes = ours(batch()).answers
    assert classes.shape == (1, 3)
    expected = by_hand(theirs, theirs.get_parameter(TABLE))
    torch.testing.assert_close(logits, expected)
    logits.square().sum().backward()
    expected.square().sum().backward()
    for name, parameter in theirs.named_parameters():
        gradient = ours.get_parameter(name).grad
        if parameter.grad is None:
            assert gradient is None or not gradient.any(), name  # the other segment's states are computed too
        else:
            torch.testing.assert_close(gradient, parameter.grad, atol=1e-3, rtol=1e-3, msg=name)


def test_the_table_is_one_parameter() -> None:
    built = model()
    table = built.get_parameter(TABLE)
    assert [name for name, p in built.named_parameters(remove_duplicate=False) if p.shape == table.shape] == [TABLE]
    assert [name for name, t in built.state_dict().items() if t.shape == table.shape] == [TABLE]
    mine = {name for name in built.state_dict() if name.startswith("heads.mlm.")}
    assert mine == {f"heads.mlm.{n}" for n in ("dense.weight", "dense.bias", "norm.weight", "norm.bias", "bias")}


def test_copies_use_their_own_table() -> None:
    built = model()
    before = built(batch()).answers[0]
    for other in (copy.deepcopy(built), pickle.loads(pickle.dumps(built))):
        torch.testing.assert_close(other(batch()).answers[0], before)
        with torch.no_grad():
            other.get_parameter(TABLE).mul_(-2)
        torch.testing.assert_close(other(batch()).answers[0], by_hand(other, other.get_parameter(TABLE)))
        assert not torch.allclose(other(batch()).answers[0], before)
        torch.testing.assert_close(built(batch()).answers[0], before)


def test_weights_saved_and_loaded() -> None:
    built, other = model(), model(seed=1)
    file = io.BytesIO()
    torch.save(built.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    torch.testing.assert_close(other(batch()).answers[0], built(batch()).answers[0])


def test_number_types_and_devices() -> None:
    built = model()
    doubled = copy.deepcopy(built).double()
    torch.testing.assert_close(doubled(batch()).answers[0].float(), built(batch()).answers[0], atol=1e-4, rtol=1e-4)
    half = copy.deepcopy(built).half()
    logits = half(batch()).answers[0]
    assert logits.dtype == torch.float16
    torch.testing.assert_close(logits.float(), built(batch()).answers[0], atol=0.1, rtol=0.1)
    with torch.autocast("cpu", torch.bfloat16):
        assert built(batch()).answers[0].shape == (3, 30)
    meta = copy.deepcopy(built).to("meta")
    assert meta(batch().to(torch.device("meta"))).answers[0].is_meta


def test_no_masked_piece_at_all() -> None:
    built, packed = model(), batch()
    packed = replace(packed, units=[torch.zeros(0, dtype=torch.int64), packed.units[1]])
    logits = built(packed).answers[0]
    assert logits.shape == (0, 30)
    logits.sum().backward()
    for name, parameter in built.heads["mlm"].named_parameters():
        assert parameter.grad is not None and not parameter.grad.any(), name
