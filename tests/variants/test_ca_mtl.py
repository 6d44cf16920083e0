"""CA-MTL as a whole: where its modules sit, how near to the plain encoder it starts, and what its embeddings reach."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.conditional.bottleneck import ConditionalBottleneck
from skill_plugin.nn.conditional.encoder import ConditionalEncoder
from skill_plugin.nn.conditional.modulation import Modulation
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.conditional_options import MODULES, ConditionalOptions
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape
from skill_plugin.variants.slots import Inventory

SHAPE = EncoderShape(4, 48, 4, 96, vocabulary=50, positions=40, dropout=0.0, attention_dropout=0.0)
FORMS = ("base", "large")


def build(
    options: ConditionalOptions, shape: EncoderShape = SHAPE, skill_layers: int | None = None
) -> ConditionalEncoder:
    torch.manual_seed(0)
    inventory = Inventory((), (), embeddings=("mnli", "cola"), conditional=options)
    encoder = build_encoder("ca_mtl", shape, inventory, skill_layers)
    assert isinstance(encoder, ConditionalEncoder)
    return encoder


def pretrained(shape: EncoderShape = SHAPE) -> Encoder:
    """A plain encoder with weights of a pretrained one's size, and norms that are not the identity."""
    torch.manual_seed(1)
    encoder = build_encoder("dense", shape, Inventory((), ()))
    for name, parameter in encoder.named_parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=shape.width**-0.5 if "layers" in name else 0.05)
        elif "norm.weight" in name:
            nn.init.uniform_(parameter, 0.6, 1.2)
        else:
            nn.init.normal_(parameter, std=0.1)
    return encoder


def batch_of(*corpora: str, seed: int = 0) -> PackedBatch:
    rng = np.random.default_rng(seed)
    members = [
        (
            ActiveSet((), "en", embedding=name),
            name,
            [EncodedSequence(rng.integers(0, 50, n), np.zeros(n, np.int64)) for n in (7, 30)],
        )
        for name in corpora
    ]
    return pack(members, token_types=False)


def neutral(encoder: ConditionalEncoder) -> None:
    """γ = 1, β = 0, M = 0, and bottlenecks that add nothing."""
    with torch.no_grad():
        for name, module in encoder.named_modules():
            if isinstance(module, Modulation):
                module.up.zero_()
                module.bias.zero_()
            elif isinstance(module, ConditionalBottleneck):
                module.up.weight.zero_()
            elif name.endswith("attention.matrix"):
                module.blocks.zero_()  # type: ignore[operator, union-attr]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("full_block", [False, True])
def test_neutral_conditioning_is_the_plain_encoder(form: str, full_block: bool) -> None:
    dense, ours = pretrained(), build(ConditionalOptions(length=12, full_block=full_block, form=form))
    missing = ours.load_state_dict(dense.state_dict(), strict=False)
    assert not missing.unexpected_keys
    neutral(ours)
    for batch in (batch_of("mnli"), batch_of("mnli", "cola", "mnli")):  # torch adds up in another order with a mask
        torch.testing.assert_close(ours(batch).hidden, dense(batch).hidden, atol=2e-6, rtol=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("separate", [False, True])
def test_neutral_conditioning_is_the_plain_encoder_to_the_last_bit_without_attention(form: str, separate: bool) -> None:
    dense = pretrained()
    modules = ("alignment", "norm", "bottleneck")
    ours = build(ConditionalOptions(modules=modules, form=form, separate_alignment=separate))
    ours.load_state_dict(dense.state_dict(), strict=False)
    neutral(ours)
    assert torch.equal(ours(batch_of("mnli")).hidden, dense(batch_of("mnli")).hidden)


@pytest.mark.parametrize("form", FORMS)
def test_a_fresh_model_is_within_two_per_cent_of_the_plain_encoder(form: str) -> None:
    """Of all hidden states together; 1.1 % and 0.9 % on MiniLM's 6 and 12 layers."""
    shape = EncoderShape(6, 192, 4, 768, vocabulary=50, positions=40, dropout=0.0, attention_dropout=0.0)
    dense, ours = pretrained(shape), build(ConditionalOptions(length=24, form=form), shape)
    ours.load_state_dict(dense.state_dict(), strict=False)
    batch = batch_of("mnli", "cola")
    plain, start = dense(batch).hidden.detach(), ours(batch).hidden.detach()
    assert 1e-4 < float((start - plain).norm() / plain.norm()) < 0.02
    assert float(torch.cosine_similarity(start, plain).min()) > 0.999


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("corpora", [("mnli",), ("mnli", "cola")])
def test_half_precision(form: str, corpora: tuple[str, ...]) -> None:
    """bf16 autocast, whose hidden states are float32 as the plain encoder's are, and half-precision weights."""
    encoder = build(ConditionalOptions(length=12, form=form)).train()
    encoder.load_state_dict(pretrained().state_dict(), strict=False)
    batch = batch_of(*corpora)
    exact = encoder(batch).hidden.detach()
    with torch.autocast("cpu", torch.bfloat16):
        mixed = encoder(batch).hidden
    assert mixed.dtype == torch.float32
    mixed.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in encoder.parameters() if p.grad is not None)
    torch.testing.assert_close(mixed.detach(), exact, atol=0.1, rtol=0.1)
    half = encoder.half()(batch).hidden
    assert half.dtype == torch.float16
    torch.testing.assert_close(half.float().detach(), exact, atol=0.03, rtol=0.03)


