"""R4F: the last map of a head is 1-Lipschitz, exactly and without state."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from skill_plugin.nn.heads.spectral_linear import SpectralLinear, limit_spectral_norm
from tests.every_kind import make_head


@pytest.mark.parametrize("shape", [(1, 5), (3, 64), (64, 3), (768, 768)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_no_singular_value_above_1(shape: tuple[int, int], scale: float) -> None:
    torch.manual_seed(0)
    weight = scale * torch.randn(shape)
    norm = float(torch.linalg.svdvals(weight.double()).max())
    held = limit_spectral_norm(weight)
    assert held.dtype == torch.float32
    assert float(torch.linalg.svdvals(held.double()).max()) <= 1 + 1e-6
    torch.testing.assert_close(held.double(), weight.double() / max(1.0, norm), rtol=1e-6, atol=0)
    if norm <= 1:
        assert torch.equal(held, weight)


def test_it_is_the_same_at_every_call_and_in_evaluation() -> None:
    torch.manual_seed(0)
    layer, x = SpectralLinear(8, 3), torch.randn(5, 8)
    nn.init.normal_(layer.weight)
    first = layer(x)
    assert all(torch.equal(layer(x), first) for _ in range(3))
    assert torch.equal(layer.eval()(x), first)
    assert list(layer.state_dict()) == ["weight", "bias"] and not list(layer.buffers())
    plain = nn.Linear(8, 3)
    plain.load_state_dict({"weight": layer.effective_weight(), "bias": layer.bias})
    assert torch.equal(plain(x), first)


def test_no_input_moves_the_output_further() -> None:
    torch.manual_seed(0)
    layer = SpectralLinear(8, 3)
    nn.init.normal_(layer.weight)
    x, y = torch.randn(2, 500, 8)
    assert ((layer(x) - layer(y)).norm(dim=1) <= (x - y).norm(dim=1) * (1 + 1e-6)).all()


def test_gradients() -> None:
    torch.manual_seed(0)
    for scale in (0.1, 2.0):
        weight = (scale * torch.randn(3, 4, dtype=torch.float64)).requires_grad_()
        assert torch.autograd.gradcheck(limit_spectral_norm, weight)


@pytest.mark.parametrize(
    ("kind", "constrained"),
    [("classification", True), ("multilabel", True), ("regression", True), ("ranking", True), ("labelling", True),
     ("span", True), ("word_in_context", True), ("next_sentence", True), ("masked_lm", False)],
)  # fmt: skip
def test_the_last_map_of_every_head_but_the_tied_one(kind: str, constrained: bool) -> None:
    torch.manual_seed(0)
    held = make_head(kind, 4).make(8, 0.0, constrained=True)
    torch.manual_seed(0)
    plain = make_head(kind, 4).make(8, 0.0)
    assert {name for name, part in held.named_modules() if isinstance(part, SpectralLinear)} == (
        {"out_proj"} if constrained else set()
    )
    assert plain.state_dict().keys() == held.state_dict().keys()
    assert all(torch.equal(held.state_dict()[name], tensor) for name, tensor in plain.state_dict().items())
