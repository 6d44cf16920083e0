"""skill_adam: AdamW's numbers for what took part in an update, bit-identical values for what did not."""

import copy
import io

import pytest
import torch
from fairseq import utils as fairseq_utils
from fairseq.optim import FP16Optimizer, MemoryEfficientFP16Optimizer, build_optimizer
from fairseq.optim.adam import FairseqAdam, FairseqAdamConfig
from omegaconf import OmegaConf
from torch import nn

from skill_plugin.errors import InputError
from skill_plugin.optim.active_adamw import ActiveAdamW
from skill_plugin.optim.skill_adam import SkillAdam, SkillAdamConfig

LR, DECAY, BETAS = 1e-2, 0.1, (0.9, 0.98)


def config(**changes):
    return SkillAdamConfig(**{"adam_betas": str(BETAS), "weight_decay": DECAY, "lr": [LR], **changes})


def whole_config(bf16=False):
    """What fairseq's wrappers for half precision read of its configuration."""
    return OmegaConf.create(
        {
            "optimizer": {"_name": "skill_adam", "adam_betas": str(BETAS), "weight_decay": DECAY, "lr": [LR]},
            "common": {
                "fp16_no_flatten_grads": True,
                "bf16": bf16,
                "fp16_scale_window": 100,
                "fp16_init_scale": 128,
                "fp16_scale_tolerance": 0.0,
                "threshold_loss_scale": None,
                "min_loss_scale": 1e-4,
                "model_parallel_size": 1,
            },
            "optimization": {"update_freq": [1]},
            "distributed_training": {"distributed_world_size": 1},
        }
    )


class Skills(nn.Module):
    """One shared layer, then the layer of the skill asked for."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        torch.manual_seed(1)
        self.shared = nn.Linear(8, 8)
        self.skills = nn.ModuleDict({name: nn.Linear(8, 1) for name in ("a", "b")})
        self.to(dtype)

    def forward(self, x, skill):
        return self.skills[skill](torch.tanh(self.shared(x)))


def loss_of(model, skill, seed):
    x = torch.randn(16, 8, generator=torch.Generator().manual_seed(seed))
    return model(x.to(model.shared.weight.dtype), skill).float().square().mean()


def train(model, optimizer, skills, first=0, clip=0.5, zeros=False):
    """One update per skill named, in the order of fairseq's trainer."""
    for step, skill in enumerate(skills, start=first):
        optimizer.zero_grad()
        optimizer.backward(loss_of(model, skill, step) * 3)
        if zeros:  # as legacy_ddp does
            for p in model.parameters():
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
        optimizer.multiply_grads(1 / 3)
        optimizer.clip_grad_norm(clip)
        optimizer.step()


def copy_of(module):
    return {name: value.detach().clone() for name, value in module.state_dict().items()}


def same_bits(before, module):
    return all(torch.equal(value, module.state_dict()[name]) for name, value in before.items())


def test_numbers_are_those_of_torch_adamw():
    ours, theirs = Skills(), Skills()
    skill_adam = SkillAdam(config(), list(ours.parameters()))
    adamw = torch.optim.AdamW(theirs.parameters(), lr=LR, betas=BETAS, eps=1e-8, weight_decay=DECAY)
    norms = []
    for step in range(6):
        skill = "aabbab"[step]
        skill_adam.zero_grad()
        skill_adam.backward(loss_of(ours, skill, step) * 3)
        skill_adam.multiply_grads(1 / 3)
        norm = skill_adam.clip_grad_norm(1.0)
        skill_adam.step()
        adamw.zero_grad()
        loss_of(theirs, skill, step).backward()
        expected = nn.utils.clip_grad_norm_([p for p in theirs.parameters() if p.grad is not None], 1.0)
        adamw.step()
        torch.testing.assert_close(norm, expected)
        norms.append(float(norm))
        for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=1e-5, atol=1e-6)
    assert max(norms) > 1.0 > min(norms), "both sides of the clipping must be covered"


