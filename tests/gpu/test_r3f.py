"""R3F on a GPU: the divergence against float64, masks that both passes share, and 200 steps in half precision."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.dropout import dropout, share_masks
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.spectral_linear import SpectralLinear
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.nn.sequence_layout import SequenceLayout
from skill_plugin.objectives.categorical import Categorical
from skill_plugin.objectives.draw_noise import deviation, draw_noise
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory

CUDA = torch.device("cuda")
SHAPE = EncoderShape(6, 384, 12, 1536, vocabulary=500, positions=128, dropout=0.0, attention_dropout=0.0)
ACTIVE = ActiveSet(("generic",), "en", "nli")


def model_of(variant: str, probability: float = 0.0) -> MultitaskModel:
    torch.manual_seed(0)
    shape = replace(SHAPE, dropout=probability, attention_dropout=probability)
    encoder = build_encoder(variant, shape, Inventory(("generic",), ("en",), ("nli",)))
    model = MultitaskModel(encoder, {"nli": ClassificationHead(384, 3, probability)})
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.08 if "embeddings" in name else parameter.shape[1] ** -0.5)
    return model.to(CUDA).train()


def batch_of(sentences: int = 64) -> PackedBatch:
    random = np.random.default_rng(0)
    lengths = random.integers(5, 60, sentences)
    sequences = [EncodedSequence(random.integers(4, 500, n), np.zeros(n, np.int64)) for n in lengths]
    return pack([(ACTIVE, "nli", sequences)], token_types=False).to(CUDA)


def noise_of(batch: PackedBatch, sigma: float = 1e-5, seed: int = 7) -> tuple[Tensor, float]:
    values = draw_noise("uniform", sigma, (len(batch.tokens), 384), seed, CUDA)
    return values, deviation("uniform", sigma)


def exact_divergences(model: MultitaskModel, batch: PackedBatch, noise: Tensor) -> Tensor:
    """In float64, where the noise is added as it is."""
    exact = copy.deepcopy(model).double()
    doubled = with_noisy_copy(batch, noise.double(), 1.0)
    with torch.no_grad():
        answers, _, magnification = exact(*doubled)
    clean, noisy = (one.log_softmax(1) for one in answers)
    assert float(magnification) == 1.0
    return ((clean.exp() - noisy.exp()) * (clean - noisy)).sum(1)


MODES = {
    "float32": (torch.float32, None, 0.02),
    "autocast bf16": (torch.float32, torch.bfloat16, 0.35),
    "bf16": (torch.bfloat16, None, 0.35),
    "fp16": (torch.float16, None, 0.2),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variant", ["dense", "skillnet_x_ffn_mha", "mt_tag", "moe_top2"])
def test_the_divergence_has_the_right_size(variant: str, mode: str) -> None:
    weights, autocast, tolerance = MODES[mode]
    model, batch = model_of(variant), batch_of()
    values, spread = noise_of(batch)
    expected = exact_divergences(model, batch, values).mean()
    doubled = with_noisy_copy(batch, values, spread)
    model.to(weights)
    with torch.no_grad(), torch.autocast("cuda", autocast, enabled=autocast is not None):
        (clean, noisy), _, magnification = model(*doubled)
    found = Categorical().divergences(clean, noisy, {}) / magnification.square()
    assert abs(float(found.double().mean() / expected) - 1) < tolerance


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_attention_drops_the_same_weights(dtype: torch.dtype) -> None:
    """In the variable-length kernel and in padded views."""
    torch.manual_seed(0)
    lengths = [7, 64, 33, 5]
    qkv = torch.randn(sum(lengths), 3 * 384, device=CUDA, dtype=dtype).repeat(2, 1)
    layout = SequenceLayout(lengths * 2, CUDA)
    with share_masks(2):
        first, second = layout.attend(qkv, 12, 0.3).chunk(2)
        again, _ = layout.attend(qkv, 12, 0.3).chunk(2)
    assert torch.equal(first, second)
    assert not torch.equal(first, again)


def test_dropout_drops_the_same_elements() -> None:
    torch.manual_seed(0)
    first, second = dropout(torch.ones(200, 384, device=CUDA), 0.3, copies=2).chunk(2)
    assert torch.equal(first, second)
    assert abs(float((first == 0).float().mean()) - 0.3) < 0.02


@pytest.mark.parametrize("mode", ["float32", "autocast bf16"])
def test_without_noise_both_passes_agree_under_dropout(mode: str) -> None:
    model, batch = model_of("mt_tag", 0.1), batch_of()
    doubled = with_noisy_copy(batch, torch.zeros(len(batch.tokens), 384, device=CUDA), 1.0)
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=mode != "float32"):
        clean, noisy = model(*doubled).answers
        other, _ = model(*doubled).answers
    tolerance = 1e-4 if mode == "float32" else 3e-2
    torch.testing.assert_close(clean, noisy, atol=tolerance, rtol=tolerance)
    assert float((clean - other).abs().max()) > 5 * tolerance


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_200_steps(dtype: torch.dtype) -> None:
    model, batch = model_of("skillnet_x_ffn_mha", 0.1), batch_of(16)
    classes = torch.arange(16, device=CUDA) % 3
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scaler: Any = torch.amp.GradScaler("cuda", enabled=dtype == torch.float16)
    losses = []
    for step in range(200):
        doubled = with_noisy_copy(batch, *noise_of(batch, seed=step))
        with torch.autocast("cuda", dtype):
            (clean, noisy), _, magnification = model(*doubled)
        kl = Categorical().divergences(clean, noisy, {}) / magnification.square()
        loss = (Categorical().losses(clean, {"classes": classes}).values + 0.01 * kl).mean()
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
    assert torch.stack(losses).isfinite().all()
    assert all(parameter.isfinite().all() for parameter in model.parameters())
    assert losses[-1] < losses[0]


def test_no_singular_value_above_1() -> None:
    torch.manual_seed(0)
    layer = SpectralLinear(768, 17).to(CUDA)
    nn.init.normal_(layer.weight)
    assert float(torch.linalg.svdvals(layer.effective_weight().double())[0]) <= 1 + 1e-6
    layer(torch.randn(4, 768, device=CUDA)).sum().backward()
    assert layer.weight.grad is not None and layer.weight.grad.isfinite().all()
