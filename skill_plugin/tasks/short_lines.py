"""A run's numbers in lines that a person reads at a glance; ``log.jsonl`` has all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from fairseq.logging.progress_bar import BaseProgressBar, logger, rename_logger

from skill_plugin.errors import counted
from skill_plugin.report.duration import show_duration
from skill_plugin.tasks.run_length import updates_of_run

_WIDTH = 100  # of a line without its time, level and name


class ShortLines(BaseProgressBar):
    """Where fairseq would print every number in one line; takes them by the names that ``log.jsonl`` has.

    Args:
        iterable: the updates of an epoch, or the batches of a validation.
        epoch: counted from 1.
        cfg: fairseq's whole configuration.
    """

    def __init__(self, iterable: Any, epoch: int, cfg: Any) -> None:
        super().__init__(iterable, epoch)
        self._cfg, self._done = cfg, self.n

    def __iter__(self) -> Iterator[Any]:
        for item in self.iterable:
            self._done += 1
            yield item

    def log(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """The updates since the last line."""
        update = int(step or 0)
        last = updates_of_run(self._cfg, update, self.epoch, self._done, len(self))
        said = [f"{name} {stats[name]:.4g}" for name in ("loss", "lr") if name in stats]
        if speed := stats.get("ups"):
            said.append(f"{speed:.3g} updates/s")
            if last is not None:
                said.append(f"{show_duration((last - update) / speed)} left")
        of = "" if last is None else f" of {last:,}"
        self._say(tag, f"update {update:,}{of}, epoch {self.epoch}: {', '.join(said)}")

    def print(self, stats: Mapping[str, Any], tag: str | None = None, step: int | None = None) -> None:
        """An epoch, or a validation with the score of each corpus."""
        update, chosen = int(step or 0), self._cfg.checkpoint.best_checkpoint_metric
        of_corpora = {name.split("/", 1)[1] for name in stats if "/" in name}
        scores = of_corpora - {"loss", "kl", "ece"} - {name for name in of_corpora if name.startswith("best_")}
        said = [f"{name} {stats[name]:.4g}" for name in dict.fromkeys([chosen, "avg", "loss"]) if name in stats]
        if (best := stats.get(f"best_{chosen}")) is not None:
            said.insert(1, f"best {best:.4g}")
        if tag == "train":
            self._say(tag, f"end of epoch {self.epoch}, {counted(update, 'update')}: {', '.join(said)}")
            return
        self._say(tag, f"{counted(update, 'update')}: {', '.join(said)}")
        found = [name.replace("/", " ") + f" {stats[name]:.4g}" for name in stats if name.split("/")[-1] in scores]
        for line in textwrap.wrap(", ".join(found), _WIDTH, break_on_hyphens=False):
            self._say(tag, line)

    def _say(self, tag: str | None, line: str) -> None:
        with rename_logger(logger, tag):
            logger.info(line)
