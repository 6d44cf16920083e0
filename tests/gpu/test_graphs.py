"""An encoder whose layers run by CUDA graphs, against the same encoder step by step, in bfloat16."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.graphs.encoder_graphs import EncoderGraphs
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from tests.nn.graphs.test_encoder_graphs import INVENTORY, batch

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
pytestmark = pytest.mark.skipif(not HOPPER, reason="grouped products are for Hopper")


def encoder(variant: str, dropout: float = 0.0) -> Encoder:
    torch.manual_seed(0)
    shape = EncoderShape(
        2, 128, 2, 256, vocabulary=50, positions=200, token_types=2, dropout=dropout, attention_dropout=dropout
    )
    made = build_encoder(variant, shape, INVENTORY)
    for name, parameter in made.named_parameters():
        if parameter.dim() > 1 and "gate" not in name:
            nn.init.normal_(parameter, std=0.08)
        if "gate" in name:
            nn.init.normal_(parameter)  # clear choices
    return made.cuda().train()


def on_gpu(seed: int, segments: int) -> PackedBatch:
    return batch(seed, segments).to(torch.device("cuda"))


def hidden(run: Encoder | EncoderGraphs, packed: PackedBatch) -> Tensor:
    with torch.autocast("cuda", torch.bfloat16):
        return run(packed).hidden


def direction(like: Tensor, seed: int) -> Tensor:
    return torch.randn(like.shape, generator=torch.Generator().manual_seed(seed)).to(like)


def gradients(module: nn.Module) -> dict[str, Tensor]:
    return {name: p.grad.clone() for name, p in module.named_parameters() if p.grad is not None}


def same(found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    for name, gradient in expected.items():
        error = (found[name] - gradient).norm() / gradient.norm().clamp(min=1e-6)
        assert float(error) < 0.05 or float(gradient.norm()) < 1e-3, (name, float(error), float(gradient.norm()))
    assert not any(found[name].any() for name in found.keys() - expected.keys())


def alike(plain: Encoder, graphs: EncoderGraphs, packed: PackedBatch, seed: int) -> None:
    """Both give the same outputs for a pack, and the same gradients."""
    for run, own in ((plain, plain), (graphs, graphs.encoder)):
        own.zero_grad()
        out = hidden(run, packed)
        (out * direction(out, seed)).sum().backward()
        if run is plain:
            expected = out.detach().clone()
    torch.testing.assert_close(out, expected, atol=5e-2, rtol=2e-2)
    same(gradients(graphs.encoder), gradients(plain))


@pytest.mark.parametrize("variant", VARIANTS)
def test_outputs_and_gradients(variant: str) -> None:
    """In turn, with other sizes, skills, languages, gates and embeddings; each batch comes a second time."""
    plain = encoder(variant)
    graphs = EncoderGraphs(copy.deepcopy(plain))
    for seed, segments in [(0, 8), (1, 3), (2, 8), (0, 8), (3, 1), (1, 3), (2, 8), (3, 1)]:
        alike(plain, graphs, on_gpu(seed, segments), seed)


@pytest.mark.parametrize("variant", ["dense", "skillnet_x_ffn"])
def test_gradients_of_several_batches_add_up(variant: str) -> None:
    plain = encoder(variant)
    graphs = EncoderGraphs(copy.deepcopy(plain))
    for run, own in ((plain, plain), (graphs, graphs.encoder), (graphs, graphs.encoder)):
        own.zero_grad()
        for seed in range(3):
            out = hidden(run, on_gpu(seed, 4))
            (out * direction(out, seed)).sum().backward()
    same(gradients(graphs.encoder), gradients(plain))


def test_a_pass_whose_gradients_are_still_to_come_is_left_alone() -> None:
    plain = encoder("dense")
    graphs = EncoderGraphs(copy.deepcopy(plain))
    found = []
    for run, own in ((plain, plain), (graphs, graphs.encoder)):
        own.zero_grad()
        first = hidden(run, on_gpu(0, 4))
        second = hidden(run, on_gpu(1, 4))
        (second * direction(second, 1)).sum().backward()
        (first * direction(first, 0)).sum().backward()
        found.append(gradients(own))
    same(found[1], found[0])


def test_what_is_frozen_gets_no_gradient() -> None:
    made = encoder("skillnet_x_ffn_mha")
    for name, parameter in made.named_parameters():
        parameter.requires_grad_("generic" in name or "layers.1.attention.output" in name)
    plain = copy.deepcopy(made)
    graphs = EncoderGraphs(made)
    for run, _own in ((plain, plain), (graphs, made)):
        out = hidden(run, on_gpu(0, 5))
        (out * direction(out, 0)).sum().backward()
    assert gradients(made).keys() == gradients(plain).keys()
    same(gradients(made), gradients(plain))


def test_weights_that_change_are_seen() -> None:
    made = encoder("skillnet")
    graphs, packed = EncoderGraphs(made), on_gpu(0, 4)
    hidden(graphs, packed).sum().backward()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    torch.testing.assert_close(hidden(graphs, packed), hidden(made, packed), atol=5e-2, rtol=2e-2)


def test_dropout_draws_anew_and_by_the_seed() -> None:
    graphs, packed = EncoderGraphs(encoder("dense", dropout=0.3)), on_gpu(0, 4)
    hidden(graphs, packed).sum().backward()
    torch.cuda.manual_seed(3)
    outputs = []
    for _ in range(2):
        out = hidden(graphs, packed)
        outputs.append(out.detach().clone())
        out.sum().backward()
    torch.cuda.manual_seed(3)
    again = hidden(graphs, packed)
    assert torch.equal(outputs[0], again) and not torch.equal(outputs[0], outputs[1])


def test_evaluation_and_other_precisions_run_as_they_are() -> None:
    made = encoder("dense")
    graphs, packed = EncoderGraphs(made), on_gpu(0, 4)
    assert torch.equal(graphs(packed).hidden, made(packed).hidden)  # float32
    with torch.no_grad():
        assert torch.equal(hidden(graphs, packed), hidden(made, packed))
    assert not graphs.sizes
    hidden(graphs, packed)
    assert len(graphs.sizes) == 1


def test_packs_that_no_graph_has_room_for_run_step_by_step() -> None:
    """Whatever of a recording has run out of memory; graphs that there are go on."""
    plain = encoder("dense")  # of others a pack with more skills begins all graphs anew
    graphs = EncoderGraphs(copy.deepcopy(plain))
    hidden(graphs, on_gpu(0, 3)).sum().backward()
    assert len(graphs.sizes) == 1

    def allocate(*_: object) -> None:
        if torch.cuda.is_current_stream_capturing():
            torch.empty(1 << 45, dtype=torch.uint8, device="cuda")

    graphs.encoder.layers[1].register_forward_pre_hook(allocate)
    for seed, segments in [(1, 8), (0, 3), (2, 5)]:
        alike(plain, graphs, on_gpu(seed, segments), seed)
    assert len(graphs.sizes) == 1


def test_further_sizes_take_little_memory() -> None:
    """Inputs, outputs and their gradients have the same places in all graphs, as what is computed in between has."""
    graphs = EncoderGraphs(encoder("dense"))

    def held(seed: int, segments: int) -> int:
        hidden(graphs, on_gpu(seed, segments)).sum().backward()
        graphs.encoder.zero_grad()
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()

    largest = held(0, 16)
    after = held(1, 1), held(2, 3), held(3, 9)
    assert len(graphs.sizes) == 4
    assert max(after) - largest < 3 * 16_384
