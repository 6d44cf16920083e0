"""All variants by name, and what the data must offer each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

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
from skill_plugin.variants.t5_shape import T5_SIZES, T5Size


def plain_encoder(
    shape: EncoderShape, inventory: Inventory, embeddings: Embeddings, layers: Iterable[EncoderLayer]
) -> Encoder:
    """Nothing outside the layers' slots."""
    return Encoder(embeddings, layers)


def all_layers(layers: int) -> int:
    """Every layer is a skilled one."""
    return layers


@dataclass(frozen=True, kw_only=True)
class PublishedModel:
    """A published model, as the options of a model ask for it.

    Attributes:
        needs_task_skill: every corpus must activate a task skill (there is no language skill beside it in the mean).
        experts: the experts of a published model that has some; options may change them.
        skilled_words: which layers are skilled unless an option says otherwise, for a person; None where none can be.
        conditional: whether it has conditional modules, which options may change.
        freeze: what the published model freezes, one of ``freezing.FREEZES``.
        has_heads: whether corpora have heads; texts are the answers otherwise.
    """

    needs_task_skill: bool = False
    experts: Experts | None = None
    skilled_words: str | None = None
    conditional: bool = False
    freeze: str = "none"
    has_heads: bool = True


@dataclass(frozen=True, kw_only=True)
class Variant(PublishedModel):
    """A published encoder, with heads.

    Attributes:
        slots: (shape, inventory) -> the slots of its skilled layers.
        encoder: puts embeddings and layers together.
        skilled: number of layers -> how many of them, from the top, are skilled unless an option says otherwise.
    """

    slots: Callable[[EncoderShape, Inventory], Slots]
    encoder: Callable[[EncoderShape, Inventory, Embeddings, Iterable[EncoderLayer]], Encoder] = plain_encoder
    skilled: Callable[[int], int] = all_layers
    skilled_words: str | None = "all"


VARIANTS = {
    "dense": Variant(slots=dense),
    "skillnet": Variant(slots=skillnet, needs_task_skill=True),
    "skillnet_x_ffn": Variant(slots=skillnet_x_ffn),
    "skillnet_x_ffn_mha": Variant(slots=skillnet_x_ffn_mha, needs_task_skill=True),
    "moe_top2": Variant(slots=moe_top2.moe_top2, experts=moe_top2.PUBLISHED),
    "mt_switch": Variant(slots=mt_switch.mt_switch, experts=mt_switch.PUBLISHED),
    "mt_tag": Variant(slots=mt_tag.mt_tag, experts=mt_tag.PUBLISHED),
    "ca_mtl": Variant(
        slots=ca_mtl.ca_mtl,
        encoder=ca_mtl.ca_mtl_encoder,
        skilled=ca_mtl.upper_half,
        skilled_words="the upper half",
        conditional=True,
        freeze="bottom-half",
    ),
}

# an encoder with a decoder, which answers with texts
MT5: Final = "mt5"

#: every published model by its name
MODELS: dict[str, PublishedModel] = {**VARIANTS, MT5: PublishedModel(has_heads=False)}

ARCHITECTURES: dict[str, tuple[str, Size | T5Size]] = {
    **{f"{variant}_{name}": (variant, size) for variant in VARIANTS for name, size in SIZES.items()},
    **{f"{MT5}_{name}": (MT5, size) for name, size in T5_SIZES.items()},
}
