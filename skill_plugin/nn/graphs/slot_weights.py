"""Copies of the weights that a graph computes with, in the type that it computes in, and room for their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.conditional.linear import ConditionalLinear
from skill_plugin.nn.graphs.pack_sizes import Capacity

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
        start: where it begins in the flat tensor of its type.
    """

    before: str
    after: str
    part: str | None
    slot: int
    tensor: Tensor
    start: int

    def name(self, names: Names) -> str | None:
        """The full name of the parameter that it is a copy of; None where the slot is empty."""
        if self.part is None:
            return self.before
        chosen = names[self.part]
        return f"{self.before}{chosen[self.slot]}{self.after}" if self.slot < len(chosen) else None


class Used:
    """What a pack uses of an encoder's parameters.

    Attributes:
        by_type: the same two lists for each type of copy; kernels for many tensors need them alike.

    Args:
        parameters: the parameters.
        copies: the copy of each.
    """

    def __init__(self, parameters: list[nn.Parameter], copies: list[Tensor]) -> None:
        self.parameters, self.copies = parameters, copies
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
        flats: of each type, the tensor that its copies are views of.
        gradients: of each type, room for the gradients, laid out the same.
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
            own.append(-(-parameter.numel() // ALIGNMENT) * ALIGNMENT)
        device = next(layers.parameters()).device
        self.flats = {type_: torch.zeros(sum(own), dtype=type_, device=device) for type_, own in self._sizes.items()}
        self.gradients = {type_: torch.zeros_like(flat) for type_, flat in self.flats.items()}
        self.leaves = [
            Leaf(before, after, part, slot, self._view(self.flats[type_], start, parameter), start)
            for (before, after, part, slot, parameter, type_), start in zip(found, starts, strict=True)
        ]
        self.warm = False

    def _view(self, flat: Tensor, start: int, parameter: nn.Parameter) -> Tensor:
        return (
            flat[start : start + parameter.numel()]
            .view(parameter.shape)
            .detach()
            .requires_grad_(parameter.requires_grad)
        )

    def used(self, names: Names) -> Used:
        """The parameters that belong in the slots for a pack with these names."""
        key = tuple(names.values())
        if key not in self._by_names:
            named = [
                (number, name) for number, leaf in enumerate(self.leaves) if (name := leaf.name(names)) is not None
            ]
            self._by_names[key] = Used(
                [self._parameters[name] for _, name in named], [self.leaves[number].tensor for number, _ in named]
            )
        return self._by_names[key]

    def load(self, used: Used) -> None:
        """Copies parameters into their slots."""
        with torch.no_grad():
            for parameters, copies in used.by_type.values():
                torch._foreach_copy_(copies, parameters)

    def keep(self, gradients: Sequence[Tensor | None]) -> None:
        """Copies the gradient of each leaf, None where it has none, into its room."""
        for type_, flat in self.gradients.items():
            room, given = [], []
            for leaf, gradient in zip(self.leaves, gradients, strict=True):
                if gradient is not None and leaf.tensor.dtype == type_:
                    room.append(flat[leaf.start : leaf.start + leaf.tensor.numel()].view(leaf.tensor.shape))
                    given.append(gradient)
            if room:
                torch._foreach_copy_(room, given)

    def take_gradients(self, used: Used) -> list[Tensor | None]:
        """The gradients of the parameters, float32, None for one that is not trained: views of one fresh tensor of each
        type."""
        pieces = {
            type_: iter(flat.to(torch.float32, copy=True).split(self._sizes[type_]))
            for type_, flat in self.gradients.items()
        }
        by_leaf = {id(leaf.tensor): next(pieces[leaf.tensor.dtype]) for leaf in self.leaves}
        found: list[Tensor | None] = []
        for parameter, copy in zip(used.parameters, used.copies, strict=True):
            piece = by_leaf[id(copy)]
            if not parameter.requires_grad:
                found.append(None)
            elif piece.numel() == copy.numel():
                found.append(piece.view(copy.shape))
            else:
                found.append(piece[: copy.numel()].view(copy.shape))
        return found


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
