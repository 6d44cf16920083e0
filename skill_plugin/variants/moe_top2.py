"""``moe_top2``: the joint mixture-of-experts baseline of SkillNet-X (section 4.2) and of the slides."""

from __future__ import annotations

from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.experts import Experts, expert_slots
from skill_plugin.variants.slots import Inventory, Slots

# SkillNet-X has as many experts as skills, 10; the slides have 7 for their 7 skills. Both follow Shazeer et al. (2017),
# whose gate is the softmax over the k chosen logits alone: the weights of a token's two experts add up to 1.
PUBLISHED = Experts(number=10, per_token=2, scale="renormalised")


def moe_top2(shape: EncoderShape, inventory: Inventory) -> Slots:
    """One gate for all corpora, two experts a token, weights renormalised (``--expert-scale probability``: not)."""
    return expert_slots(shape, PUBLISHED.with_options(inventory.experts))
