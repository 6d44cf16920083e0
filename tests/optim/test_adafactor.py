"""adafactor: fairseq's and transformers' numbers for what took part in an update, the same bits for what did not."""

import io

import pytest
import torch
from fairseq.optim import OPTIMIZER_DATACLASS_REGISTRY, MemoryEfficientFP16Optimizer, build_optimizer
from fairseq.optim.adafactor import Adafactor as FairseqsAdafactor
from omegaconf import OmegaConf
from torch import nn
from transformers.optimization import Adafactor as TransformersAdafactor

import skill_plugin.optim.adafactor
from skill_plugin.errors import InputError
from skill_plugin.optim.active_adafactor import ActiveAdafactor
from skill_plugin.optim.adafactor import ActiveFactors, AdafactorConfig

SHAPES = [(6, 4), (4,), (6, 4), (2, 3, 5), (4,), (7, 4)]


def parameters(dtype=torch.float32):
    random = torch.Generator().manual_seed(1)
    return [nn.Parameter(torch.randn(shape, generator=random).to(dtype)) for shape in SHAPES]


def give_gradients(params, step, without=()):
    for number, p in enumerate(params):
        random = torch.Generator().manual_seed(100 * step + number)
        grad = torch.randn(p.shape, generator=random) * 10 ** (step % 3 - 1)
        p.grad = None if number in without else grad.to(p.dtype)


def own(params, **changes):
    return ActiveFactors(AdafactorConfig(**{"lr": [1e-2], **changes}), params)


def update(optimizer, clip=0.0):
    optimizer.clip_grad_norm(clip)
    optimizer.step()


def bits(params):
    return [p.detach().clone() for p in params]


@pytest.mark.parametrize(
    "options", [{}, {"beta1": 0.9, "weight_decay": 0.1}, {"clip_threshold": 0.3, "decay_rate": -0.5}]
)
def test_numbers_are_fairseqs(options):
    ours, theirs = parameters(), parameters()
    optimizer = own(ours, **options)
    theirs_optimizer = FairseqsAdafactor(theirs, lr=1e-2, scale_parameter=False, relative_step=False, **options)
    for step in range(5):
        for params in (ours, theirs):
            give_gradients(params, step, without={2, 4} if step in (1, 2) else ())  # step counts differ from then on
        update(optimizer)
        theirs_optimizer.step()
        for p, q in zip(ours, theirs, strict=True):
            torch.testing.assert_close(p, q, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {"scale_parameter": True},
        {"relative_step": True, "warmup_init": True},
        {"scale_parameter": True, "relative_step": True},
    ],
)
def test_numbers_are_transformers_where_fairseqs_are_wrong(options):
    ours, theirs = parameters(), parameters()
    optimizer = own(ours, **options)
    relative = options.get("relative_step", False)
    theirs_optimizer = TransformersAdafactor(
        theirs, lr=None if relative else 1e-2, **{"scale_parameter": False, "relative_step": False, **options}
    )
    for step in range(4):
        for params in (ours, theirs):
            give_gradients(params, step)
        update(optimizer)
        theirs_optimizer.step()
        for p, q in zip(ours, theirs, strict=True):
            torch.testing.assert_close(p, q, rtol=1e-5, atol=1e-7)


def test_clipping_and_factors_are_applied_to_the_gradients():
    ours, theirs = parameters(), parameters()
    optimizer, plain = own(ours), FairseqsAdafactor(theirs, lr=1e-2, scale_parameter=False, relative_step=False)
    for step in range(3):
        give_gradients(ours, step)
        give_gradients(theirs, step)
        optimizer.multiply_grads(1 / 3)
        update(optimizer, clip=1.0)
        for p in theirs:
            p.grad.div_(3)
        nn.utils.clip_grad_norm_(theirs, 1.0)
        plain.step()
        for p, q in zip(ours, theirs, strict=True):
            torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("zeros", [False, True], ids=["no gradient", "gradient of zeros"])
def test_what_took_no_part_stands_still(zeros):
    params = parameters()
    optimizer = own(params, weight_decay=0.1, beta1=0.9)
    give_gradients(params, 0)
    update(optimizer)
    resting = (2, 5)
    before = bits([params[i] for i in resting])
    states = [{name: value.clone() for name, value in optimizer.optimizer.state[params[i]].items()} for i in resting]
    give_gradients(params, 1, without=resting)
    if zeros:
        for i in resting:
            params[i].grad = torch.zeros_like(params[i])
    update(optimizer)
    for i, value, state in zip(resting, before, states, strict=True):
        assert torch.equal(params[i], value)
        for name, old in state.items():
            assert torch.equal(optimizer.optimizer.state[params[i]][name], old), name
    assert optimizer.optimizer.state[params[0]]["step"] == 2
    assert optimizer.optimizer.state[params[2]]["step"] == 1


