"""Named settings of training: those of the papers, and what suits data and machine.

A preset is a file of ``presets/``: a configuration for ``fairseq-hydra-train``, in which ``???`` stands for what a run
decides (paths, and what follows from the data). ``skill-plugin train`` and the recipes of ``examples/`` take it from
there too, as options of ``fairseq-train``: ``python -m skill_plugin.pipeline.preset NAME`` prints them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from skill_plugin.errors import InputError, nearest
from skill_plugin.options.flag import flag_of
from skill_plugin.pipeline.fairseq_options import Options, option_words

FOLDER = Path(__file__).parent / "presets"
PAPER = "paper:"  # before the names of those that are published
DEFAULT = "standard"
_OPEN = "???"
_OF_ITS_OWN_FILE = "only_corpora"  # names that no other corpora file has
_CHOSEN_BY = {"model": "arch"}  # the others by the name of the group


@dataclass(frozen=True)
class Budget:
    """How much a run trains, where that follows from the data.

    Attributes:
        passes: over a small corpus, and over a large one; in between it falls with the root of the number of rows.
        updates: the fewest and the most.
    """

    passes: tuple[float, float]
    updates: tuple[int, int]


@dataclass(frozen=True)
class Preset:
    """One of them.

    Attributes:
        name: as it is given.
        variant: of the architecture.
        options: of ``fairseq-train``, without those that a run decides.
        budget: how much it trains; None where ``options`` say so.
    """

    name: str
    variant: str
    options: Options
    budget: Budget | None


def preset_names() -> list[str]:
    """All of them, the default first."""
    found = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    own = [name for name in found if "budget" in _content(name)]
    own.sort(key=lambda name: (name != DEFAULT, name))
    return own + [PAPER + name for name in found if name not in own]


def read_preset(name: str) -> Preset:
    """The preset of a name.

    Raises:
        InputError: there is none.
    """
    if name not in preset_names():
        raise InputError(f"--preset {name}: there is none{nearest(name, preset_names())}")
    content = _content(name.removeprefix(PAPER))
    budget = content.pop("budget", None)
    options: Options = {}
    for group, values in content.items():
        for key, value in values.items():
            if value != _OPEN and value is not False and key != _OF_ITS_OWN_FILE:
                options[flag_of(_CHOSEN_BY.get(group, group) if key == "_name" else key)] = _words(value)
    (architecture,) = options.pop("--arch")
    variant = architecture.rpartition("_")[0]
    return Preset(name, variant, options, None if budget is None else _budget(budget))


def _content(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return content


def _words(value: Any) -> tuple[str, ...]:
    if value is True:
        return ()
    return (",".join(map(str, value)) if isinstance(value, list) else str(value),)


def _budget(values: Mapping[str, Any]) -> Budget:
    return Budget(tuple(values["passes"]), tuple(values["updates"]))


if __name__ == "__main__":
    sys.stdout.write(f"{' '.join(option_words(read_preset(sys.argv[1]).options))}\n")
