"""One way in which corpora activate something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from skill_plugin.api import Model
from skill_plugin.nn.active_set import ActiveSet


@dataclass(frozen=True)
class Condition:
    """What corpora activate instead.

    Attributes:
        name: what a person is shown, and the key in JSON.
        active: what each corpus that is changed activates.
        impossible: why corpora that would be changed cannot be.
    """

    name: str
    active: Mapping[str, ActiveSet]
    impossible: Mapping[str, str] = field(default_factory=dict)


MakeConditions = Callable[[Model, Sequence[str]], Sequence[Condition]]
