"""What the weights of a model started from, as its checkpoints remember it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from skill_plugin.files.validated import validate
from skill_plugin.variants.parameter_names import GROUPS, group_of

# how a parameter starts
TAKEN = "taken"  # as the file has it under the same name
COPIED = "copied"  # as the file has it under the name of a plain encoder, or of another gate or head
AVERAGED = "averaged"  # as the mean of several of the file's
FRESH = "fresh"  # random
WAYS = (TAKEN, COPIED, AVERAGED, FRESH)

# numbers of layers, of experts and of the skip path's bottlenecks
_NUMBER = re.compile(r"\.layers\.\d+|(?<=\.experts)\.\d+|(?<=\.bottlenecks)\.\d+")
_MAP = re.compile(r"\.(fc1|fc2|qkv|dense|out_proj|norm)$")


@dataclass(frozen=True)
class Origin:
    """Where ``--init-from`` found the weights of a new model.

    Attributes:
        file: the encoder or checkpoint.
        groups: group of parameters -> way in which they start -> names of modules, without numbers of layers and
            experts.
        left: modules of the file that the model has no use for.
        lines: the same for a person, and what it says besides.
        before: what the file's own weights started from, where it is a checkpoint that knows.
    """

    file: str
    groups: Mapping[str, Mapping[str, list[str]]]
    left: list[str]
    lines: list[str]
    before: Origin | None = None

    def chain(self) -> list[Origin]:
        """This one, and what came before, the latest first."""
        return [self, *(self.before.chain() if self.before is not None else [])]

    def to_json(self) -> list[dict[str, Any]]:
        """The whole chain as plain values."""
        return [
            {"file": one.file, "groups": {group: dict(ways) for group, ways in one.groups.items()}, "left": one.left}
            for one in self.chain()
        ]

    def to_state(self) -> dict[str, Any]:
        """Plain values, so that a checkpoint loads with weights_only=True."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any] | None) -> Origin | None:
        """What ``to_state`` gave; None for None.

        Raises:
            InputError: not as it was written.
        """
        return None if state is None else validate(cls, state, None)


def group_modules(ways: Mapping[str, Iterable[str]], divided: Collection[str] = ()) -> dict[str, dict[str, list[str]]]:
    """``Origin.groups`` from the names of parameters that start in each way; ``divided`` as for ``list_modules``."""
    groups: dict[str, dict[str, list[str]]] = {}
    for group in GROUPS:
        for way, names in ways.items():
            if found := list_modules([name for name in names if group_of(name) == group], divided):
                groups.setdefault(group, {})[way] = found
    return groups


def list_modules(names: Collection[str], divided: Collection[str] = ()) -> list[str]:
    """The modules that parameters belong to, without their numbers.

    Args:
        names: names of parameters.
        divided: parameters of heads whose maps start in different ways, so that each map is named.
    """
    found = {(_NUMBER.sub("", name.rsplit(".", 1)[0]), name in divided) for name in names}
    return sorted({module if whole else _MAP.sub("", module) for module, whole in found})