def test_numbers_are_those_of_fairseqs_adam():
    ours, theirs = Skills(), Skills()
    train(ours, SkillAdam(config(), list(ours.parameters())), "ababba")
    cfg = OmegaConf.structured(FairseqAdamConfig(adam_betas=str(BETAS), weight_decay=DECAY, tpu=False, lr=[LR]))
    train(theirs, FairseqAdam(cfg, list(theirs.parameters())), "ababba")
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=0, atol=LR / 100)  # fairseq adds epsilon before the bias correction


@pytest.mark.parametrize("zeros", [False, True], ids=["no gradient", "gradient of zeros"])
def test_an_inactive_skill_stands_still_and_goes_on_where_it_stopped(zeros):
    model = Skills()
    optimizer = SkillAdam(config(), list(model.parameters()))
    train(model, optimizer, "aa", zeros=zeros)
    weight = model.skills["a"].weight
    before = copy_of(model.skills["a"])
    moments = {name: value.clone() for name, value in optimizer.optimizer.state[weight].items()}

    train(model, optimizer, "bb", first=2, zeros=zeros)
    assert same_bits(before, model.skills["a"])
    for name, value in moments.items():
        assert torch.equal(value, optimizer.optimizer.state[weight][name]), name
    if not zeros:
        assert weight.grad is None

    train(model, optimizer, "a", first=4, zeros=zeros)
    assert not same_bits(before, model.skills["a"])
    assert optimizer.optimizer.state[weight]["step"] == 3


def test_fairseqs_adam_would_have_moved_it():
    model = Skills()
    cfg = OmegaConf.structured(FairseqAdamConfig(adam_betas=str(BETAS), weight_decay=DECAY, tpu=False, lr=[LR]))
    optimizer = FairseqAdam(cfg, list(model.parameters()))
    train(model, optimizer, "aa", zeros=True)
    before = copy_of(model.skills["a"])
    train(model, optimizer, "bb", first=2, zeros=True)
    assert not same_bits(before, model.skills["a"])


def test_a_tiny_gradient_is_not_zero():
    moved, still = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
    optimizer = SkillAdam(config(), [moved, still])
    moved.grad, still.grad = torch.full((4,), 1e-30), torch.zeros(4)  # 1e-30 squared is zero in float32
    optimizer.clip_grad_norm(0)
    optimizer.step()
    assert still.grad is None
    assert torch.equal(still, torch.ones(4))
    assert not torch.equal(moved, torch.ones(4))


def test_gradients_written_after_the_clipping_are_looked_at_again():
    a, b = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
    optimizer = SkillAdam(config(), [a, b])
    a.grad, b.grad = torch.ones(4), torch.zeros(4)
    optimizer.clip_grad_norm(0)
    a.grad.zero_()
    b.grad.add_(1)
    optimizer.step()
    assert torch.equal(a, torch.ones(4))
    assert not torch.equal(b, torch.ones(4))


def test_no_gradient_at_all():
    model = Skills()
    optimizer = SkillAdam(config(), list(model.parameters()))
    before = copy_of(model)
    optimizer.zero_grad()
    assert optimizer.clip_grad_norm(1.0) == 0
    optimizer.step()
    assert same_bits(before, model)


@pytest.mark.parametrize(
    ("wrapper", "bf16"),
    [(FP16Optimizer, False), (FP16Optimizer, True), (MemoryEfficientFP16Optimizer, False)],
    ids=["fp16-no-flatten-grads", "bf16", "memory-efficient-fp16"],
)
@pytest.mark.parametrize("zeros", [False, True], ids=["no gradient", "gradient of zeros"])
def test_half_precision(wrapper, bf16, zeros):
    dtype = torch.bfloat16 if bf16 else torch.float16
    model, reference = Skills(dtype), Skills()
    reference.load_state_dict(copy_of(model))
    optimizer = wrapper.build_optimizer(whole_config(bf16), list(model.parameters()))
    inner = SkillAdam(config(), list(reference.parameters()))

    train(model, optimizer, "aa", zeros=zeros)
    before = copy_of(model.skills["a"])
    train(model, optimizer, "bb", first=2, zeros=zeros)
    assert same_bits(before, model.skills["a"])
    train(model, optimizer, "a", first=4, zeros=zeros)
    assert not same_bits(before, model.skills["a"])

    train(reference, inner, "aabba")
    for p, q in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(p.float(), q, rtol=0.03, atol=0.04 if bf16 else 0.01)
    for state in optimizer.optimizer.state.values():
        assert state["exp_avg"].dtype == state["exp_avg_sq"].dtype == torch.float32


