"""Layers of experts against loops over tokens, and against the dense network that they start from."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.experts.balance_loss import balance_loss
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.nn.experts.gate import Gate
from skill_plugin.nn.experts.gate_noise import importance_loss, load_loss
from skill_plugin.nn.experts.routing import Routing, route
from skill_plugin.nn.experts.scales import SCALES
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.grouped.dispatch import Dispatch
from skill_plugin.nn.packed_batch import PackedBatch, Segment

WIDTH, INNER = 16, 24
TOLERANCES = {torch.float32: {"atol": 1e-5, "rtol": 1e-4}, torch.bfloat16: {"atol": 4e-2, "rtol": 4e-2}}
GRADIENT_TOLERANCES = {**TOLERANCES, torch.bfloat16: {"atol": 0.15, "rtol": 4e-2}}  # sums over tokens


def layer(experts: int, per_token: int, scale: str, *gates: str, dtype: torch.dtype = torch.float32) -> nn.Module:
    torch.manual_seed(0)
    made = ExpertFeedForward(WIDTH, INNER, experts, per_token, scale, gates)
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.3)
    return made.to(dtype)


def batch(*segments: tuple[str, int]) -> PackedBatch:
    """A pack of segments, each a gate's name and a number of tokens."""
    empty, made, end = torch.zeros(0, dtype=torch.int64), [], 0
    for gate, tokens in segments:
        made.append(Segment(ActiveSet((), "en", gate), "head", end, end + tokens))
        end += tokens
    return PackedBatch(empty, empty, None, [end], made, [empty] * len(made))


def gradients(module: nn.Module) -> dict[str, Tensor | None]:
    return {name: None if p.grad is None else p.grad.clone() for name, p in module.named_parameters()}


def noisy_layer(experts: int = 5, per_token: int = 2) -> ExpertFeedForward:
    torch.manual_seed(0)
    made = ExpertFeedForward(WIDTH, INNER, experts, per_token, "renormalised", noise=True)
    assert made.gate_noise is not None
    assert not made.gate_noise.weight.any()
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.3)
    return made


def test_gate_noise_is_that_of_the_paper() -> None:
    """Shazeer et al. 2017, equations 3 to 11, one token and one expert after the other."""
    made, x, pack = noisy_layer(), torch.randn(30, WIDTH), batch(("", 30))
    torch.manual_seed(7)
    noise = torch.randn(30, 5)
    torch.manual_seed(7)
    routing = made.train().route(x, pack)
    assert made.gate is not None and made.gate_noise is not None and routing.noisy is not None
    normal = torch.distributions.Normal(0.0, 1.0)
    importance, load = torch.zeros(5), torch.zeros(5)
    for n in range(30):
        clean = [float_dot(made.gate.weight[i], x[n]) for i in range(5)]
        deviation = [torch.log(1 + float_dot(made.gate_noise.weight[i], x[n]).exp()) for i in range(5)]
        noisy = torch.stack([clean[i] + noise[n, i] * deviation[i] for i in range(5)])
        best = sorted(range(5), key=lambda i: -float(noisy[i].detach()))[:2]
        assert routing.experts[n].tolist() == best
        weights = noisy[best].softmax(0)
        torch.testing.assert_close(routing.weights[n], weights)
        for i, weight in zip(best, weights, strict=True):
            importance[i] = importance[i] + weight
        for i in range(5):
            bound = sorted((noisy[j] for j in range(5) if j != i), key=lambda h: -float(h.detach()))[1]
            load[i] = load[i] + normal.cdf((clean[i] - bound) / deviation[i])
    for found, values in (
        (importance_loss(routing), importance),
        (load_loss(routing.noisy, routing), load),
    ):
        torch.testing.assert_close(found, (values.std(correction=0) / values.mean()) ** 2, rtol=1e-4, atol=1e-6)
        parameters = [made.gate.weight, made.gate_noise.weight]
        expected = torch.autograd.grad((values.std(correction=0) / values.mean()) ** 2, parameters, retain_graph=True)
        ours = torch.autograd.grad(found, parameters, retain_graph=True)
        for one, other in zip(ours, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(routing.logits, made.gate(x))


def test_gate_noise_is_for_training_only_and_the_same_for_copies() -> None:
    made, x = noisy_layer(), torch.randn(20, WIDTH)
    plain = ExpertFeedForward(WIDTH, INNER, 5, 2, "renormalised")
    plain.load_state_dict({name: p for name, p in made.state_dict().items() if "gate_noise" not in name})
    ours, theirs = (module(x, batch(("", 20))).hidden for module in (made.eval(), plain))
    assert torch.equal(ours, theirs)
    twice = replace(batch(("", 20), ("", 20)), copies=2)
    routing = made.train().route(torch.cat([x, x]), twice)
    assert torch.equal(*routing.weights.chunk(2)) and torch.equal(*routing.experts.chunk(2))
    assert not torch.equal(routing.weights, made.route(torch.cat([x, x]), twice).weights)


def token_by_token(module: ExpertFeedForward, x: Tensor, pack: PackedBatch) -> Tensor:
    """The layer as the papers write it, one token after the other."""
    rows = []
    for segment in pack.segments:
        gate = module.gates[segment.active.gate] if module.gates else module.gate
        for n in range(segment.start, segment.end):
            logits = [float_dot(gate.weight[i], x[n]) for i in range(len(module.experts))]
            exponentials = [logit.exp() for logit in logits]
            chosen = sorted(range(len(logits)), key=lambda i: -float(logits[i].detach()))[: module.per_token]
            among = chosen if module.scale == "renormalised" else range(len(logits))
            weights = [exponentials[i] / sum(exponentials[j] for j in among) for i in chosen]
            if module.scale == "rescaled":
                total = float(sum(weights).detach())
                weights = [weight / total for weight in weights]
            outputs = [module.experts[str(i)](x[n : n + 1])[0] for i in chosen]
            rows.append(sum(w.to(x.dtype) * y for w, y in zip(weights, outputs, strict=True)))
    return torch.stack(rows)


def float_dot(a: Tensor, b: Tensor) -> Tensor:
    return (a.float() * b.float()).sum()


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    ("experts", "per_token", "scale", "gates"),
    [
        (4, 1, "probability", ("a", "b")),
        (4, 1, "probability", ()),
        (4, 1, "rescaled", ("a", "b")),
        (10, 2, "renormalised", ()),
        (7, 2, "probability", ()),
        (7, 3, "rescaled", ("b", "a", "c")),
        (3, 3, "probability", ()),
        (300, 2, "renormalised", ()),  # more experts than a byte can number
    ],
)
def test_outputs_and_gradients_are_those_of_a_loop_over_tokens(
    experts: int, per_token: int, scale: str, gates: tuple[str, ...], dtype: torch.dtype
) -> None:
    ours = layer(experts, per_token, scale, *gates, dtype=dtype)
    theirs = copy.deepcopy(ours)
    pack = batch(("a", 9), ("b", 14), ("a", 4), ("a", 3))
    x = torch.randn(30, WIDTH, dtype=dtype, requires_grad=True)
    z = x.detach().clone().requires_grad_()
    out, expected = ours(x, pack).hidden, token_by_token(theirs, z, pack)
    assert out.dtype == dtype
    torch.testing.assert_close(out, expected, **TOLERANCES[dtype])
    direction = torch.randn(30, WIDTH).to(dtype)
    out.backward(direction)
    expected.backward(direction)
    torch.testing.assert_close(x.grad, z.grad, **GRADIENT_TOLERANCES[dtype])
    wanted = gradients(theirs)
    for name, gradient in gradients(ours).items():
        if gradient is None:  # an expert without tokens, a gate without a corpus
            assert wanted[name] is None, name
        else:
            torch.testing.assert_close(gradient, wanted[name], **GRADIENT_TOLERANCES[dtype], msg=name)


