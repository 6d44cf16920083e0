"""An adapted map against the paper's equation, computed here."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from skill_plugin.nn.adapters.adapt import AdaptedParts, adapt, merge
from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.linear import Linear


def adapted(parts: tuple[int, ...], of: int, rank: int = 3, alpha: float = 5.0, dropout: float = 0.0) -> LoraLinear:
    torch.manual_seed(0)
    made = LoraLinear(Linear(8, 12), rank, alpha, dropout, parts, of)
    nn.init.normal_(made.lora_b)
    return made


def update(made: LoraLinear, rank: int) -> Tensor:
    """s B A, one part after the other, in float64."""
    rows = made.out_features // made.of
    whole = torch.zeros(made.out_features, made.in_features, dtype=torch.float64)
    for number, part in enumerate(made.parts):
        a = made.lora_a[number * rank : (number + 1) * rank].detach().double()
        b = made.lora_b[number * rows : (number + 1) * rows].detach().double()
        whole[part * rows : (part + 1) * rows] = made.scale * b @ a
    return whole


@pytest.mark.parametrize(("parts", "of"), [((0,), 1), ((0, 2), 3), ((1,), 3), ((0, 1, 2), 3)])
def test_the_equation(parts: tuple[int, ...], of: int) -> None:
    made, x = adapted(parts, of), torch.randn(7, 8)
    weight = made.weight.double() + update(made, 3)
    expected = x.double() @ weight.T + made.bias.double()
    torch.testing.assert_close(made(x).double(), expected, atol=1e-5, rtol=1e-5)
    assert made.scale == 5.0 / 3
    plain = made.merged()
    assert type(plain) is Linear
    torch.testing.assert_close(plain.weight.double(), weight, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(plain(x), made(x), atol=1e-5, rtol=1e-5)


def test_it_starts_as_the_map_that_it_adapts() -> None:
    base = Linear(8, 12)
    made, x = LoraLinear(base, 3, 5.0, 0.5, (0, 2), 3), torch.randn(7, 8)
    assert torch.equal(made(x), base(x))
    assert made.weight is base.weight and made.bias is base.bias
    assert set(made.state_dict()) == {"weight", "bias", "lora_a", "lora_b"}
    assert 0 < float(made.lora_a.detach().abs().max()) <= 8**-0.5


def test_both_factors_get_gradients() -> None:
    made, x = adapted((0, 2), 3), torch.randn(7, 8)
    made(x).square().sum().backward()
    exact = made.merged()
    exact(x).square().sum().backward()
    assert exact.weight.grad is not None and made.lora_a.grad is not None and made.lora_b.grad is not None
    direction = exact.weight.grad.view(3, 4, 8)
    for number, part in enumerate((0, 2)):
        a, b = made.lora_a[3 * number : 3 * number + 3], made.lora_b[4 * number : 4 * number + 4]
        torch.testing.assert_close(made.lora_a.grad[3 * number : 3 * number + 3], made.scale * b.T @ direction[part])
        torch.testing.assert_close(made.lora_b.grad[4 * number : 4 * number + 4], made.scale * direction[part] @ a.T)


def test_dropout_is_on_the_adapters_input_only_while_training() -> None:
    made, x = adapted((0,), 1, dropout=0.25), torch.randn(1, 8)
    base = nn.functional.linear(x, made.weight, made.bias)
    mean = torch.stack([made(x) for _ in range(4000)]).mean(0)
    assert not torch.equal(made(x), made(x))
    made.eval()
    assert torch.equal(made(x), made(x))
    torch.testing.assert_close(mean - base, made(x) - base, atol=0.25, rtol=0.1)


def test_maps_are_adapted_by_their_own_names_and_merged_again() -> None:
    module = nn.ModuleDict({"fc1": Linear(4, 4), "inside": nn.ModuleList([nn.ModuleDict({"fc1": Linear(4, 4)})])})
    module["other"] = Linear(4, 4)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    adapt(module, {"fc1": AdaptedParts()}, rank=2, alpha=2.0, dropout=0.0)
    adapt(module, {"fc1": AdaptedParts()}, rank=2, alpha=2.0, dropout=0.0)  # nothing is adapted twice
    names = set(module.state_dict())
    assert names - set(before) == {f"{at}.lora_{ab}" for at in ("fc1", "inside.0.fc1") for ab in "ab"}
    merge(module)
    assert module.state_dict().keys() == before.keys()
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())