def test_large_half_precision_parameters_are_updated_in_parts(monkeypatch):
    monkeypatch.setattr("skill_plugin.optim.active_adamw.CHUNK", 10)
    params = [nn.Parameter(torch.ones(n, dtype=torch.float16)) for n in (3, 8, 2, 25, 4)]
    optimizer = ActiveAdamW(params, lr=LR)
    for p in params:
        p.grad = torch.ones_like(p)
    optimizer.step()
    for p in params:
        torch.testing.assert_close(p.float(), torch.full_like(p, 0.99, dtype=torch.float32), rtol=1e-3, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_gradient_laid_out_otherwise_than_its_parameter(dtype):
    torch.manual_seed(1)
    start, grad = torch.randn(4, 6).to(dtype), torch.randn(4, 6).to(dtype)
    plain, turned = nn.Parameter(start.clone()), nn.Parameter(start.t().contiguous().t())
    for p in (plain, turned):
        p.grad = grad.clone()
        ActiveAdamW([p], lr=LR).step()
    assert turned.stride() != turned.grad.stride()
    assert torch.equal(plain, turned)


@pytest.mark.parametrize("kind", ["float32", "fp16-no-flatten-grads", "memory-efficient-fp16"])
def test_stop_and_resume_is_bit_identical(kind):
    def build(model):
        if kind == "float32":
            return build_optimizer(whole_config().optimizer, list(model.parameters()))
        wrapper = FP16Optimizer if kind == "fp16-no-flatten-grads" else MemoryEfficientFP16Optimizer
        return wrapper.build_optimizer(whole_config(), list(model.parameters()))

    dtype = torch.float32 if kind == "float32" else torch.float16
    straight = Skills(dtype)
    optimizer = build(straight)
    train(straight, optimizer, "aab")
    file = io.BytesIO()
    # as Trainer.save_checkpoint does; in half precision the weights travel as float32
    torch.save(fairseq_utils.move_to_cpu({"model": straight.state_dict(), "optimizer": optimizer.state_dict()}), file)
    train(straight, optimizer, "bab", first=3)

    file.seek(0)
    saved = torch.load(file, weights_only=True)
    resumed = Skills(dtype)
    resumed.load_state_dict(saved["model"])
    optimizer = build(resumed)
    optimizer.load_state_dict(saved["optimizer"])
    train(resumed, optimizer, "bab", first=3)
    if kind == "fp16-no-flatten-grads":  # fairseq makes the float32 copies from the float16 weights, which rounds them
        for p, q in zip(straight.parameters(), resumed.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=2e-3, atol=1e-4)
    else:
        assert same_bits(copy_of(straight), resumed)


def test_the_state_holds_only_what_was_active():
    model = Skills()
    optimizer = SkillAdam(config(), list(model.parameters()))
    train(model, optimizer, "a", zeros=True)
    assert len(optimizer.state_dict()["state"]) == 4  # shared and skill a, weight and bias


def test_flat_parameters_are_not_supported():
    optimizer = SkillAdam(config(), list(Skills().parameters()))
    assert not optimizer.supports_flat_params
    assert optimizer.supports_memory_efficient_fp16


@pytest.mark.parametrize("betas", ["(0.9)", "0.9, 1.5", "(0.9, ", "(a, b)"])
def test_faulty_betas_are_one_line(betas):
    with pytest.raises(InputError, match="--adam-betas"):
        SkillAdam(config(adam_betas=betas), list(Skills().parameters()))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_an_update_whose_norm_is_not_finite_changes_nothing(value):
    model, untouched = Skills(), Skills()
    optimizer, other = (SkillAdam(config(), list(one.parameters())) for one in (model, untouched))
    train(model, optimizer, "ab")
    train(untouched, other, "ab")
    optimizer.zero_grad()
    loss_of(model, "a", 2).backward()
    model.shared.weight.grad[0, 0] = value
    assert not torch.isfinite(optimizer.clip_grad_norm(0.5))
    optimizer.step()
    assert same_bits(copy_of(untouched), model)
    train(model, optimizer, "aba", first=3)
    train(untouched, other, "aba", first=3)
    assert same_bits(copy_of(untouched), model)


def test_gradients_of_zeros_count_where_nobody_looks_for_them():
    p, q = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
    optimizer = SkillAdam(config(), [p, q])
    optimizer.zeros_are_none = False
    p.grad = torch.zeros(4)
    optimizer.clip_grad_norm(1.0)
    optimizer.step()
    assert torch.equal(p, torch.full((4,), 1 - LR * DECAY))  # what took part decays
    assert torch.equal(q, torch.ones(4))  # what has no gradient does not


def test_a_loaded_state_takes_the_place_of_the_one_at_hand():
    model, twin = Skills(), Skills()
    optimizer, other = (SkillAdam(config(), list(one.parameters())) for one in (model, twin))
    train(model, optimizer, "ab")
    train(twin, other, "aa")
    twin.load_state_dict(copy_of(model))
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))  # the one given would share its tensors
    train(model, optimizer, "ab", first=2)
    train(twin, other, "ab", first=2)
    assert same_bits(copy_of(model), twin)