def copies(dense: FeedForward, experts: int, per_token: int, scale: str, *gates: str) -> ExpertFeedForward:
    made = layer(experts, per_token, scale, *gates)
    for expert in made.experts.values():
        expert.load_state_dict(dense.state_dict())
    return made


@pytest.mark.parametrize(("experts", "per_token"), [(10, 2), (4, 1), (4, 4)])
@pytest.mark.parametrize("scale", ["renormalised", "rescaled"])
def test_equal_experts_are_the_dense_network(experts: int, per_token: int, scale: str) -> None:
    dense = FeedForward(WIDTH, INNER)
    x = torch.randn(40, WIDTH)
    torch.testing.assert_close(copies(dense, experts, per_token, scale)(x, batch(("a", 40))).hidden, dense(x))


def test_published_top_1_scales_the_dense_network_by_the_probability() -> None:
    dense = FeedForward(WIDTH, INNER)
    made = copies(dense, 4, 1, "probability", "a")
    x = torch.randn(40, WIDTH)
    largest = (x @ made.gates["a"].weight.T).softmax(-1).max(-1, keepdim=True).values
    torch.testing.assert_close(made(x, batch(("a", 40))).hidden, largest * dense(x))
    made.gates["a"].load_state_dict(Gate(WIDTH, 4).state_dict())  # fresh: close to 1 / 4
    torch.testing.assert_close(made(x, batch(("a", 40))).hidden, dense(x) / 4, atol=2e-3, rtol=1e-2)


@pytest.mark.parametrize("scale", SCALES)
def test_one_expert_is_the_dense_network(scale: str) -> None:
    dense = FeedForward(WIDTH, INNER)
    made = copies(dense, 1, 1, scale, "a", "b")
    x, z = (torch.randn(12, WIDTH, generator=torch.Generator().manual_seed(1)).requires_grad_() for _ in range(2))
    out, expected = made(x, batch(("a", 5), ("b", 7))).hidden, dense(z)
    assert torch.equal(out, expected)
    out.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(x.grad, z.grad)
    for name, parameter in dense.named_parameters():
        torch.testing.assert_close(made.experts["0"].get_parameter(name).grad, parameter.grad)


