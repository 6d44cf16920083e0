"""``skill_encoder``: the model and its architectures ``<variant>_<size>`` as fairseq registers them."""

from dataclasses import dataclass, field
from typing import Any, Optional

import torch
from fairseq.dataclass import ChoiceEnum, FairseqDataclass
from fairseq.models import BaseFairseqModel, register_model, register_model_architecture

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.errors import InputError, listing, nearest
from skill_plugin.models.outputs import Outputs
from skill_plugin.nn.experts.balance_loss import balance_loss
from skill_plugin.nn.experts.gate_noise import importance_loss, load_loss
from skill_plugin.nn.experts.routing import SCALES, Routing
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.options.allowed_values import COUNT, DROPOUT, POSITIVE, SIZE, WEIGHT, Range
from skill_plugin.variants.ca_mtl import FORMS
from skill_plugin.variants.catalogue import ARCHITECTURES, VARIANTS
from skill_plugin.variants.check_conditional import BLOCKS
from skill_plugin.variants.freezing import FREEZES
from skill_plugin.variants.lora import adapters_in


@dataclass
class SkillEncoderConfig(FairseqDataclass):
    """Options of the model; its sizes follow from the architecture and from the pretrained encoder."""

    dropout: float = field(
        default=0.1, metadata={"help": "dropout after embeddings, attention and feed-forward", "allowed": DROPOUT}
    )
    attention_dropout: float = field(default=0.1, metadata={"help": "dropout on attention weights", "allowed": DROPOUT})
    head_dropout: float = field(default=0.1, metadata={"help": "dropout inside the heads", "allowed": DROPOUT})
    head: ChoiceEnum(["dense", "linear"]) = field(  # type: ignore[valid-type]
        default="dense",
        metadata={
            "help": "of kinds that read the first token. dense: a dense map, which starts as the pretrained pooler if "
            "there is one, tanh, then the map to classes or scores. linear: the latter alone (MT-TaG, equations 7, 8)"
        },
    )
    skill_layers: Optional[int] = field(  # noqa: UP045  fairseq reads the type
        default=None,
        metadata={
            "help": "how many layers, from the top, carry skills, or conditional modules (default: all; ca_mtl: the "
            "upper half)",
            "allowed": COUNT,
        },
    )
    freeze: ChoiceEnum(["paper", *FREEZES]) = field(  # type: ignore[valid-type]
        default="paper",
        metadata={
            "help": "what stays as pretrained: the embeddings, or with them a quarter or half of the layers from the "
            "bottom (paper: bottom-half for ca_mtl, none for the others)"
        },
    )
    conditional: str = field(
        default="",
        metadata={"help": "conditional modules of ca_mtl, some of attention,alignment,norm,bottleneck (default: all)"},
    )
    conditional_length: Optional[int] = field(  # noqa: UP045
        default=None,
        metadata={
            "help": "positions that conditional attention knows; nothing is added beyond (default: 128)",
            "allowed": SIZE,
        },
    )
    conditional_blocks: ChoiceEnum(BLOCKS) = field(  # type: ignore[valid-type]
        default="diagonal",
        metadata={"help": "conditional attention's matrix: blocks on the diagonal, or one full block"},
    )
    conditional_form: ChoiceEnum(["paper", *FORMS]) = field(  # type: ignore[valid-type]
        default="paper",
        metadata={
            "help": "base: a bottleneck in each conditional layer. large: a path of bottlenecks beside all layers "
            "(paper: large for ca_mtl_large, base for the other sizes)"
        },
    )
    experts: Optional[int] = field(  # noqa: UP045
        default=None,
        metadata={
            "help": "experts of a layer (default: 10 for moe_top2, 4 for mt_switch and mt_tag)",
            "allowed": Range(1, 1024),
        },
    )
    experts_per_token: Optional[int] = field(  # noqa: UP045
        default=None,
        metadata={"help": "experts of a token (default: 2 for moe_top2, 1 for mt_switch and mt_tag)", "allowed": SIZE},
    )
    expert_layers: str = field(
        default="", metadata={"help": "layers that have experts, numbers from 0 at the bottom, as 1,3,5 (default: all)"}
    )
    expert_scale: ChoiceEnum(["paper", *SCALES]) = field(  # type: ignore[valid-type]
        default="paper",
        metadata={
            "help": "what an expert's output is multiplied by. probability: its probability under the gate, about "
            "1/experts at the start (paper: mt_switch, mt_tag). renormalised: so that a token's add up to 1 (paper: "
            "moe_top2). rescaled: as probability for the gate's gradient, but the sum is 1, which keeps the pretrained "
            "function"
        },
    )
    balance_loss: float = field(
        default=0.0,
        metadata={
            "help": "weight of the loss that spreads tokens over experts (Switch: 0.01; 0: none, as in MT-TaG)",
            "allowed": WEIGHT,
        },
    )
    gate_noise: bool = field(
        default=False,
        metadata={
            "help": "while training, the gate's logits have noise of a learned size (Shazeer et al. 2017, equation 4), "
            "for models with one gate"
        },
    )
    importance_loss: float = field(
        default=0.0,
        metadata={
            "help": "with --gate-noise, weight of the losses that spread importance and load over experts (Shazeer et "
            "al.: 0.1; 0: none)",
            "allowed": WEIGHT,
        },
    )
    r4f: bool = field(
        default=False,
        metadata={"help": "divide the last map of every head by its largest singular value where that is above 1"},
    )
    lora_rank: int = field(
        default=0,
        metadata={
            "help": "rank of the low-rank adapters (LoRA) that train, with heads and gates, beside the encoder of "
            "--init-from, which stays as it is (0: no adapters, the encoder trains)",
            "allowed": Range(0, note=" (0: no adapters)"),
        },
    )
    lora_alpha: Optional[float] = field(  # noqa: UP045
        default=None,
        metadata={
            "help": "what an adapter gives is multiplied by alpha / rank (default: the rank)",
            "allowed": POSITIVE,
        },
    )
    lora_dropout: Optional[float] = field(  # noqa: UP045
        default=None, metadata={"help": "dropout on what goes into an adapter (default: 0.1)", "allowed": DROPOUT}
    )
    lora_targets: str = field(
        default="",
        metadata={
            "help": "which maps have adapters, some of query,key,value,output,fc1,fc2; qkv: the first three; all "
            "(default: query,value)"
        },
    )


