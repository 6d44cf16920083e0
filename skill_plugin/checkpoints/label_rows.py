"""The rows of a trained head's last map, by their labels, where a new run has other labels or another order of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.nn.heads.head_spec import HeadSpec


@dataclass(frozen=True)
class LabelRows:
    """The labels of a head of a checkpoint, and of the head of the same name of a new run.

    Attributes:
        old, new: in the order of their ids.
    """

    old: Sequence[str]
    new: Sequence[str]

    @property
    def kept(self) -> dict[int, int]:
        """Row of the new head -> row of the old one."""
        return {row: self.old.index(label) for row, label in enumerate(self.new) if label in self.old}

    def to_line(self, head: str) -> str:
        """For a person."""
        parts = {
            "keeps the rows of": [label for label in self.new if label in self.old],
            "fresh rows": [label for label in self.new if label not in self.old],
            "left in the file": [label for label in self.old if label not in self.new],
        }
        told = "; ".join(
            f"{what}{':' * (what != 'keeps the rows of')} {', '.join(l)}" for what, l in parts.items() if l
        )
        return f"heads: {head} {told}"


def find_label_rows(bundle: Bundle, trained: Bundle) -> dict[str, LabelRows]:
    """The heads that both have, whose rows are labels, and not the same ones in the same order.

    Args:
        bundle: bundle of the new run.
        trained: bundle of the checkpoint.
    """
    ours, theirs = _labels_of_heads(bundle), _labels_of_heads(trained)
    return {
        head: LabelRows(theirs[head], labels)
        for head, labels in ours.items()
        if head in theirs and theirs[head] != labels
    }


def _labels_of_heads(bundle: Bundle) -> Mapping[str, tuple[str, ...]]:
    heads: Mapping[str, HeadSpec] = bundle.heads()
    return {
        bundle.corpus(name).head: labels
        for name, labels in bundle.labels.items()
        if labels and (head := heads.get(bundle.corpus(name).head)) is not None and head.outputs == len(labels)
    }
