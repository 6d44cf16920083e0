"""The layers of an encoder, forward and backward, as two CUDA graphs for packs of one size."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.func import functional_call

from skill_plugin.nn.activation import SegmentChoices
from skill_plugin.nn.encoder import Encoder, LayersInput
from skill_plugin.nn.experts.routing import NoisyLogits, Routing
from skill_plugin.nn.graphs.pack_numbers import FixedActivations, write_numbers
from skill_plugin.nn.graphs.pack_sizes import PARTS, Capacity, PackSizes
from skill_plugin.nn.graphs.slot_weights import Names, SlotWeights, Used
from skill_plugin.nn.on_device import on_device
from skill_plugin.nn.packed_batch import PackedBatch

EMPTY = torch.zeros(0, dtype=torch.int64)


class GraphMemory:
    """What the graphs of an encoder share: they compute in the same memory, one after the other.

    Attributes:
        pool: the memory.
        stream: on which they are recorded; what one of them has freed is used again on the same stream only.
        hidden: hidden states of no token, with the width and the type that the layers give; after the first pass.
    """

    hidden: Tensor

    def __init__(self) -> None:
        self.pool, self.stream = torch.cuda.graph_pool_handle(), torch.cuda.Stream()
        self._rooms: dict[tuple[str, torch.dtype], Tensor] = {}

    def room(self, name: str, tokens: int, like: Tensor) -> Tensor:
        """Memory [tokens, D] for one of the tensors that graphs are given or give; that of the largest pack serves all.

        Args:
            name: of the tensor.
            tokens: of the packs of a graph.
            like: [any, D], with its type and device.
        """
        key = name, like.dtype
        if key not in self._rooms or len(self._rooms[key]) < tokens:
            self._rooms[key] = torch.zeros(tokens, like.shape[1], dtype=like.dtype, device=like.device)
        return self._rooms[key][:tokens]


class LayersGraph:
    """Runs the layers on packs that are padded to the same sizes.

    What a graph reads and writes stays where it is: the input, the numbers of the pack, the weights in their slots, the
    output and the gradients. The large ones of these have the same places in all graphs, and everything else in their
    memory may be overwritten by another graph of the same pool too, so that the backward pass of a pack must come
    before the forward pass of the next.

    On a CPU, which has no graphs, the same computation runs step by step.

    Attributes:
        weights: the slots.
        under_way: whether a forward pass has had no backward pass yet.
        is_recorded: whether there are graphs, which the first pass records; always on a CPU, which has none.

    Args:
        encoder: in training mode.
        weights: its slots.
        names: names of as many modules of each part as there are slots; which, does not matter.
        sizes, capacity: what packs are padded to.
        like: what the layers read of the first pack; only its width and type matter.
        memory: what graphs share; None on a CPU.
        routing_gradients: whether losses depend on how tokens are routed.
    """

    def __init__(
        self,
        encoder: Encoder,
        weights: SlotWeights,
        names: Names,
        sizes: PackSizes,
        capacity: Capacity,
        like: LayersInput,
        memory: GraphMemory | None,
        routing_gradients: bool,
    ) -> None:
        self._layers, self.weights, self._names = _Layers(encoder), weights, names
        self._sizes, self._capacity, self._routing_gradients = sizes, capacity, routing_gradients
        x, z = like.hidden.detach(), None if like.z is None else like.z.detach()
        self._device, self._autocast = x.device, torch.is_autocast_enabled(x.device.type)
        self._x = x.new_zeros(sizes.tokens, x.shape[1]) if memory is None else memory.room("input", sizes.tokens, x)
        self._x = self._x.detach().requires_grad_()
        rows = len(names["embedding"])
        self._z = None if z is None else z.new_zeros(rows, z.shape[1]).requires_grad_()
        numbers = sizes.sequences + 1 + sizes.segments * (len(PARTS) + capacity.skills)
        self._numbers = torch.zeros(numbers, dtype=torch.int64, device=x.device)
        self._outputs: list[Tensor] = []
        self._gradients: list[Tensor] = []
        self._input_gradients: list[Tensor] = []
        self.under_way = False
        self._replay_forward: Callable[[], None] = self._forward
        self._replay_backward: Callable[[], None] = self._backward
        self._memory, self.is_recorded = memory, memory is None

    def run(
        self, below: LayersInput, batch: PackedBatch, choices: dict[str, SegmentChoices]
    ) -> tuple[Tensor, tuple[Routing, ...]]:
        """What ``Encoder.run_layers`` gives.

        Raises:
            torch.OutOfMemoryError: there is no room for the graphs, which are recorded in the first run.
        """
        used = self.weights.used({part: choices[part].names for part in PARTS})
        numbers = write_numbers(batch, choices, self._sizes, self._capacity)
        self._numbers.copy_(on_device(torch.tensor(numbers), self._device))
        if self._memory is not None and not self.is_recorded:
            self.weights.load(used)
            self._record(self._memory)
        outputs = _Run.apply(self, used, below.hidden, below.z, *used.parameters)
        return outputs[0], tuple(self._routings(outputs[1:]))

    # ---- what the graphs hold

    def _forward(self) -> None:
        active = FixedActivations(self._numbers, self._names, self._sizes, self._capacity)
        batch = PackedBatch(EMPTY, EMPTY, None, (), (), ()).with_places(active.layout(), active)
        copies = {f"encoder.{leaf.name(self._names)}": leaf.tensor for leaf in self.weights.leaves}
        kind = self._device.type
        # nothing is cast once for several passes: a graph would never cast it again
        with torch.enable_grad(), torch.autocast(kind, enabled=self._autocast, cache_enabled=False):
            # a copy, since kernels of the backward pass that read the input itself would read what it was before
            z = None if self._z is None else self._z.clone()
            hidden, routings = functional_call(self._layers, copies, (self._x, batch, z))
        self._shapes = [routing.noisy is not None for routing in routings]
        self._outputs = [hidden, *(tensor for routing in routings for tensor in _tensors(routing))]

    def _differentiable(self) -> list[Tensor]:
        return [
            one
            for number, one in enumerate(self._outputs)
            if number == 0 or (self._routing_gradients and one.requires_grad)
        ]

    def _make_room(self) -> None:
        if self._gradients:
            return
        hidden, *others = self._differentiable()
        room = torch.zeros_like(hidden) if self._memory is None else self._room("gradient", hidden)
        self._gradients = [room, *map(torch.zeros_like, others)]

    def _room(self, name: str, like: Tensor) -> Tensor:
        assert self._memory is not None
        return self._memory.room(name, self._sizes.tokens, like)

    def _backward(self) -> None:
        inputs = [self._x] if self._z is None else [self._x, self._z]
        leaves = [leaf.tensor for leaf in self.weights.leaves]
        trained = [leaf for leaf in leaves if leaf.requires_grad]
        found = torch.autograd.grad(
            self._differentiable(), [*inputs, *trained], self._gradients, allow_unused=True, materialize_grads=True
        )
        self._input_gradients, of_trained = list(found[: len(inputs)]), iter(found[len(inputs) :])
        self.weights.keep([next(of_trained) if leaf.requires_grad else None for leaf in leaves])

    def _record(self, memory: GraphMemory) -> None:
        """Records both on a stream of their own; nothing is computed, but for what libraries do at their first call.

        Raises:
            torch.OutOfMemoryError: there is no room for what they compute in.
        """
        stream, current = memory.stream, torch.cuda.current_stream()
        stream.wait_stream(current)
        forward, backward = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            if not self.weights.warm:
                self._forward()
                self._make_room()
                self._backward()
                self.weights.warm = True
                memory.hidden = torch.empty_like(self._outputs[0][:0])
                torch.cuda.synchronize()
            x, hidden = self._room("gradient of the input", self._x), self._room("output", memory.hidden)
            with _recorded_in(forward, memory):
                self._forward()
                hidden.copy_(self._outputs[0].detach())
            self._make_room()
            with _recorded_in(backward, memory):
                self._backward()
                x.copy_(self._input_gradients[0])
        current.wait_stream(stream)
        # the graph of autograd would keep all activations, and each graph its own output and gradient
        self._outputs = [hidden, *(one.detach() for one in self._outputs[1:])]
        self._input_gradients[0] = x
        self._replay_forward, self._replay_backward = forward.replay, backward.replay
        self.is_recorded = True

    # ---- one pass

    def forward(self, x: Tensor, z: Tensor | None, used: Used) -> list[Tensor]:
        """Outputs for the N tokens of the pack whose numbers were written."""
        with torch.no_grad():
            self._x[: len(x)].copy_(x)
            if self._z is not None and z is not None:
                self._z[: len(z)].copy_(z)
        self.weights.load(used)
        self._replay_forward()
        self._make_room()
        self.under_way = True
        return [one.detach()[: len(x)] for one in self._outputs]

    def backward(self, gradients: Sequence[Tensor | None]) -> list[Tensor]:
        """Gradients of x [N, D] and, where there is one, of z; those of the weights are in their room."""
        given = [one for number, one in enumerate(gradients) if number == 0 or self._is_differentiable(number)]
        for room, gradient in zip(self._gradients, given, strict=True):
            if gradient is None:
                room.zero_()
            else:
                room[: len(gradient)].copy_(gradient)
                room[len(gradient) :].zero_()
        self.weights.make_way()
        self._replay_backward()
        self.under_way = False
        return self._input_gradients

    def _is_differentiable(self, number: int) -> bool:
        return self._routing_gradients and self._outputs[number].dtype != torch.int64

    def constants(self) -> list[int]:
        """The numbers of the outputs that have no gradient."""
        return [n for n in range(1, len(self._outputs)) if not self._is_differentiable(n)]

    def _routings(self, outputs: Sequence[Tensor]) -> list[Routing]:
        found, rest = [], list(outputs)
        for noisy in self._shapes:
            logits, experts, weights = rest[:3]
            found.append(Routing(logits, experts, weights, NoisyLogits(*rest[3:6]) if noisy else None))
            rest = rest[6 if noisy else 3 :]
        return found


@contextlib.contextmanager
def _recorded_in(graph: torch.cuda.CUDAGraph, memory: GraphMemory) -> Iterator[None]:
    """Records what is computed meanwhile; a recording that fails is ended, before which nothing else could run."""
    # other threads, such as one that moves batches to the device, may go on meanwhile
    graph.capture_begin(pool=memory.pool, capture_error_mode="thread_local")
    try:
        yield
    except BaseException:
        with contextlib.suppress(RuntimeError):  # it says that the recording is of no use
            graph.capture_end()
        raise
    graph.capture_end()


class _Layers(nn.Module):
    """What an encoder's ``run_layers`` gives, as a module of its own."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, x: Tensor, batch: PackedBatch, z: Tensor | None) -> tuple[Tensor, tuple[Routing, ...]]:
        return self.encoder.run_layers(x, batch, z)


def _tensors(routing: Routing) -> list[Tensor]:
    noisy = routing.noisy
    more = [] if noisy is None else [noisy.clean, noisy.deviation, noisy.values]
    return [routing.logits, routing.experts, routing.weights, *more]


class _Run(torch.autograd.Function):
    """A pass by a graph, as autograd sees it: from x, z and the parameters to the outputs."""

    @staticmethod
    def forward(
        ctx: Any, graph: LayersGraph, used: Used, x: Tensor, z: Tensor | None, *_: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.graph, ctx.used, ctx.sizes = graph, used, (len(x), None if z is None else len(z))
        outputs = graph.forward(x, z, used)
        ctx.mark_non_differentiable(*(outputs[number] for number in graph.constants()))
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        graph: LayersGraph = ctx.graph
        tokens, rows = ctx.sizes
        found = graph.backward(gradients)
        of_z = None if rows is None else found[1][:rows]
        return None, None, found[0][:tokens], of_z, *graph.weights.hand_out(ctx.used)
