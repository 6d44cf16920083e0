"""A folder that was written."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.export.parity import Exported


@dataclass(frozen=True)
class Written:
    """A folder that was written.

    Attributes:
        exported: runs it.
        parameters: how many it has.
        usage: how a person runs it, lines of Markdown for the card.
        notes: what a person should know, a sentence each.
    """

    exported: Exported
    parameters: int
    usage: str
    notes: tuple[str, ...] = ()