def test_fairseqs_own_would_have_moved_it():
    params = parameters()
    optimizer = FairseqsAdafactor(params, lr=1e-2, scale_parameter=False, relative_step=False, beta1=0.9)
    give_gradients(params, 0)
    optimizer.step()
    before = bits(params)
    for p in params:
        p.grad = torch.zeros_like(p)
    optimizer.step()
    assert not any(torch.equal(old, p) for old, p in zip(before, params, strict=True))


def test_modules_that_rest_are_told_apart_without_looking():
    params, twin = parameters(), parameters()
    optimizer, other = own(params), own(twin)
    optimizer.zeros_are_none, optimizer.may_rest = False, [params[2:4], params[5:]]
    for step in range(3):
        for each in (params, twin):
            give_gradients(each, step)
            for p in each[2:4]:
                p.grad.zero_()
        for one in (optimizer, other):
            update(one)
    assert all(torch.equal(p, q) for p, q in zip(params, twin, strict=True))
    assert torch.equal(params[2], parameters()[2])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("first", [False, True], ids=["later", "in the first update"])
def test_an_update_whose_norm_is_not_finite_changes_nothing(value, first):
    params, untouched = parameters(), parameters()
    optimizer, other = (own(each, weight_decay=0.1, beta1=0.9) for each in (params, untouched))
    if not first:
        for each, one in ((params, optimizer), (untouched, other)):
            give_gradients(each, 0)
            update(one)
    give_gradients(params, 1)
    params[0].grad[0, 0] = value
    assert not torch.isfinite(optimizer.clip_grad_norm(1.0))
    optimizer.step()
    assert all(torch.equal(p, q) for p, q in zip(params, untouched, strict=True))
    for each, one in ((params, optimizer), (untouched, other)):
        give_gradients(each, 2)
        update(one)
    assert all(torch.equal(p, q) for p, q in zip(params, untouched, strict=True))


@pytest.mark.parametrize("half", [False, True], ids=["float32", "memory-efficient-fp16"])
def test_stop_and_resume_is_bit_identical(half):
    def build(params):
        if not half:
            return build_optimizer(OmegaConf.create({"_name": "adafactor", "lr": [1e-2]}), params)
        return MemoryEfficientFP16Optimizer.build_optimizer(
            OmegaConf.create(
                {
                    "optimizer": {"_name": "adafactor", "lr": [1e-2]},
                    "common": {
                        "bf16": False, "fp16_init_scale": 1, "fp16_scale_window": 100, "fp16_scale_tolerance": 0.0,
                        "threshold_loss_scale": None, "min_loss_scale": 1e-4, "model_parallel_size": 1,
                    },
                    "optimization": {"update_freq": [1]},
                    "distributed_training": {"distributed_world_size": 1},
                }
            ),
            params,
        )  # fmt: skip

    dtype = torch.float16 if half else torch.float32
    straight, resumed = parameters(dtype), parameters(dtype)
    optimizer = build(straight)
    for step in range(3):
        give_gradients(straight, step)
        update(optimizer)
    file = io.BytesIO()
    torch.save({"model": bits(straight), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    for p, value in zip(resumed, saved["model"], strict=True):
        p.data.copy_(value)
    again = build(resumed)
    again.load_state_dict(saved["optimizer"])
    for step in range(3, 6):
        for each, one in ((straight, optimizer), (resumed, again)):
            give_gradients(each, step)
            update(one)
    assert all(torch.equal(p, q) for p, q in zip(straight, resumed, strict=True))
    assert {value.dtype for state in again.optimizer.state.values() for value in state.values()} == {torch.float32}


def test_many_parameters_are_updated_in_parts(monkeypatch):
    params, whole = parameters(), parameters()
    for each in (params, whole):
        give_gradients(each, 0)
    ActiveAdafactor(whole, lr=1e-2).step()
    monkeypatch.setattr("skill_plugin.optim.active_adafactor.CHUNK", 10)
    ActiveAdafactor(params, lr=1e-2).step()
    for p, q in zip(params, whole, strict=True):
        torch.testing.assert_close(p, q)


def test_it_has_the_name_of_fairseqs_and_options_that_hydra_knows():
    assert OPTIMIZER_DATACLASS_REGISTRY["adafactor"] is skill_plugin.optim.adafactor.AdafactorConfig


@pytest.mark.parametrize(
    ("options", "message"),
    [({"adafactor_eps": "(1e-30)"}, "--adafactor-eps"), ({"adafactor_eps": "__import__('os')"}, "--adafactor-eps"),
     ({"warmup_init": True}, "--warmup-init goes with --relative-step")],
)  # fmt: skip
def test_faulty_options_are_one_line(options, message):
    with pytest.raises(InputError, match=message):
        own(parameters(), **options)
