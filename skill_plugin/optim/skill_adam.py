"""``--optimizer skill_adam``: AdamW in which a skill that took no part in an update neither moves nor costs."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, List  # noqa: UP035 (fairseq makes options of this class, and knows typing.List only)

from fairseq.dataclass import FairseqDataclass
from fairseq.optim import register_optimizer
from omegaconf import II
from torch import Tensor

from skill_plugin.compat.fairseq_options import BETAS
from skill_plugin.optim.active_adamw import ActiveAdamW
from skill_plugin.optim.active_optimizer import ActiveOptimizer


@dataclass
class SkillAdamConfig(FairseqDataclass):
    """Options of ``skill_adam``, named as those of fairseq's ``adam``."""

    adam_betas: Any = field(default=(0.9, 0.999), metadata={"help": "betas of Adam, e.g. '(0.9, 0.98)'"})
    adam_eps: float = field(default=1e-8, metadata={"help": "epsilon of Adam"})
    weight_decay: float = field(default=0.0, metadata={"help": "weight decay, decoupled from the gradient (AdamW)"})
    lr: List[float] = II("optimization.lr")  # noqa: UP006


@register_optimizer("skill_adam", dataclass=SkillAdamConfig)
class SkillAdam(ActiveOptimizer):
    """AdamW that leaves alone what took no part in an update."""

    def torch_optimizer(self, params: Collection[Tensor]) -> ActiveAdamW:
        return ActiveAdamW(params, **self.optimizer_config)

    @property
    def optimizer_config(self) -> dict[str, Any]:
        """Arguments of the torch optimizer."""
        return {
            "lr": self.lr,
            "betas": BETAS.read("--adam-betas", self.cfg.adam_betas),
            "eps": self.cfg.adam_eps,
            "weight_decay": self.cfg.weight_decay,
        }
