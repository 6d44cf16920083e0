"""Options of the model that its training alone needs; a checkpoint does not keep them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import DROPOUT, POSITIVE, WEIGHT, Range
from skill_plugin.options.option import Options, option
from skill_plugin.variants.expert_options import ExpertOptions

if TYPE_CHECKING:
    from skill_plugin.variants.catalogue import PublishedModel


CUDA_GRAPHS = ("auto", "off")


@dataclass(frozen=True)
class TrainingOptions(Options):
    """Dropout of heads, weights of the auxiliary losses of gates, learning rates by depth, and how layers are run.

    Attributes:
        head_dropout: dropout inside the heads.
        balance_loss: weight of ``nn.experts.balance_loss``.
        importance_loss: weight of the losses of ``nn.experts.gate_noise``.
        layer_lr_decay: learning rate of a layer over that of the one above it.
        head_lr_factor: learning rate of heads over that of the run.
        cuda_graphs: one of ``CUDA_GRAPHS``.
        recomputes: whether layers keep no activations.
    """

    title: ClassVar[str] = "training of the model"

    head_dropout: float = option("head_dropout", float, 0.1, "dropout inside the heads", allowed=DROPOUT)
    balance_loss: float = option(
        "balance_loss",
        float,
        0.0,
        "weight of the loss that spreads tokens over experts (Switch: 0.01; 0: none, as in MT-TaG)",
        allowed=WEIGHT,
    )
    importance_loss: float = option(
        "importance_loss",
        float,
        0.0,
        "with --gate-noise, weight of the losses that spread importance and load over experts (Shazeer et al.: 0.1; "
        "0: none)",
        allowed=WEIGHT,
    )
    layer_lr_decay: float = option(
        "layer_lr_decay",
        float,
        1.0,
        "with --optimizer skill_adam, the learning rate of a layer over that of the one above it; the top layer has "
        "--lr, and the embeddings are below the lowest",
        allowed=Range(0, 1, above_low=True),
    )
    head_lr_factor: float = option(
        "head_lr_factor",
        float,
        1.0,
        "with --optimizer skill_adam, how many times --lr the learning rate of heads is",
        allowed=POSITIVE,
    )
    cuda_graphs: str = option(
        "cuda_graphs",
        str,
        "auto",
        "auto: on GPUs with --autocast bf16 the layers run by CUDA graphs, which cost no time of the host; off: never",
        choices=CUDA_GRAPHS,
    )

    recomputes: bool = option(
        "checkpoint_activations",
        bool,
        False,
        "keep of each layer only what it read, and compute it once more in the backward pass: less memory, for one "
        "more forward pass an update, the same numbers; without CUDA graphs",
    )

    def check(self, name: str, variant: PublishedModel, experts: ExpertOptions) -> None:
        """Checks that the model has the experts that the losses are of, and the heads that other options are of.

        Args:
            name: name of the variant.
            variant: the model's.
            experts: its options.

        Raises:
            InputError: they are not.
        """
        if not variant.has_heads:
            for one in (declared for field, declared in self.own().items() if field.startswith("head_")):
                if one.name in self.given():
                    raise InputError(f"{one.flag} {self.given()[one.name]}: {name} has no heads, its answers are texts")
        if self.balance_loss and variant.experts is None:
            raise InputError(f"--balance-loss {self.balance_loss}: {name} has no experts")
        if self.importance_loss and not experts.noise:
            raise InputError(f"--importance-loss {self.importance_loss}: goes with --gate-noise")
