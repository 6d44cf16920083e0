"""A folder that was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skill_plugin.api import Model
from skill_plugin.export.exported import Exported


@dataclass(frozen=True)
class Written:
    """A folder that was written.

    Attributes:
        exported: runs it.
        parameters: how many it has.
        usage: how a person runs it, lines of Markdown for the card.
        notes: what a person should know, a sentence each.
        scored: makes the trained model one whose outputs are those of the folder, so that it can be scored on a split;
            None where that cannot be done.
    """

    exported: Exported
    parameters: int
    usage: str
    notes: tuple[str, ...] = ()
    scored: Callable[[Model], Model] | None = None
