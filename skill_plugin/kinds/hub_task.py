"""How a model of the library transformers answers for a corpus: which class, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class HubHead(Enum):
    """The heads of transformers that have a counterpart here, by the end of their class's name."""

    SEQUENCE = "ForSequenceClassification"
    CHOICE = "ForMultipleChoice"
    TOKENS = "ForTokenClassification"
    SPAN = "ForQuestionAnswering"
    MASKED = "ForMaskedLM"


@dataclass(frozen=True)
class HubTask:
    """What an exported model must know of its corpus.

    Attributes:
        head: which class.
        labels: names of its outputs; empty where they are not classes.
        problem: ``problem_type`` of its config, where there are several.
        unit, zero: what its outputs are multiplied by, and what is added then.
        script: a file of ``kinds/<kind>/`` that goes along and makes answers of its outputs; none where they are it.
        settings: what the script must know.
        notes: what a person should know, a sentence each.
    """

    head: HubHead
    labels: tuple[str, ...] = ()
    problem: str = ""
    unit: float = 1.0
    zero: float = 0.0
    script: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
