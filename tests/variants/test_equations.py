"""Every variant, against its equations written out for one sequence, from the parameters alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory

LAYERS, WIDTH, HEADS, TOKENS, LENGTH, EPS = 2, 24, 2, 11, 9, 1e-5
SHAPE = EncoderShape(LAYERS, WIDTH, HEADS, 40, vocabulary=50, positions=40, dropout=0.0, attention_dropout=0.0)
ACTIVE = ActiveSet(("s", "u"), "de", "b", "b")


class Equations:
    """Hidden states from the parameters of an encoder, by their names."""

    def __init__(self, parameters: dict[str, Tensor], variant: str) -> None:
        self.of, self.conditional, self.variant = parameters, variant == "ca_mtl", variant

    def modulation(self, name: str) -> tuple[Tensor, Tensor]:
        """γ(z) and β(z)."""
        inner = self.of[f"{name}.down"] @ self.of["task_embeddings.rows.b.weight"]
        scale, shift = (self.of[f"{name}.up"] @ inner + self.of[f"{name}.bias"]).chunk(2)
        return 1 + scale, shift

    def linear(self, x: Tensor, name: str) -> Tensor:
        return x @ self.of[f"{name}.weight"].T + self.of[f"{name}.bias"]

    def modulated(self, x: Tensor, name: str) -> Tensor:
        """CA-MTL, equation 3.2."""
        scale, shift = self.modulation(f"{name}.modulation")
        return x @ self.of[f"{name}.weight"].T * scale + shift

    def norm(self, x: Tensor, name: str, conditional: bool) -> Tensor:
        """CA-MTL, equation 3.3, β' as the shift."""
        weight = self.of[f"{name}.weight"]
        if conditional:
            scale, shift = self.modulation(f"{name}.modulation")
            weight = weight * scale + shift
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + EPS).sqrt() * weight + self.of[f"{name}.bias"]

    def network(self, x: Tensor, name: str) -> Tensor:
        """SkillNet-X, equation 2, with gelu."""
        return self.linear(F.gelu(self.linear(x, f"{name}.fc1")), f"{name}.fc2")

    def attention(self, x: Tensor, name: str, conditional: bool) -> Tensor:
        """SkillNet-X, equations 1 and 6; CA-MTL's M(z) of section 3.3.1."""
        languages = self.variant == "skillnet_x_ffn_mha"
        qkv = self.linear(x, f"{name}.languages.de.qkv" if languages else f"{name}.qkv")
        q, k, v = (part.view(TOKENS, HEADS, -1).transpose(0, 1) for part in qkv.chunk(3, dim=-1))
        logits = q @ k.transpose(1, 2) / math.sqrt(WIDTH / HEADS)
        if conditional:
            side = math.ceil(LENGTH / (WIDTH // LENGTH))
            scale, shift = (one.view(side, side) for one in self.modulation(f"{name}.matrix.modulation"))
            matrix = torch.block_diag(*(block * scale + shift for block in self.of[f"{name}.matrix.blocks"]))
            logits[:, :LENGTH, :LENGTH] += matrix[:LENGTH, :LENGTH]
        return self.linear((logits.softmax(-1) @ v).transpose(0, 1).reshape(TOKENS, WIDTH), f"{name}.output")

    def feed_forward(self, x: Tensor, name: str, conditional: bool) -> Tensor:
        """SkillNet-X, equation 4; MT-TaG, equations 3 to 6; Shazeer et al.'s two best of ten; CA-MTL's bottleneck."""
        if self.variant.startswith("skillnet"):
            names = [f"task_skills.{skill}" for skill in ACTIVE.skills]
            names += ["language_skills.de"] * (self.variant == "skillnet_x_ffn")
            return torch.stack([self.network(x, f"{name}.{one}") for one in names]).mean(0)
        gate = {"mt_tag": "gates.b", "mt_switch": "gate", "moe_top2": "gate"}.get(self.variant)
        if gate is not None:
            return torch.stack([self.experts(row, name, self.of[f"{name}.{gate}.weight"] @ row) for row in x])
        y = self.network(x, name)
        if not conditional:
            return y
        return y + self.modulated(F.gelu(self.modulated(y, f"{name}.bottleneck.down")), f"{name}.bottleneck.up")

    def experts(self, row: Tensor, name: str, logits: Tensor) -> Tensor:
        """Of one token."""
        if self.variant == "moe_top2":
            values, chosen = logits.topk(2)
            outputs = torch.stack([self.network(row, f"{name}.experts.{number}") for number in chosen.tolist()])
            return values.softmax(0) @ outputs
        probabilities = logits.softmax(0)
        best = int(probabilities.argmax())
        return probabilities[best] * self.network(row, f"{name}.experts.{best}")

    def hidden(self, tokens: Tensor) -> Tensor:
        x = self.of["embeddings.tokens.weight"][tokens] + self.of["embeddings.positions.weight"][: len(tokens)]
        x = self.norm(x, "embeddings.norm", conditional=False)
        if self.conditional:
            x = self.modulated(x, "alignment")
        for layer in range(LAYERS):
            name, upper = f"layers.{layer}", self.conditional and layer >= LAYERS // 2
            x = self.norm(x + self.attention(x, f"{name}.attention", upper), f"{name}.attention_norm", upper)
            x = self.norm(x + self.feed_forward(x, f"{name}.feed_forward", upper), f"{name}.feed_forward_norm", upper)
        return x


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_states(variant: str) -> None:
    torch.manual_seed(3)
    names, conditional = ("a", "b"), ConditionalOptions(length=LENGTH)
    inventory = Inventory(("s", "t", "u"), ("en", "de"), names, embeddings=names, conditional=conditional)
    encoder = build_encoder(variant, SHAPE, inventory).eval().double()
    for parameter in encoder.parameters():
        nn.init.normal_(parameter, std=0.3)
    tokens = np.arange(7, 7 + TOKENS)
    with torch.no_grad():
        found = encoder(pack([(ACTIVE, "", [EncodedSequence(tokens, np.zeros(TOKENS))])], token_types=False)).hidden
        expected = Equations(dict(encoder.named_parameters()), variant).hidden(torch.from_numpy(tokens))
    # gates and what modulates are computed in float32
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