def layers_with(encoder: Encoder, part: str) -> set[int]:
    return {
        int(name.split(".")[1]) for name, _ in encoder.named_parameters() if f".{part}." in name and "layers" in name
    }


def test_which_modules_sit_in_which_layers() -> None:
    base, large = build(ConditionalOptions()), build(ConditionalOptions(form="large"))
    for encoder in (base, large):
        for part in ("attention.matrix", "attention_norm.modulation", "feed_forward_norm.modulation"):
            assert layers_with(encoder, part) == {2, 3}
        assert encoder.alignment is not None
    assert layers_with(base, "feed_forward.bottleneck") == {2, 3} and base.skip_path is None
    assert layers_with(large, "feed_forward.bottleneck") == set()
    assert large.skip_path is not None and len(large.skip_path.bottlenecks) == 4
    assert layers_with(build(ConditionalOptions(), replace(SHAPE, layers=5)), "attention.matrix") == {2, 3, 4}
    assert layers_with(build(ConditionalOptions(), skill_layers=1), "attention.matrix") == {3}
    assert torch.equal(build(ConditionalOptions()).alignment.weight, torch.eye(48))  # type: ignore[union-attr]


@pytest.mark.parametrize(("size", "skipping"), [("small", False), ("base", False), ("large", True)])
def test_the_published_form_of_each_size(size: str, skipping: bool) -> None:
    s = SIZES[size]
    with torch.device("meta"):
        encoder = build(ConditionalOptions(), EncoderShape(s.layers, s.width, s.heads, s.inner, vocabulary=9))
    assert (encoder.skip_path is not None) == skipping


@pytest.mark.parametrize("form", FORMS)
def test_corpora_of_a_pack_are_conditioned_independently(form: str) -> None:
    """Another embedding of one corpus changes its own segments and no others, to the last bit."""
    encoder = build(ConditionalOptions(length=12, form=form))
    batch = batch_of("mnli", "cola", "mnli")
    before = encoder(batch).hidden
    other = copy.deepcopy(encoder)
    with torch.no_grad():
        other.task_embeddings.rows["cola"].weight += 1.0
    after = other(batch).hidden
    cola = slice(batch.segments[1].start, batch.segments[1].end)
    assert not torch.equal(before[cola], after[cola])
    before, after = before.detach().clone(), after.detach().clone()
    before[cola] = after[cola] = 0
    assert torch.equal(before, after)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("module", MODULES)
def test_gradients_reach_z_from_every_module(module: str, form: str) -> None:
    encoder = build(ConditionalOptions(modules=(module,), length=12, form=form))
    batch = batch_of("mnli", "cola")
    hidden = encoder(batch).hidden
    hidden[: batch.segments[0].end].square().mul(torch.randn(hidden.shape[1])).sum().backward()
    rows = encoder.task_embeddings.rows
    assert float(rows["mnli"].weight.grad.abs().max()) > 0
    assert rows["cola"].weight.grad is None or float(rows["cola"].weight.grad.abs().max()) == 0
    for name, parameter in encoder.named_parameters():
        if "modulation" in name:
            assert parameter.grad is not None and float(parameter.grad.abs().max()) > 0, name


def written(*values: str | int | None) -> ConditionalOptions:
    """What the options say, in their order; alignment by one matrix where that is not said."""
    names = [one.name for one in ConditionalOptions.options()]
    return ConditionalOptions.read(dict(zip(names, [*values, "conditional"][: len(names)], strict=True)))


def test_the_ablation_adds_one_module_after_the_other() -> None:
    parts = {"attention": "matrix", "alignment": "alignment", "norm": "norm.modulation", "bottleneck": "bottleneck"}
    for chosen in ("attention", "attention,bottleneck", "attention,bottleneck,alignment", "norm , attention"):
        options = written(chosen, None, "diagonal", "paper")
        names = [name for name, _ in build(options).named_parameters()]
        present = {module for module, part in parts.items() if any(part in name for name in names)}
        assert present == {name.strip() for name in chosen.split(",")}
    assert written("", None, "diagonal", "paper") == ConditionalOptions()


@pytest.mark.parametrize(
    ("variant", "options", "message"),
    [
        ("dense", ("attention", None, "diagonal", "paper"), "dense has no conditional modules: .* are for ca_mtl"),
        ("ca_mtl", ("attention,nrom", None, "diagonal", "paper"), "no such module 'nrom'; did you mean 'norm'"),
        ("ca_mtl", ("norm", 64, "diagonal", "paper"), "about attention, which is not among --conditional"),
        ("ca_mtl", ("norm", None, "full", "paper"), "about attention, which is not among --conditional"),
        ("ca_mtl", ("norm", None, "diagonal", "large"), "about the bottleneck, which is not among --conditional"),
    ],
)
def test_options_that_do_not_fit(variant: str, options: tuple[str | int | None, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        written(*options).check(variant, VARIANTS, positions=512)