@pytest.mark.parametrize("scale", ["probability", "rescaled"])
def test_a_gate_learns_from_its_corpus_alone(scale: str) -> None:
    made = layer(4, 1, scale, "a", "b", "c")
    pack = batch(("a", 8), ("b", 8), ("a", 8))
    x = torch.randn(24, WIDTH)
    made(x, pack).hidden[8:16].square().sum().backward()
    assert made.gates["c"].weight.grad is None
    assert not made.gates["a"].weight.grad.any()
    assert made.gates["b"].weight.grad.any()
    alone = copy.deepcopy(made)
    alone.zero_grad()
    alone(x[8:16], batch(("b", 8))).hidden.square().sum().backward()
    torch.testing.assert_close(made.gates["b"].weight.grad, alone.gates["b"].weight.grad)
    assert alone.gates["a"].weight.grad is None


def test_rescaled_gates_get_the_gradient_of_the_published_ones_over_the_probability() -> None:
    published, rescaled = layer(4, 1, "probability"), layer(4, 1, "rescaled")
    x, direction = torch.randn(1, WIDTH), torch.randn(1, WIDTH)
    published(x, batch(("a", 1))).hidden.backward(direction)
    rescaled(x, batch(("a", 1))).hidden.backward(direction)
    largest = (x @ published.gate.weight.T).softmax(-1).max()
    torch.testing.assert_close(rescaled.gate.weight.grad * largest, published.gate.weight.grad)


def test_experts_without_tokens_get_no_gradient() -> None:
    made = layer(4, 1, "probability")
    made.gate.weight.data.zero_()
    made.gate.weight.data[2, 0] = 5.0
    x = torch.randn(10, WIDTH)
    x[:, 0] = 1.0
    made(x, batch(("a", 10))).hidden.square().sum().backward()
    for number, expert in enumerate(made.experts.values()):
        assert all((parameter.grad is None) == (number != 2) for parameter in expert.parameters())


def test_under_autocast_the_gate_is_float32_and_the_experts_are_bfloat16() -> None:
    made = layer(4, 1, "probability", "a")
    x = torch.randn(50, WIDTH, requires_grad=True)
    pack = batch(("a", 50))
    whole, exact = made(x, pack)
    with torch.autocast("cpu", torch.bfloat16):
        out, rounded = made(x, pack)
    assert out.dtype == torch.bfloat16
    assert exact is not None and rounded is not None
    assert torch.equal(exact.logits, rounded.logits)
    torch.testing.assert_close(out.float(), whole, **TOLERANCES[torch.bfloat16])
    out.float().square().sum().backward()
    assert {parameter.grad.dtype for parameter in made.parameters()} == {torch.float32}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 30), st.integers(0, 1000))
def test_every_choice_has_a_row_in_the_run_of_its_expert(experts: int, per_token: int, tokens: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    per_token = min(per_token, experts)
    choices = torch.stack([torch.randperm(experts, generator=generator)[:per_token] for _ in range(tokens)])
    dispatch = Dispatch(choices, experts)
    x = torch.arange(tokens, dtype=torch.float64).unsqueeze(1)
    rows, at = dispatch.to_modules(x).squeeze(1).tolist(), 0
    for expert, size in enumerate(dispatch.sizes()):
        assert rows[at : at + size] == [n for n in range(tokens) if expert in choices[n].tolist()]
        at += size
    assert at == len(rows) == tokens * per_token
    back = dispatch.combine(dispatch.to_modules(x), torch.ones(tokens, per_token, dtype=torch.float64))
    assert torch.equal(back, x * per_token)


def test_balance_loss_is_that_of_switch() -> None:
    logits = torch.randn(20, 5, requires_grad=True)
    routing = route(logits, 1, "probability")
    probabilities = logits.softmax(-1)
    expected = 0.0
    for i in range(5):
        share = sum(int(expert) == i for expert in logits.argmax(-1)) / 20
        expected = expected + 5 * share * probabilities[:, i].sum() / 20
    torch.testing.assert_close(balance_loss(routing), expected)
    balance_loss(routing).backward()
    assert logits.grad.any()
    even = Routing(torch.zeros(4, 2), torch.tensor([[0, 1]] * 4), torch.full((4, 2), 0.5))
    assert float(balance_loss(even)) == 1.0


def test_a_layer_tells_how_it_routed_and_writes_nothing_into_the_batch() -> None:
    made, x = layer(4, 2, "renormalised"), torch.randn(6, WIDTH)
    pack = batch(("a", 6))
    before = pack.as_keywords()
    hidden, routing = made(x, pack)
    assert hidden.shape == (6, WIDTH) and routing is not None and routing.experts.shape == (6, 2)
    assert all(value is before[name] for name, value in pack.as_keywords().items())


def test_a_segment_without_a_gate_is_refused() -> None:
    with pytest.raises(ValueError, match="no gate 'c'; there are: a, b"):
        layer(4, 1, "probability", "a", "b")(torch.randn(3, WIDTH), batch(("c", 3)))


def test_fresh_gates_are_small() -> None:
    torch.manual_seed(0)
    assert float(Gate(768, 100).weight.detach().std()) == pytest.approx(0.001, rel=0.02)
