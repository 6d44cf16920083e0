"""The corpora of an update and their losses, for a run that has to end there."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


class UpdateLosses:
    """What the criterion logged of each pack of the update at hand; nothing is waited for until somebody asks.

    Args:
        names: names of the run's K corpora.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._update = -1
        self._packs: list[tuple[Tensor, Tensor]] = []  # losses [K] and numbers of segments [K]

    def add(self, update: int, logged: dict[str, Any]) -> None:
        """Takes note of a pack, the logging output of a training step."""
        if update != self._update:
            self._update, self._packs = update, []
        self._packs.append((logged["corpus_loss"], logged["corpus_segments"]))

    def line(self) -> str:
        """``nli-en nan, reviews-de 0.693``: the mean loss of each corpus's segments, over all ranks, before scaling."""
        if not self._packs:
            return "of no corpus"
        device = self._packs[0][0].device
        both = torch.stack([torch.stack((loss.double(), n.to(device).double())) for loss, n in self._packs]).sum(0)
        if dist.is_initialized():
            dist.all_reduce(both)
        losses, segments = both.tolist()
        drawn = [(name, loss / n) for name, loss, n in zip(self.names, losses, segments, strict=True) if n]
        return ", ".join(f"{name} {loss:.4g}" for name, loss in drawn)
