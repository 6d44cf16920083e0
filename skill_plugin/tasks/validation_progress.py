"""How far a validation is, where no progress bar shows it."""

from __future__ import annotations

import logging
import sys
from typing import Any

from skill_plugin.errors import counted

logger = logging.getLogger(__name__)


class ValidationProgress:
    """A line every ``--log-interval`` batches; fairseq says nothing from the first batch of a split to its last.

    Args:
        split: name of the split that is validated on.
        batches: number of batches of this rank.
        interval: batches from one line to the next; 0 for no lines.
    """

    def __init__(self, split: str, batches: int, interval: int) -> None:
        self.split, self.batches, self.interval = split, batches, interval
        self._done = 0

    def step(self) -> None:
        """A batch is done."""
        self._done += 1
        if self.interval and self._done % self.interval == 0 and self._done < self.batches:
            logger.info(f"validation on {self.split!r}: {self._done:,} of {counted(self.batches, 'batch', 'batches')}")


def line_interval(cfg: Any) -> int:
    """Batches from one line to the next; 0 where fairseq shows a bar.

    Args:
        cfg: with ``log_interval``, ``log_format`` and ``no_progress_bar``.
    """
    bar = cfg.log_format == "tqdm" or (cfg.log_format is None and not cfg.no_progress_bar)
    return 0 if bar and sys.stderr.isatty() else int(cfg.log_interval)
