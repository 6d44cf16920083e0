"""A training run of a sweep, and its commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.pipeline.fairseq_options import option_words
from skill_plugin.report.results import RESULTS
from skill_plugin.runs.fairseq import train_command
from skill_plugin.sweeps.axis import Axis, Choice
from skill_plugin.sweeps.options import CORPORA, DATA, ENCODER
from skill_plugin.sweeps.sweep_file import VALID


@dataclass(frozen=True, eq=False)  # one object is one run
class PlannedRun:
    """A run.

    Attributes:
        stage: its stage.
        point: what it has of each axis.
        seed: its seed.
        corpus: the one that it is trained on, where each is by itself.
        corpora: all that it is trained on, or scored on.
        folder: of its checkpoints, logs and results.
        words: options of ``fairseq-train`` by name, and the data folder.
        lines: of the sweep file, by option.
        scored: the file of its checkpoint that is scored, and that others start from.
        splits: that are scored.
        start: the run that it starts from; None: an encoder, or random weights.
    """

    stage: str
    point: tuple[tuple[Axis, Choice], ...]
    seed: int
    corpus: str | None
    corpora: tuple[str, ...]
    folder: Path
    words: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, int]
    scored: str
    splits: tuple[str, ...]
    start: PlannedRun | None = None

    @property
    def checkpoint(self) -> Path:
        return self.folder / self.scored

    @property
    def log(self) -> Path:
        """What its training says."""
        return self.folder / "train.log"

    @property
    def data(self) -> Path:
        """The data folder."""
        return Path(self.words[DATA][0])

    @property
    def inputs(self) -> dict[str, Path]:
        """Files on which its result depends, by option, beside the data and what another run made."""
        names = [CORPORA] if self.start is not None else [CORPORA, ENCODER]
        return {name: Path(self.words[name][0]) for name in names if name in self.words}

    def results(self, split: str) -> Path:
        """The scores of a split; the first one's file is the one that other programs look for."""
        return self.folder / (RESULTS if split == self.splits[0] else f"results.{split}.json")

    @property
    def choosing(self) -> Path:
        """The scores by which is chosen."""
        return self.results(VALID)

    @property
    def is_done(self) -> bool:
        """Whether all its scores are there: they are written whole or not at all."""
        return all(self.results(split).exists() for split in self.splits)

    def fairseq_words(self) -> list[str]:
        """What follows ``fairseq-train``, without the folder of the plugin."""
        return [str(self.data), *option_words({name: words for name, words in self.words.items() if name != DATA})]

    def train_command(self) -> list[str]:
        data, *options = self.fairseq_words()
        return train_command(data, options)

    def evaluate_command(self, split: str, device: str) -> list[str]:
        command = [sys.executable, "-m", "skill_plugin", "evaluate", str(self.checkpoint), str(self.data)]
        return [*command, "--split", split, "--device", device, "--json", str(self.results(split))]
