"""The options of a model, declared once: training, checkpoints, ``describe`` and the documentation read them here.

A model is its variant, its encoder's sizes and these. What concerns some variants alone is in a group of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import COUNT
from skill_plugin.options.option import PAPER, Option, Options, option
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.freezing import FREEZES, OLD, choose_freeze
from skill_plugin.variants.lora_options import LoraOptions
from skill_plugin.variants.training_options import TrainingOptions

if TYPE_CHECKING:
    from skill_plugin.nn.heads.head_spec import HeadSpec
    from skill_plugin.variants.catalogue import PublishedModel
    from skill_plugin.variants.model_shape import ModelShape


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """What a checkpoint must know of its model, beside variant and sizes.

    Attributes:
        skill_layers: layers, from the top, that carry what the variant changes; None = as published.
        freeze: what training leaves as it is, one of ``variants.freezing.FREEZES``, or ``OLD``.
        linear_heads: whether every head is one map, without a dense map before it.
        r4f: whether the heads' last maps are held to be 1-Lipschitz.
        experts: options of expert models.
        conditional: options of conditional models.
        lora: the adapters of the encoder.
    """

    title: ClassVar[str] = "model"

    skill_layers: int | None = option(
        "skill_layers",
        int,
        None,
        "how many layers, from the top, carry skills, or conditional modules",
        allowed=COUNT,
        published=lambda variant, size: variant.skilled_words,
    )
    freeze: str = option(
        "freeze",
        str,
        PAPER,
        "what stays as pretrained: the embeddings, or with them a quarter or half of the layers from the bottom. old: "
        "all that --init-from has; what trains are heads, and the skills, languages and gates that it lacks",
        choices=(*FREEZES, OLD, PAPER),
        published=lambda variant, size: variant.freeze,
        absent="none",
    )
    linear_heads: bool = option(
        "head",
        str,
        "dense",
        "of kinds that read the first token. dense: a dense map, which starts as the pretrained pooler if there is "
        "one, tanh, then the map to classes or scores. linear: the latter alone (MT-TaG, equations 7, 8)",
        choices=("dense", "linear"),
        read=lambda head: head == "linear",
    )
    r4f: bool = option(
        "r4f", bool, False, "divide the last map of every head by its largest singular value where that is above 1"
    )
    experts: ExpertOptions = field(default=ExpertOptions())
    conditional: ConditionalOptions = field(default=ConditionalOptions())
    lora: LoraOptions = field(default=LoraOptions())

    @classmethod
    def of(cls, variant: PublishedModel, written: Mapping[str, Any]) -> Self:
        """Options as they are written, with what was published for ``paper``.

        Raises:
            InputError: a value that is out of range or cannot be read, or freezing beside adapters.
        """
        options = cls.read(written)
        freeze = choose_freeze(options.freeze, variant.freeze, adapted=options.lora.rank > 0)
        return replace(options, freeze=freeze)

    def check_model(self, variant: str, variants: Mapping[str, PublishedModel], shape: ModelShape) -> None:
        """Checks that the options fit the model and one another.

        Args:
            variant: a name of ``variants``.
            variants: all that there are.
            shape: sizes of the model.

        Raises:
            InputError: they do not.
        """
        if variants[variant].skilled_words is None and self.skill_layers is not None:
            raise InputError(f"--skill-layers {self.skill_layers}: {variant} has no layers with skills")
        if not variants[variant].has_heads and (self.r4f or self.linear_heads):
            raise InputError(
                f"{'--r4f' if self.r4f else '--head linear'}: {variant} has no heads, its answers are texts"
            )
        if not variants[variant].has_heads and self.freeze == OLD:
            raise InputError(
                f"--freeze {OLD}: {variant} has no parts that belong to corpora, so that nothing would train"
            )
        if self.skill_layers is not None and not 0 <= self.skill_layers <= shape.layers:
            raise InputError(f"--skill-layers {self.skill_layers}: expected 0 to {shape.layers}, the encoder's layers")
        self.experts.check(variant, variants, shape.layers, self.skill_layers)
        self.conditional.check(variant, variants, shape.positions)
        self.lora.check(shape.width)

    def check_heads(self, heads: Collection[HeadSpec], kinds: Collection[str]) -> None:
        """Checks that what the options ask of heads can be done to at least one of them.

        Args:
            heads: heads of the model.
            kinds: kinds of its corpora, for the message.

        Raises:
            InputError: it cannot.
        """
        named = f"heads of {', '.join(kinds)}"
        if self.r4f and not any(head.has_last_map for head in heads):
            raise InputError(f"--r4f: nothing to hold, the last map of {named} is the embedding table")
        if self.linear_heads and not any(head.has_dense_map for head in heads):
            raise InputError(f"--head linear: nothing to leave out, {named} have no dense map")


#: every option of a model: its encoder's dropout, what its checkpoint keeps, and what its training alone needs
GROUPS: tuple[type[Options], ...] = (EncoderShape, *ModelOptions.groups(), TrainingOptions)
OPTIONS: tuple[Option, ...] = tuple(one for group in GROUPS for one in group.own().values())
