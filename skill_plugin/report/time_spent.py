"""Where the time of a training run went, and what to change where writing checkpoints took too much of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from skill_plugin.report.duration import show_duration

_TOO_MUCH = 1 / 3  # of the time
_LITTLE = 10  # seconds, of which nobody need be told


@dataclass(frozen=True)
class TimeSpent:
    """Seconds of a run, or of a part of one between a start and a stop; together they are all of its time.

    Attributes:
        training: updates, and reading what they train on.
        validation: validations.
        checkpoints: writing checkpoints, and deleting old ones.
    """

    training: float
    validation: float
    checkpoints: float

    @classmethod
    def of_end(cls, end: Mapping[str, Any]) -> TimeSpent | None:
        """What the ``end`` of a run's log says; None for a log that was written before it did."""
        spent = end.get("spent")
        return None if spent is None else cls(**{name: float(spent[name]) for name in cls.__dataclass_fields__})

    def to_line(self) -> dict[str, float]:
        """As ``of_end`` reads it."""
        return {name: round(seconds, 2) for name, seconds in asdict(self).items()}

    def shown(self) -> str:
        """As a person says it.

        >>> TimeSpent(training=61, validation=4.2, checkpoints=600).shown()
        'training 1 min 1 s, validation 4 s, writing checkpoints 10 min'
        """
        training, validation, checkpoints = map(show_duration, (self.training, self.validation, self.checkpoints))
        return f"training {training}, validation {validation}, writing checkpoints {checkpoints}"

    def advice(self, settings: Mapping[str, Any]) -> str | None:
        """What would have made a run shorter whose checkpoints took more than a third of its time; else None.

        Args:
            settings: the run's options, as the ``start`` of its log has them.
        """
        whole = self.training + self.validation + self.checkpoints
        ways = _ways(settings)
        if self.checkpoints < max(_LITTLE, _TOO_MUCH * whole) or not ways:
            return None
        return f"writing checkpoints took more than a third of the time; less is written {', or '.join(ways)}"


def _ways(settings: Mapping[str, Any]) -> list[str]:
    """Options by which a run writes less, what each costs, and which belong together.

    fairseq chooses the best checkpoint among validations at which it saves, while ``--patience`` counts all: so both
    intervals are changed together.
    """
    validates = not settings["disable_validation"]
    by_updates, by_epochs = settings["save_interval_updates"], settings["save_interval"]
    ways = []
    if not settings["no_epoch_checkpoints"]:
        ways.append("with --no-epoch-checkpoints, without a file for every epoch")
    if by_updates and settings["keep_interval_updates"]:
        ways.append("with --keep-interval-updates 0, without a numbered file at every interval")
    if by_updates:
        both = " and --validate-interval-updates" if settings["validate_interval_updates"] else ""
        ways.append(f"with a larger --save-interval-updates{both}")
    if by_epochs < (settings["max_epoch"] or float("inf")):
        both = " --validate-interval N" if validates else ""
        divides = ", where N divides --max-epoch" if settings["max_epoch"] else ""  # its end is not saved otherwise
        ways.append(f"with --save-interval N{both}, after every N-th epoch only{divides}")
    if validates and not (by_updates or settings["no_last_checkpoints"] or settings["keep_best_per_corpus"]):
        ways.append(
            "with --no-last-checkpoints --no-save-optimizer-state, the best only, and a run that is stopped begins anew"
        )
    return ways
