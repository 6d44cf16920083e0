"""``skill_encoder``: the model and its architectures ``<variant>_<size>`` as fairseq registers them."""

from dataclasses import dataclass, field
from typing import Any, Optional

import torch
from fairseq.dataclass import FairseqDataclass
from fairseq.models import BaseFairseqModel, register_model, register_model_architecture
from torch import Tensor

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.errors import InputError, nearest
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.variants.catalogue import ARCHITECTURES


@dataclass
class SkillEncoderConfig(FairseqDataclass):
    """Options of the model; its sizes follow from the architecture and from the pretrained encoder."""

    dropout: float = field(default=0.1, metadata={"help": "dropout after embeddings, attention and feed-forward"})
    attention_dropout: float = field(default=0.1, metadata={"help": "dropout on attention weights"})
    head_dropout: float = field(default=0.1, metadata={"help": "dropout inside the heads"})
    skill_layers: Optional[int] = field(  # noqa: UP045  fairseq reads the type
        default=None, metadata={"help": "how many layers, from the top, carry skills (default: all)"}
    )


@register_model("skill_encoder", dataclass=SkillEncoderConfig)
class SkillEncoderModel(BaseFairseqModel):
    """The multitask model behind fairseq's interface."""

    def __init__(self, model: torch.nn.Module, positions: int) -> None:
        super().__init__()
        self.model = model
        self.positions = positions

    @classmethod
    def build_model(cls, cfg: Any, task: Any) -> "SkillEncoderModel":
        """The model of the task's bundle, which ``task.build_model`` has made."""
        return cls(build_model(task.bundle, cfg.head_dropout), task.bundle.shape.positions)

    def forward(self, **fields: Any) -> list[Tensor]:
        """The fields of a ``PackedBatch``, as the dataset's collater gives them -> outputs of each segment's head."""
        return self.model(PackedBatch(**fields))

    def max_positions(self) -> int:
        """Tokens of the longest sequence."""
        return self.positions


def variant_and_size(architecture: str) -> Any:
    """The variant's name and the ``Size`` of an architecture.

    Raises:
        InputError: no such architecture.
    """
    if architecture not in ARCHITECTURES:
        raise InputError(
            f"--arch {architecture}: not an architecture of this plugin{nearest(architecture, ARCHITECTURES)}"
        )
    return ARCHITECTURES[architecture]


def _unchanged(cfg: Any) -> None:
    """An architecture's sizes come from its name, so there is no option to set."""


for _name in ARCHITECTURES:
    register_model_architecture("skill_encoder", _name)(_unchanged)
