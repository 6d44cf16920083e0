"""Float32 copies of half precision parameters have gradients where the parameters have them, and only those move."""

import torch
from fairseq.optim.fp16_optimizer import _FP16OptimizerMixin
from torch import nn

from skill_plugin.compat import fp16_copies
from tests.compat.fairseq_runs import unpatch


class PlainSteps(_FP16OptimizerMixin):
    """The copies alone, without an optimizer."""

    def __init__(self, params):
        super().__init__()
        self.fp16_params, self.scaler, self._needs_sync = params, None, True
        self.fp32_params = self.build_fp32_params(None, params, flatten=False)


def two_updates():
    """Gradients of the copies of a used and an unused parameter in the second update, and the parameters after it."""
    params = [nn.Parameter(torch.ones(3, dtype=torch.float16)) for _ in range(2)]
    steps = PlainSteps(params)
    for used in params:
        steps.zero_grad()
        used.grad = torch.full_like(used, 2)
        steps._needs_sync = True
        steps._sync_fp16_grads_to_fp32()
        with torch.no_grad():
            for copy in steps.fp32_params:
                if copy.grad is not None:
                    copy.sub_(copy.grad / 4)
        steps._sync_fp32_params_to_fp16()
    return [copy.grad for copy in steps.fp32_params], [p.tolist() for p in params]


def test_a_parameter_without_gradient_has_a_copy_without():
    fp16_copies.install()
    (unused, used), values = two_updates()
    assert unused is None
    assert used.tolist() == [2.0] * 3 and used.dtype == torch.float32
    assert values == [[0.5] * 3, [0.5] * 3]


def test_without_the_patch_it_has_zeros(monkeypatch):
    fp16_copies.install()
    for name in ("_sync_fp16_grads_to_fp32", "zero_grad"):
        unpatch(monkeypatch, _FP16OptimizerMixin, name)
    (unused, _), _ = two_updates()
    assert unused.tolist() == [0.0] * 3
