"""Copies of the weights that a graph computes with, in the type that it computes in, and room for their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.conditional.linear import ConditionalLinear
from skill_plugin.nn.graphs.pack_sizes import Capacity, round_up

ALIGNMENT = 16  # elements: products need rows to begin at multiples of 16 bytes

Names = dict[str, tuple[str, ...]]  # of each part of an active set, the names whose modules are in its slots


@dataclass(frozen=True)
class Leaf:
    """A parameter of the layers, or of what is in one slot of a bank.

    Attributes:
        before, after: its name, or what comes before and after the name of the module in the slot.
        part: the part of an active set that names what is in the slot; None where there is none.
        slot: number of the slot.
        tensor: the copy.
    """

    before: str
    after: str
    part: str | None
    slot: int
    tensor: Tensor

    def name(self, names: Names) -> str | None:
        """The full name of the parameter that it is a copy of; None where the slot is empty."""
        if self.part is None:
            return self.before
        chosen = names[self.part]
        return f"{self.before}{chosen[self.slot]}{self.after}" if self.slot < len(chosen) else None


class Used:
    """What a pack uses of an encoder's parameters.

    Attributes:
        by_type: parameters and copies for each type of copy; kernels for many tensors need them alike.

    Args:
        numbers: the numbers of leaves.
        parameters: the parameter that belongs in each.
        copies: the copy of each.
    """

    def __init__(self, numbers: list[int], parameters: list[nn.Parameter], copies: list[Tensor]) -> None:
        self.numbers, self.parameters = numbers, parameters
        self.by_type: dict[torch.dtype, tuple[list[Tensor], list[Tensor]]] = {}
        for parameter, copy in zip(parameters, copies, strict=True):
            own = self.by_type.setdefault(copy.dtype, ([], []))
            own[0].append(parameter)
            own[1].append(copy)


class SlotWeights:
    """Copies of all parameters that the layers of one pack can need.

    A bank has as many slots as a pack has different names, whichever of the bank's modules they are of. What is alike
    in the slots of a bank lies side by side, as grouped products want it.

    Attributes:
        leaves: the copies.
        gradients: room for the gradients of all leaves, float32.
        warm: whether the layers have run with them, and libraries are set up.

    Args:
        layers: the module that a graph runs.
        skipped: names of children that it does not run.
        capacity: number of slots by part.
        dtype: of linear maps; what is computed in float32 stays so.
    """

    def __init__(self, layers: nn.Module, skipped: Sequence[str], capacity: Capacity, dtype: torch.dtype) -> None:
        self._parameters = dict(layers.named_parameters())
        self._by_names: dict[tuple[tuple[str, ...], ...], Used] = {}
        found = [
            (before, after, part, slot, parameter, dtype if linear else parameter.dtype)
            for before, after, part, slot, parameter, linear in _walk(layers, "", capacity, skipped)
        ]
        self._sizes: dict[torch.dtype, list[int]] = {}
        starts = []
        for *_, parameter, type_ in found:
            own = self._sizes.setdefault(type_, [])
            starts.append(sum(own))
            own.append(round_up(parameter.numel(), ALIGNMENT))
        device = next(layers.parameters()).device
        flats = {type_: torch.zeros(sum(own), dtype=type_, device=device) for type_, own in self._sizes.items()}
        self.leaves = [
            Leaf(before, after, part, slot, _view(flats[type_], start, parameter))
            for (before, after, part, slot, parameter, type_), start in zip(found, starts, strict=True)
        ]
        sizes = [round_up(leaf.tensor.numel(), ALIGNMENT) for leaf in self.leaves]
        self.gradients = torch.zeros(sum(sizes), device=device)
        self._room = [
            _shaped(part, leaf.tensor) for part, leaf in zip(self.gradients.split(sizes), self.leaves, strict=True)
        ]
        self._handed_out: Used | None = None
        self.warm = False

    def used(self, names: Names) -> Used:
        """The parameters that belong in the slots for a pack with these names."""
        key = tuple(names.values())
        if key not in self._by_names:
            named = [
                (number, name) for number, leaf in enumerate(self.leaves) if (name := leaf.name(names)) is not None
            ]
            numbers = [number for number, _ in named]
            parameters = [self._parameters[name] for _, name in named]
            self._by_names[key] = Used(numbers, parameters, [self.leaves[number].tensor for number in numbers])
        return self._by_names[key]

    def load(self, used: Used) -> None:
        """Copies parameters into their slots."""
        with torch.no_grad():
            for parameters, copies in used.by_type.values():
                torch._foreach_copy_(copies, parameters)

    def keep(self, gradients: Sequence[Tensor | None]) -> None:
        """Copies the gradient of each leaf, None where it has none, into its room."""
        types = {gradient.dtype for gradient in gradients if gradient is not None}
        for type_ in types:
            pairs = [
                (room, gradient)
                for room, gradient in zip(self._room, gradients, strict=True)
                if gradient is not None and gradient.dtype == type_
            ]
            torch._foreach_copy_([room for room, _ in pairs], [gradient for _, gradient in pairs])

    def make_way(self) -> None:
        """Called before gradients are written: those that were handed out and are still kept move elsewhere."""
        if self._handed_out is None:
            return
        ours = self.gradients.untyped_storage().data_ptr()
        kept = [
            (parameter, parameter.grad)
            for parameter in self._handed_out.parameters
            if parameter.grad is not None and parameter.grad.untyped_storage().data_ptr() == ours
        ]
        if kept:
            for (parameter, _), moved in zip(kept, torch._foreach_add([grad for _, grad in kept], 0.0), strict=True):
                parameter.grad = moved
        self._handed_out = None

    def hand_out(self, used: Used) -> list[Tensor | None]:
        """The gradients of the parameters, float32, None for one that is not trained, until others are written."""
        self._handed_out = used
        return [
            self._room[number].detach() if parameter.requires_grad else None
            for number, parameter in zip(used.numbers, used.parameters, strict=True)
        ]


def _view(flat: Tensor, start: int, parameter: nn.Parameter) -> Tensor:
    """The copy of a parameter, a part of a flat tensor."""
    return _shaped(flat[start:], parameter).detach().requires_grad_(parameter.requires_grad)


def _shaped(flat: Tensor, like: Tensor) -> Tensor:
    """The beginning of a flat tensor, in the shape of another."""
    return flat[: like.numel()].view(like.shape)


_Found = tuple[str, str, str | None, int, nn.Parameter, bool]


def _walk(module: nn.Module, prefix: str, capacity: Capacity, skipped: Sequence[str]) -> Iterator[_Found]:
    """What ``Leaf`` says of each parameter, the parameter or one of its shape, and whether a linear map has it."""
    if isinstance(module, Bank) and len(module):
        yield from _walk_bank(module, prefix, capacity)
        return
    linear = isinstance(module, nn.Linear | ConditionalLinear)
    for name, parameter in module.named_parameters(recurse=False):
        yield f"{prefix}{name}", "", None, 0, parameter, linear
    for name, child in module.named_children():
        if name not in skipped:
            yield from _walk(child, f"{prefix}{name}.", capacity, ())


def _walk_bank(bank: Bank, prefix: str, capacity: Capacity) -> Iterator[_Found]:
    first = next(iter(bank.values()))
    owners = {id(own): isinstance(one, nn.Linear) for one in first.modules() for own in one.parameters(recurse=False)}
    for name, parameter in first.named_parameters():
        linear = owners[id(parameter)]
        if bank.chosen_by is None:
            for key, own in bank.items():
                yield f"{prefix}{key}.{name}", "", None, 0, own.get_parameter(name), linear
        else:
            for slot in range(min(capacity.of(bank.chosen_by), len(bank))):
                yield prefix, f".{name}", bank.chosen_by, slot, parameter, linear
