"""``ca_mtl``: CA-MTL (chapter 3 of the thesis): modules that a task embedding modulates, one set of weights for all.

Which modules sit in which layers:

- task embeddings: one row a corpus (section 3.3).
- alignment: between the embeddings and the first layer (section 3.3.1, equation 3.2; figure 3.1).
- attention: in the upper half of the layers (figures 3.1 and 3.2).
- norm: both layer normalisations of each layer in the upper half (equation 3.3; figure 3.1).
- bottleneck, base form: in each layer of the upper half, after its feed-forward network (figure 3.3a).
- bottleneck, large form: a path beside all layers, the lower half too (figure 3.3b); published for the size ``large``.

``skill_layers`` is the number of layers, from the top, that count as the upper half; of an odd number of layers the
middle one is in it. The lower half is frozen with the embeddings (section 3.5, figure 3.1), its part of the skip path
and the alignment are not. Where the published code differs from the thesis (conditional attention in the lower layers
too, the bottleneck in the top layer only), this follows the thesis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skill_plugin.nn.conditional.alignment import ConditionalAlignment, SeparateAlignment
from skill_plugin.nn.conditional.attention import ConditionalAttention
from skill_plugin.nn.conditional.bottleneck import BottleneckFeedForward, SkipPath
from skill_plugin.nn.conditional.encoder import ConditionalEncoder
from skill_plugin.nn.conditional.layer_norm import ConditionalLayerNorm
from skill_plugin.nn.conditional.task_embeddings import TaskEmbeddings
from skill_plugin.nn.embeddings import Embeddings
from skill_plugin.nn.encoder_layer import EncoderLayer
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.slots import Inventory, Slots, dense_slots


def ca_mtl(shape: EncoderShape, inventory: Inventory) -> Slots:
    """Conditional modules in the slots of the upper layers."""
    options, slots = inventory.conditional, dense_slots(shape)
    modules = options.chosen_modules
    if "attention" in modules:
        slots = replace(
            slots,
            attention=lambda: ConditionalAttention(
                shape.width, shape.heads, shape.attention_dropout, options.length, options.full_block
            ),
        )
    if "norm" in modules:
        slots = replace(slots, norm=lambda: ConditionalLayerNorm(shape.width, shape.layer_norm_eps))
    if "bottleneck" in modules and options.form_in(shape) == "base":
        slots = replace(slots, feed_forward=lambda: BottleneckFeedForward(shape.width, shape.inner))
    return slots


def ca_mtl_encoder(
    shape: EncoderShape, inventory: Inventory, embeddings: Embeddings, layers: Iterable[EncoderLayer]
) -> ConditionalEncoder:
    """Conditional modules outside the layers' slots."""
    options = inventory.conditional
    modules = options.chosen_modules
    skipping = "bottleneck" in modules and options.form_in(shape) == "large"
    alignment: ConditionalAlignment | SeparateAlignment | None = None
    if "alignment" in modules and options.separate_alignment:
        alignment = SeparateAlignment(shape.width, inventory.embeddings)
    elif "alignment" in modules:
        alignment = ConditionalAlignment(shape.width)
    return ConditionalEncoder(
        embeddings,
        layers,
        TaskEmbeddings(shape.width, inventory.embeddings),
        alignment,
        SkipPath(shape.width, shape.layers) if skipping else None,
    )


def upper_half(layers: int) -> int:
    """How many layers are not in the lower half."""
    return layers - layers // 2
