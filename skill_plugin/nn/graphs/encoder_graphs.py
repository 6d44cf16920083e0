"""An encoder whose layers run by CUDA graphs, where they can."""

from __future__ import annotations

import copy
import logging
import weakref
from typing import Any

import torch

from skill_plugin.nn.activation import SegmentChoices
from skill_plugin.nn.attention_kernels import has_variable_length_kernel
from skill_plugin.nn.bank import Bank
from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.encoder import Encoder, EncoderOutput, LayersInput
from skill_plugin.nn.graphs.layers_graph import GraphMemory, LayersGraph
from skill_plugin.nn.graphs.pack_sizes import PARTS, Capacity, PackSizes, padded_lengths
from skill_plugin.nn.graphs.slot_weights import Names, SlotWeights
from skill_plugin.nn.grouped import available
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.packed_batch import PackedBatch

logger = logging.getLogger(__name__)

MOST = 256  # graphs, each of which takes some megabytes of the device and a moment to record

Choices = dict[str, SegmentChoices]


class EncoderGraphs:
    """Gives what the encoder gives.

    A size of packs gets its graph when it is first met, as long as there is memory for it. A pass by graphs is one that
    trains, in half precision, without noise or copies of the pack, on a device whose kernels take packs as they are.

    Args:
        encoder: whose ``below_layers`` runs as it is.
        routing_gradients: whether losses depend on how tokens are routed.
    """

    def __init__(self, encoder: Encoder, routing_gradients: bool = False) -> None:
        self.encoder, self.routing_gradients = encoder, routing_gradients
        self._all_banks = [module for module in encoder.modules() if isinstance(module, Bank) and len(module)]
        self._banks = {part: [bank for bank in self._all_banks if bank.chosen_by == part] for part in PARTS}
        self._suited: dict[torch.dtype, bool] = {}
        self._capacity = Capacity()
        self._weights: SlotWeights | None = None
        self._graphs: dict[PackSizes, LayersGraph] = {}
        self._memory: GraphMemory | None = None
        self._last: tuple[LayersGraph, weakref.ref[Any]] | None = None
        self._full = False

    @property
    def sizes(self) -> list[PackSizes]:
        """The sizes that have a graph."""
        return list(self._graphs)

    def __deepcopy__(self, memo: dict[int, Any]) -> EncoderGraphs:
        """Graphs of the copied encoder, none of which is recorded yet."""
        return EncoderGraphs(copy.deepcopy(self.encoder, memo), self.routing_gradients)

    def __call__(self, batch: PackedBatch, noise: Noise | None = None) -> EncoderOutput:
        """Hidden states of a pack, with noise on its embeddings."""
        if not self._can_run(batch, noise):
            return self.encoder(batch, noise)
        return self.run(batch)

    def _can_run(self, batch: PackedBatch, noise: Noise | None) -> bool:
        if not batch.tokens.is_cuda or not torch.is_grad_enabled() or not self.encoder.training:
            return False
        if noise is not None or batch.copies > 1 or not torch.is_autocast_enabled("cuda"):
            return False
        if self._last is not None and self._last[0].under_way and self._last[1]() is not None:
            return False  # gradients of that pass may still be asked for, and it would be overwritten
        dtype = torch.get_autocast_dtype("cuda")
        if dtype not in self._suited:
            self._suited[dtype] = self._has_kernels(dtype, batch.tokens.device)
        return self._suited[dtype]

    def _has_kernels(self, dtype: torch.dtype, device: torch.device) -> bool:
        """Whether attention takes packs as they are, and grouped products all modules of a bank at once."""
        width = self.encoder.embeddings.tokens.embedding_dim
        sample = torch.empty(0, 3 * width, dtype=dtype, device=device)
        heads = self.encoder.layers[0].get_submodule("attention").heads
        if not has_variable_length_kernel(sample, heads):  # type: ignore[arg-type]
            return False
        return all(available.has_grouped_product(bank.first, sample) for bank in self._all_banks)

    def run(self, batch: PackedBatch) -> EncoderOutput:
        """As a call that can run by a graph."""
        choices = self._choices(batch)
        capacity = self._capacity.holding(choices, padded_lengths(batch))
        if capacity != self._capacity:
            self._capacity = capacity
            self._weights, self._memory, self._graphs, self._full = None, None, {}, False
        sizes = PackSizes.holding(batch)
        if sizes not in self._graphs and (self._full or len(self._graphs) == MOST):
            return self.encoder(batch)
        below = self.encoder.below_layers(batch)
        try:
            if sizes not in self._graphs:
                self._graphs[sizes] = self._record(sizes, choices, below)
            graph = self._graphs[sizes]
            hidden, routings = graph.run(below, batch, choices)
        except torch.OutOfMemoryError:
            if sizes in self._graphs and self._graphs[sizes].is_recorded:
                raise
            self._give_up(sizes)
            return self.encoder(batch)
        self._last = (graph, weakref.ref(hidden.grad_fn))
        return EncoderOutput(hidden, routings, below.magnification)

    def _give_up(self, sizes: PackSizes) -> None:
        """There is no room for a graph of packs of a size: those that there are go on, further ones are not tried."""
        logger.warning(
            f"the GPU's memory is full after {len(self._graphs) - 1} CUDA graphs: packs of other sizes run without. A "
            "smaller --max-tokens or --batch-size leaves more room, --cuda-graphs off needs less"
        )
        self._graphs.pop(sizes, None)
        self._full = True
        torch.cuda.empty_cache()

    def _choices(self, batch: PackedBatch) -> Choices:
        """What the segments choose; by a part that the encoder has no modules for, all the same."""
        active = [segment.active for segment in batch.segments]
        same = SegmentChoices(("",), ((0,),) * len(active))
        return {part: SegmentChoices.of(active, part) if self._banks[part] else same for part in PARTS}

    def _record(self, sizes: PackSizes, choices: Choices, below: LayersInput) -> LayersGraph:
        if self._memory is None and below.hidden.is_cuda:
            self._memory = GraphMemory()
        if self._weights is None:
            dtype = compute_dtype(below.hidden)
            self._weights = SlotWeights(self.encoder, self.encoder.BELOW_LAYERS, self._capacity, dtype)
        return LayersGraph(
            self.encoder,
            self._weights,
            self._filled(choices),
            sizes,
            self._capacity,
            below,
            self._memory,
            self.routing_gradients,
        )

    def _filled(self, choices: Choices) -> Names:
        """Names for all slots: those of the pack first, then any others."""
        names: Names = {}
        for part in PARTS:
            known = [name for bank in self._banks[part] for name in bank] or [""]
            slots = min(self._capacity.of(part), len(set(known)))
            names[part] = tuple(dict.fromkeys([*choices[part].names, *known]))[:slots]
        return names
