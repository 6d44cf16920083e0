"""How an exported model answers for a corpus: what its head reads, and what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


class ExportHead(Enum):
    """The heads of exported models, by what they read and give."""

    SEQUENCE = auto()  # the first token: labels of the sequence, or a score
    CHOICE = auto()  # the first token: one score, which is compared with those of other sequences
    TOKENS = auto()  # every token: labels of each
    SPAN = auto()  # every token: whether an answer begins and ends there
    MASKED = auto()  # masks: which piece stood there
    WORDS = auto()  # the first token and the first ones of two words, side by side: labels of the sequence


@dataclass(frozen=True)
class ExportScript:
    """A script of a kind, which makes sequences of texts and answers of outputs.

    Its function is the one that ``export/onnx/run.py`` calls for the head: ``answer``, ``rank``, ``tag`` or ``fill``,
    which give an answer and the logits.

    Attributes:
        path: its file, which goes along with an exported model as ``decode.py``.
        call: how its function is called, an example for the card.
        needs: what it imports beside what runs the model.
    """

    path: Path
    call: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportTask:
    """What an exported model must know of its corpus.

    Attributes:
        head: what its head reads.
        labels: names of its outputs; empty where they are not classes.
        problem: what the outputs of ``SEQUENCE`` are, as transformers' ``problem_type`` names it.
        unit, zero: what its outputs are multiplied by, and what is added then.
        script: goes along; None where the texts of a row are joined, and the outputs are its answer, as only heads that
            read the first token have it.
        settings: what the script must know.
        notes: what a person should know, a sentence each.
        thresholds: probabilities above which each label is given, where each is given by itself; empty where the
            likeliest one is the answer.
        agreement: of a row's outputs [U, C] and another model's, how many decisions are the same, and how many there
            are; None where each unit's likeliest output, or the sign of its only one, is a decision.
    """

    head: ExportHead
    labels: tuple[str, ...] = ()
    problem: str = ""
    unit: float = 1.0
    zero: float = 0.0
    script: ExportScript | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = ()
    agreement: Callable[[Tensor, Tensor], tuple[int, int]] | None = None

    def last_map(self, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Weight [C, D] and bias [C] of the last map, which gives what the corpus asks for, from those as trained."""
        return weight * self.unit, bias * self.unit + self.zero

    def as_trained(self, outputs: Tensor) -> Tensor:
        """Outputs of an exported model [U, C] as the trained model's head gives them, float32."""
        return (outputs.float() - self.zero) / self.unit
