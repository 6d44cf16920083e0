"""All variants by name, and what the data must offer each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skill_plugin.variants.dense import dense
from skill_plugin.variants.shape import SIZES, Shape, Size
from skill_plugin.variants.skillnet import skillnet
from skill_plugin.variants.skillnet_x_ffn import skillnet_x_ffn
from skill_plugin.variants.skillnet_x_ffn_mha import skillnet_x_ffn_mha
from skill_plugin.variants.slots import Inventory, Slots


@dataclass(frozen=True)
class Variant:
    """A published model.

    Attributes:
        slots: (shape, inventory) -> the slots of its skilled layers.
        needs_task_skill: every corpus must activate a task skill (there is no language skill beside it in the mean).
    """

    slots: Callable[[Shape, Inventory], Slots]
    needs_task_skill: bool


VARIANTS = {
    "dense": Variant(dense, needs_task_skill=False),
    "skillnet": Variant(skillnet, needs_task_skill=True),
    "skillnet_x_ffn": Variant(skillnet_x_ffn, needs_task_skill=False),
    "skillnet_x_ffn_mha": Variant(skillnet_x_ffn_mha, needs_task_skill=True),
}


ARCHITECTURES: dict[str, tuple[str, Size]] = {
    f"{variant}_{name}": (variant, size) for variant in VARIANTS for name, size in SIZES.items()
}