@register_model("skill_encoder", dataclass=SkillEncoderConfig)
class SkillEncoderModel(BaseFairseqModel):
    """The multitask model behind fairseq's interface."""

    def __init__(
        self, model: torch.nn.Module, positions: int, balance_weight: float = 0.0, importance_weight: float = 0.0
    ) -> None:
        super().__init__()
        self.model = model
        self.positions = positions
        self.balance_weight, self.importance_weight = balance_weight, importance_weight

    @classmethod
    def build_model(cls, cfg: Any, task: Any) -> "SkillEncoderModel":
        """The model of the task's bundle, which ``task.build_model`` has made."""
        if cfg.balance_loss and VARIANTS[task.bundle.variant].experts is None:
            raise InputError(f"--balance-loss {cfg.balance_loss}: {task.bundle.variant} has no experts")
        if cfg.importance_loss and not task.bundle.experts.noise:
            raise InputError(f"--importance-loss {cfg.importance_loss}: goes with --gate-noise")
        model = build_model(task.bundle, cfg.head_dropout)
        return cls(model, task.bundle.shape.positions, cfg.balance_loss, cfg.importance_loss)

    def forward(self, **fields: Any) -> Outputs:
        """The fields of a ``PackedBatch``, as the dataset's collater gives them -> outputs of each segment's head."""
        batch = PackedBatch(**fields)
        if (self.balance_weight or self.importance_weight) and self.training:
            batch.routings = []
        answers = self.model(batch)
        losses = [self._loss_of(routing) for routing in batch.routings or ()] if self.training else []
        return Outputs(
            answers,
            torch.stack(losses).sum() if losses else None,
            None if batch.noise is None else batch.noise.magnification,
        )

    def _loss_of(self, routing: Routing) -> torch.Tensor:
        """What one layer of experts adds to the loss of a batch."""
        loss = self.balance_weight * balance_loss(routing)
        if self.importance_weight and routing.noisy is not None:
            spread = importance_loss(routing) + load_loss(routing.noisy, routing)
            loss = loss + self.importance_weight * spread
        return loss

    def upgrade_state_dict_named(self, state_dict: dict[str, torch.Tensor], name: str) -> None:
        """fairseq's last look at a checkpoint's weights before it loads them, who would only list names.

        Raises:
            InputError: other adapters than the model's, other heads, or heads of other maps.
        """
        theirs, ours = ({n for n in names if ".heads." in n} for names in (state_dict, self.state_dict()))
        heads = [sorted({n.partition(".heads.")[2].partition(".")[0] for n in names}) for names in (theirs, ours)]
        if heads[0] != heads[1]:
            raise InputError(
                f"cannot resume: the run had the heads {listing(heads[0])}, now {listing(heads[1])}; keep its corpora, "
                "or start a new run with --init-from"
            )
        if theirs != ours and all(".dense." in n for n in theirs ^ ours):
            raise InputError(
                f"cannot resume: the run was with --head {'dense' if theirs > ours else 'linear'}; see --init-from"
            )
        noisy = [any(".gate_noise." in name for name in names) for names in (state_dict, self.state_dict())]
        if noisy[0] != noisy[1]:
            was = "with" if noisy[0] else "without"
            raise InputError(f"cannot resume: the run was {was} --gate-noise; see --init-from")
        was, now = adapters_in(state_dict), adapters_in(self.state_dict())
        if was != now:
            raise InputError(
                f"cannot resume: the checkpoint has {was}, the model now {now}; keep --lora-rank and "
                "--lora-targets, or start a new run with --init-from"
            )

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
