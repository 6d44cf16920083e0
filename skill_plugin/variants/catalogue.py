"""All variants by name, and what the data must offer each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.variants import ca_mtl, moe_top2, mt_switch, mt_tag
from skill_plugin.variants.dense import dense
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape, Size
from skill_plugin.variants.experts import Experts
from skill_plugin.variants.skillnet import skillnet
from skill_plugin.variants.skillnet_x_ffn import skillnet_x_ffn
from skill_plugin.variants.skillnet_x_ffn_mha import skillnet_x_ffn_mha
from skill_plugin.variants.slots import Inventory, Slots


def plain_encoder(
    shape: EncoderShape, inventory: Inventory, embeddings: Embeddings, layers: Iterable[EncoderLayer]
) -> Encoder:
    """Nothing outside the layers' slots."""
    return Encoder(embeddings, layers)


def all_layers(layers: int) -> int:
    """Every layer is a skilled one."""
    return layers


@dataclass(frozen=True)
class Variant:
    """A published model.

    Attributes:
        slots: (shape, inventory) -> the slots of its skilled layers.
        needs_task_skill: every corpus must activate a task skill (there is no language skill beside it in the mean).
        experts: the experts of a published model that has some; options may change them.
        encoder: puts embeddings and layers together.
        skilled: number of layers -> how many of them, from the top, are skilled unless an option says otherwise.
        skilled_words: the same for a person.
        conditional: whether it has conditional modules, which options may change.
        freeze: what the published model freezes, one of ``freezing.FREEZES``.
    """

    slots: Callable[[EncoderShape, Inventory], Slots]
    needs_task_skill: bool
    experts: Experts | None = None
    encoder: Callable[[EncoderShape, Inventory, Embeddings, Iterable[EncoderLayer]], Encoder] = plain_encoder
    skilled: Callable[[int], int] = all_layers
    skilled_words: str = "all"
    conditional: bool = False
    freeze: str = "none"


VARIANTS = {
    "dense": Variant(dense, needs_task_skill=False),
    "skillnet": Variant(skillnet, needs_task_skill=True),
    "skillnet_x_ffn": Variant(skillnet_x_ffn, needs_task_skill=False),
    "skillnet_x_ffn_mha": Variant(skillnet_x_ffn_mha, needs_task_skill=True),
    "moe_top2": Variant(moe_top2.moe_top2, needs_task_skill=False, experts=moe_top2.PUBLISHED),
    "mt_switch": Variant(mt_switch.mt_switch, needs_task_skill=False, experts=mt_switch.PUBLISHED),
    "mt_tag": Variant(mt_tag.mt_tag, needs_task_skill=False, experts=mt_tag.PUBLISHED),
    "ca_mtl": Variant(
        ca_mtl.ca_mtl,
        needs_task_skill=False,
        encoder=ca_mtl.ca_mtl_encoder,
        skilled=ca_mtl.upper_half,
        skilled_words="the upper half",
        conditional=True,
        freeze="bottom-half",
    ),
}


ARCHITECTURES: dict[str, tuple[str, Size]] = {
    f"{variant}_{name}": (variant, size) for variant in VARIANTS for name, size in SIZES.items()
}
