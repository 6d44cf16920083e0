"""``skill_encoder``: the model and its architectures ``<variant>_<size>`` as fairseq registers them."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from fairseq.models import BaseFairseqModel, register_model, register_model_architecture

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.errors import InputError, listing, nearest
from skill_plugin.models.skill_encoder_config import SkillEncoderConfig, written_in
from skill_plugin.models.skill_encoder_output import SkillEncoderOutput
from skill_plugin.nn.answers_only import answers_only
from skill_plugin.nn.experts.balance_loss import balance_loss
from skill_plugin.nn.experts.gate_noise import importance_loss, load_loss
from skill_plugin.nn.experts.routing import Routing
from skill_plugin.nn.graphs.encoder_graphs import EncoderGraphs
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.pass_options import PLAIN, PassOptions
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS
from skill_plugin.variants.learning_rates import set_rate_factors
from skill_plugin.variants.lora import count_adapters
from skill_plugin.variants.training_options import TrainingOptions


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
        self._answering = (
            answers_only(cast(MultitaskModel, model)),
        )  # in a tuple, since its modules are the model's, not more of them

    @classmethod
    def build_model(cls, cfg: Any, task: Any) -> "SkillEncoderModel":
        """The model of the task's bundle, which ``task.build_model`` has made."""
        training = TrainingOptions.read(written_in(cfg))
        training.check(task.bundle.variant, MODELS[task.bundle.variant], task.bundle.experts)
        model = build_model(task.bundle, training.head_dropout)
        set_rate_factors(model, task.bundle.shape.layers, training.layer_lr_decay, training.head_lr_factor)
        model.encoder.recomputes = training.recomputes
        if isinstance(model, TextToTextModel):
            model.decoder.recomputes = training.recomputes
        elif training.cuda_graphs == "auto" and not training.recomputes:  # a graph keeps its activations in any case
            model.graphs = EncoderGraphs(model.encoder, bool(training.balance_loss or training.importance_loss))
        return cls(model, task.bundle.shape.positions, training.balance_loss, training.importance_loss)

    def forward(
        self,
        options: PassOptions = PLAIN,
        classes: Sequence[torch.Tensor | None] | None = None,
        **fields: Any,
    ) -> SkillEncoderOutput:
        """Outputs of each segment's head.

        Args:
            options, classes: as for ``MultitaskModel``.
            fields: the fields of a ``PackedBatch``, as the dataset's collater gives them.
        """
        batch = PackedBatch(**fields)
        balanced = self.training and bool(self.balance_weight or self.importance_weight)
        found = self._quickest(batch, balanced)(batch, options, classes)
        losses = [self._loss_of(routing) for routing in found.routings] if balanced else []
        return SkillEncoderOutput(found.answers, torch.stack(losses).sum() if losses else None, found.magnification)

    def _quickest(self, batch: PackedBatch, balanced: bool) -> torch.nn.Module:
        """The model, or in training what it leaves of its last layer where answers are all that is asked for.

        Not on a GPU, which runs all tokens by graphs; and not for copies, whose divergence is less than what half
        precision rounds: it rounds both alike only among the same rows.
        """
        few = self.training and batch.tokens.device.type == "cpu" and batch.copies == 1 and not balanced
        return self._answering[0] if few else self.model

    def _loss_of(self, routing: Routing) -> torch.Tensor:
        """What one layer of experts adds to the loss of a batch."""
        loss = self.balance_weight * balance_loss(routing)
        if self.importance_weight and routing.noisy is not None:
            spread = importance_loss(routing) + load_loss(routing.noisy, routing)
            loss = loss + self.importance_weight * spread
        return loss

    def train(self, mode: bool = True) -> "SkillEncoderModel":
        """Changes the mode; fairseq asks for it three times an update, and a bank of skills has thousands of modules.

        Args:
            mode: whether to train; a model that does already is left as it is, and so are its parts.
        """
        return super().train(mode) if mode != self.training else self

    def set_num_updates(self, num_updates: int) -> None:
        """Called by fairseq in each update, to tell all modules, of which none wants to know."""

    def upgrade_state_dict_named(self, state_dict: dict[str, torch.Tensor], name: str) -> None:
        """Called by fairseq before it loads a checkpoint's weights; its own error would only list names.

        Raises:
            InputError: other adapters than the model's, other heads, or heads of other maps.
        """
        theirs, ours = ({n for n in names if ".heads." in n} for names in (state_dict, self.state_dict()))
        had, has = ({n.partition(".heads.")[2].partition(".")[0] for n in names} for names in (theirs, ours))
        if had != has:
            differs = [
                f"{said} {listing(sorted(some))}" for said, some in (("no", had - has), ("new:", has - had)) if some
            ]
            raise InputError(
                f"cannot resume: the run had other heads (now {', '.join(differs)}); keep its corpora, or start a new "
                "run with --init-from"
            )
        if theirs != ours and all(".dense." in n for n in theirs ^ ours):
            raise InputError(
                f"cannot resume: the run was with --head {'dense' if theirs > ours else 'linear'}; see --init-from"
            )
        noisy = [any(".gate_noise." in name for name in names) for names in (state_dict, self.state_dict())]
        if noisy[0] != noisy[1]:
            was = "with" if noisy[0] else "without"
            raise InputError(f"cannot resume: the run was {was} --gate-noise; see --init-from")
        was, now = count_adapters(state_dict), count_adapters(self.state_dict())
        if was != now:
            raise InputError(
                f"cannot resume: the checkpoint has {was}, the model now {now}; keep --lora-rank and "
                "--lora-targets, or start a new run with --init-from"
            )

    def max_positions(self) -> int:
        """Tokens of the longest sequence."""
        return self.positions


def parse_architecture(architecture: str) -> Any:
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