@pytest.mark.parametrize("wrapper", [None, FP16Optimizer, MemoryEfficientFP16Optimizer])
def test_learning_rates_of_some_parameters(wrapper):
    """As groups of AdamW's, through schedules, and where fairseq makes float32 copies."""
    model = Skills(torch.float32 if wrapper is None else torch.float16)
    factors = {"shared.weight": 0.25, "skills.a.bias": 5.0}
    for name, factor in factors.items():
        model.get_parameter(name).optim_overrides = {"lr_factor": factor}
    reference = copy.deepcopy(model).float()
    groups = [{"params": [p], "lr": LR * factors.get(name, 1.0)} for name, p in reference.named_parameters()]
    theirs = torch.optim.AdamW(groups, betas=BETAS, weight_decay=DECAY)
    if wrapper is None:
        ours = SkillAdam(config(), list(model.parameters()))
    else:
        ours = wrapper.build_optimizer(whole_config(), list(model.parameters()))
    for step in range(3):
        ours.set_lr(LR / (step + 1))
        assert ours.get_lr() == LR / (step + 1)
        for group, (name, _) in zip(theirs.param_groups, reference.named_parameters(), strict=True):
            group["lr"] = LR / (step + 1) * factors.get(name, 1.0)
        for p, q in zip(model.parameters(), reference.parameters(), strict=True):
            gradient = torch.randn(q.shape, generator=torch.Generator().manual_seed(step + q.numel())).half()
            q.grad = None if q.shape == (1, 8) and q is reference.skills["b"].weight else gradient.float()
            p.grad = None if q.grad is None else gradient.to(p.dtype)
        if wrapper is not None:
            ours.scaler.loss_scale = 1.0
            ours._multiply_factor = 1.0
            ours._needs_sync = True
        ours.clip_grad_norm(0)
        ours.step()
        theirs.step()
        ours.zero_grad()
    for (name, p), q in zip(model.named_parameters(), reference.parameters(), strict=True):
        tolerance = {"rtol": 1e-6, "atol": 1e-7} if wrapper is None else {"rtol": 2e-3, "atol": 2e-3}
        torch.testing.assert_close(p.float(), q, **tolerance, msg=name)
