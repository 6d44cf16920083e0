"""The smallest task with skills, as a user folder for fairseq: what the patches are tried on, without the plugin.

``TOY_PATCHES=0`` leaves the patches out. ``TOY_FAULT`` raises an InputError while the task is set up (``setup``), while
the data is loaded (``load``) or in a data loader's worker (``worker``). ``TOY_SUMMED=0`` has the ranks gather logs
unsummed.
"""

import os
import sys
from dataclasses import dataclass, field

import numpy as np
import torch
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.data import FairseqDataset
from fairseq.dataclass import FairseqDataclass
from fairseq.logging import metrics
from fairseq.models import BaseFairseqModel, register_model
from fairseq.tasks import FairseqTask, register_task
from torch import nn

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..")))

from skill_plugin.errors import InputError

if os.environ.get("TOY_PATCHES", "1") == "1":
    from skill_plugin import compat

    compat.install()
    import skill_plugin.optim.skill_adam  # noqa: F401

SKILLS = ("a", "b", "c")


def fail_if_asked(place):
    """Raises an InputError where ``TOY_FAULT`` wants it."""
    if os.environ.get("TOY_FAULT") == place:
        raise InputError(f"a fault in {place}", "data.tsv", 7)


class Points(FairseqDataset):
    """Batches of one skill each; the skill of a batch follows from the order of indices."""

    def __init__(self, n):
        self.x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        self.sizes = np.ones(n, dtype=np.int64)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        fail_if_asked("worker")
        return int(index), self.x[index]

    def num_tokens(self, index):
        return 1

    def size(self, index):
        return 1

    def ordered_indices(self):
        return np.arange(len(self))

    def collater(self, samples):
        if not samples:
            return {}
        first = samples[0][0] // len(samples)
        return {
            "net_input": {"x": torch.stack([x for _, x in samples]), "skill": SKILLS[first % len(SKILLS)]},
            "nsentences": len(samples),
            "ntokens": len(samples),
        }


@dataclass
class ToyTaskConfig(FairseqDataclass):
    points: int = field(default=24, metadata={"help": "size of the training set"})


@register_task("toy", dataclass=ToyTaskConfig)
class ToyTask(FairseqTask):
    @classmethod
    def setup_task(cls, cfg, **kwargs):
        fail_if_asked("setup")
        return cls(cfg)

    def load_dataset(self, split, combine=False, **kwargs):
        fail_if_asked("load")
        self.datasets[split] = Points(self.cfg.points if split == "train" else 8)

    def max_positions(self):
        return None

    @property
    def source_dictionary(self):
        return None

    @property
    def target_dictionary(self):
        return None


@dataclass
class ToyModelConfig(FairseqDataclass):
    width: int = field(default=8, metadata={"help": "of the shared layer"})


@register_model("toy", dataclass=ToyModelConfig)
class ToyModel(BaseFairseqModel):
    def __init__(self, width):
        super().__init__()
        self.shared = nn.Linear(4, width)
        self.skills = nn.ModuleDict({name: nn.Linear(width, 1) for name in SKILLS})

    @classmethod
    def build_model(cls, cfg, task):
        return cls(cfg.width)

    def forward(self, x, skill):
        return self.skills[skill](torch.tanh(self.shared(x)))


@register_criterion("toy", dataclass=FairseqDataclass)
class ToyCriterion(FairseqCriterion):
    def forward(self, model, sample, reduce=True):
        n = sample["nsentences"]
        loss = model(**sample["net_input"]).float().square().sum()
        return loss, n, {"loss": loss.detach(), "sample_size": n, "nsentences": n, "ntokens": n}

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        n = sum(log["sample_size"] for log in logging_outputs)
        metrics.log_scalar("loss", sum(log["loss"] for log in logging_outputs) / n, n, round=6)
        metrics.log_scalar("as_numpy", np.float64(1.5), round=2)

    @staticmethod
    def logging_outputs_can_be_summed():
        return os.environ.get("TOY_SUMMED", "1") == "1"
