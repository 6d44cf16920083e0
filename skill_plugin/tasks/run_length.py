"""How many updates a run will make, as far as its options say."""

from __future__ import annotations

from typing import Any


def updates_of_run(cfg: Any, update: int, epoch: int, done: int, length: int) -> int | None:
    """The number of updates after which a run ends at the latest; None where only its scores decide.

    Later epochs are taken to be as long as this one.

    Args:
        cfg: fairseq's whole configuration.
        update: number of updates made.
        epoch: number of the epoch, from 1.
        done, length: updates of the epoch that are made, and all of them.
    """
    by_option = [cfg.optimization.max_update] if cfg.optimization.max_update else []
    if cfg.optimization.max_epoch:
        by_option.append(update + length - done + max(0, cfg.optimization.max_epoch - epoch) * length)
    return min(by_option, default=None)
