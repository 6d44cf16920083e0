"""The hidden states that a head reads."""

from __future__ import annotations

from torch import Tensor


def states_at(hidden: Tensor, units: Tensor | None) -> Tensor:
    """The states that each unit is read from, side by side.

    Args:
        hidden: [N, D]; without units what is returned.
        units: flat positions [U], or [U, tokens].

    Returns:
        [U, D], or [U, tokens D].
    """
    if units is None:
        return hidden
    # not hidden[units], whose gradient sorts the positions on a GPU
    return side_by_side(hidden.index_select(0, units.flatten()), units)


def side_by_side(states: Tensor, units: Tensor) -> Tensor:
    """The states at all positions of some units, one after the other, as those of each unit: see ``states_at``."""
    tokens = units.shape[1] if units.dim() == 2 else 1
    return states.view(len(states) // tokens, tokens * states.shape[1])
