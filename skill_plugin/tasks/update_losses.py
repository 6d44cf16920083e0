"""The corpora of an update and their losses, for a run that has to end there or right after."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


class UpdateLosses:
    """What the criterion logged of each pack of the last two updates; nothing is waited for until somebody asks.

    Args:
        names: names of the run's K corpora.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._packs: dict[int, list[tuple[Tensor, Tensor]]] = {}  # losses [K] and numbers of segments [K]

    def add(self, update: int, logged: dict[str, Any]) -> None:
        """Takes note of a pack, the logging output of a training step."""
        self._packs = {number: packs for number, packs in self._packs.items() if number in (update - 1, update)}
        self._packs.setdefault(update, []).append((logged["corpus_loss"], logged["corpus_segments"]))

    def line(self, update: int) -> str:
        """``nli-en nan, reviews-de 0.693``: the mean loss of each corpus's segments, over all ranks, before scaling.

        Args:
            update: number of the update, from 0.
        """
        packs = self._packs.get(update)
        if not packs:
            return "of no corpus"
        device = packs[0][0].device
        both = torch.stack([torch.stack((loss.double(), n.to(device).double())) for loss, n in packs]).sum(0)
        if dist.is_initialized():
            dist.all_reduce(both)
        losses, segments = both.tolist()
        drawn = [(name, loss / n) for name, loss, n in zip(self.names, losses, segments, strict=True) if n]
        return ", ".join(f"{name} {loss:.4g}" for name, loss in drawn)
