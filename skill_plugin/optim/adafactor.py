"""``--optimizer adafactor``: fairseq's, in which what took no part in an update neither moves nor costs.

It takes the place of the one that fairseq 0.12.3 registers under the name, with its options: that one writes the rate
of each parameter over that of all, so that with ``--scale-parameter`` rates multiply from parameter to parameter; with
``--relative-step`` it ends in a traceback; it evaluates ``--adafactor-eps`` as Python; and ``fairseq-hydra-train`` does
not know it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, List, Optional  # noqa: UP035 (as in skill_adam)

from fairseq.dataclass import FairseqDataclass
from fairseq.optim import OPTIMIZER_REGISTRY, register_optimizer
from omegaconf import II
from torch import Tensor

from skill_plugin.compat.fairseq_options import MOMENTUM
from skill_plugin.errors import InputError
from skill_plugin.optim.active_adafactor import ActiveAdafactor
from skill_plugin.optim.active_optimizer import ActiveOptimizer
from skill_plugin.options.allowed_values import POSITIVE, Pair, Range

EPSILONS = Pair("two numbers above 0, such as '(1e-30, 1e-3)'", POSITIVE)


@dataclass
class AdafactorConfig(FairseqDataclass):
    """Options of ``adafactor``, named as fairseq's."""

    adafactor_eps: str = field(
        default="(1e-30, 1e-3)",
        metadata={
            "help": "what is added to squared gradients, and the least size of a parameter for --scale-parameter",
            "allowed": EPSILONS,
        },
    )
    clip_threshold: float = field(
        default=1.0, metadata={"help": "greatest root mean square of an update before its rate", "allowed": POSITIVE}
    )
    decay_rate: float = field(
        default=-0.8,
        metadata={"help": "step t keeps 1 - t^RATE of the second moment", "allowed": Range(-1, 0, below_high=True)},
    )
    beta1: Optional[float] = field(  # noqa: UP045
        default=None, metadata={"help": "beta of a first moment (default: none is kept)", "allowed": MOMENTUM}
    )
    weight_decay: float = field(default=0.0, metadata={"help": "weight decay, decoupled from the gradient"})
    scale_parameter: bool = field(
        default=False, metadata={"help": "multiply the rate of a parameter by its root mean square"}
    )
    relative_step: bool = field(
        default=False, metadata={"help": "the rate of step t is 1 / sqrt(t), at most 0.01, whatever --lr says"}
    )
    warmup_init: bool = field(default=False, metadata={"help": "with --relative-step: at most t / 1,000,000"})
    lr: List[float] = II("optimization.lr")  # noqa: UP006


OPTIMIZER_REGISTRY.pop("adafactor", None)  # fairseq's own


@register_optimizer("adafactor", dataclass=AdafactorConfig)
class ActiveFactors(ActiveOptimizer):
    """Adafactor that leaves alone what took no part in an update."""

    def torch_optimizer(self, params: Collection[Tensor]) -> ActiveAdafactor:
        if self.cfg.warmup_init and not self.cfg.relative_step:
            raise InputError("--warmup-init goes with --relative-step")
        return ActiveAdafactor(params, **self.optimizer_config)

    @property
    def optimizer_config(self) -> dict[str, Any]:
        """Arguments of the torch optimizer."""
        names = (
            "clip_threshold",
            "decay_rate",
            "beta1",
            "weight_decay",
            "scale_parameter",
            "relative_step",
            "warmup_init",
        )
        return {
            "lr": self.lr,
            "eps": EPSILONS.read("--adafactor-eps", self.cfg.adafactor_eps),
            **{name: getattr(self.cfg, name) for name in names},
        }
