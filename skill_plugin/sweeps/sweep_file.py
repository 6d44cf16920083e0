"""The sweep file: which runs there are, and what is made of them.

::

    corpora: corpora.yaml
    data: data-bin
    encoder: encoder.pt
    options: {arch: dense_small, max-update: 1000, warmup-updates: 10%, batch-size: 32}
    grid:
      sampling-alpha: [0, 0.5, 1]
      lr: [1e-5, 5e-5]
    seeds: [1, 2, 3]
    table: {rows: [sampling-alpha]}    # of the learning rates the best on valid

Paths are relative to the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.kinds.registry import is_cost_of_corpus
from skill_plugin.spec.averages import AVERAGE
from skill_plugin.sweeps.axis import Axis
from skill_plugin.sweeps.options import Options

VALID = "valid"
UPDATES = "updates"  # a plot's axis: scores in the course of runs
BEST, LAST, MEAN = "best", "last", "mean"

_LOWER_IS_BETTER = ("loss", "ece")  # what validation logs beside metrics, of all and of each corpus


@dataclass(frozen=True)
class Stage:
    """Runs of one kind; a file without stages has one, without a name.

    Attributes:
        name: of the stage.
        options: of its runs, beside those of the file.
        axes: what its runs differ in, beside what all runs do.
        each: whether each corpus is trained by itself: True for all that can be, or their names.
        start: the stage whose runs they start from; None: the encoder.
        checkpoint: ``best`` or ``last``: which is scored, and started from.
        line: where it is written.
    """

    name: str = ""
    options: Options = dataclasses.field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    each: bool | tuple[str, ...] = False
    start: str | None = None
    checkpoint: str = BEST
    line: int | None = None


@dataclass(frozen=True)
class TableLayout:
    """What the table shows.

    Attributes:
        rows: axes that make rows, as stages do; of the others the best on valid is shown. None: all.
        columns: corpora, in order; None: all.
        small: corpora of a column with their mean.
        by_language: whether columns are languages.
        seeds: ``mean`` over seeds, or the ``best`` of them on valid.
        baseline: the row that the others are compared with.
        theirs: a file of what is published of the rows.
        entries: corpus -> further metrics in a column of the standard deviation over entries; None: no such column.
        data_used: whether there is a column of the share of training examples that were trained on.
        lines: of the file, by key.
    """

    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    small: tuple[str, ...] = ()
    by_language: bool = False
    seeds: str = MEAN
    baseline: str = ""
    theirs: Path | None = None
    entries: dict[str, tuple[str, ...]] | None = None
    data_used: bool = False
    lines: Mapping[str | int, int] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class SweepFile:
    """A sweep.

    Attributes:
        path: of the file.
        folder: where runs and tables go, unless the command says otherwise.
        options: of all runs, inputs among them.
        axes: what runs of all stages differ in.
        stages: at least one, each behind the one that it starts from.
        seeds: of each run.
        choose: the name of the score on valid by which checkpoints and options are chosen.
        evaluate: splits that are scored.
        discard: stages whose checkpoints are deleted once no run needs them.
        table: what the table shows.
        plot: the axis along which the plot goes; None: the first of several values.
    """

    path: Path
    folder: Path
    options: Options
    axes: tuple[Axis, ...]
    stages: tuple[Stage, ...]
    seeds: tuple[int, ...] = (1,)
    choose: str = AVERAGE
    evaluate: tuple[str, ...] = (VALID,)
    discard: frozenset[str] = frozenset()
    table: TableLayout = dataclasses.field(default_factory=TableLayout)
    plot: str | None = None

    @property
    def chooses_lowest(self) -> bool:
        """Whether the lowest value of ``choose`` is the best."""
        return self.choose.rpartition("_")[2] in _LOWER_IS_BETTER or is_cost_of_corpus(self.choose)

    def axes_of(self, stage: Stage) -> tuple[Axis, ...]:
        """All that runs of a stage differ in."""
        before = self.axes if stage.start is None else self.axes_of(self.stage(stage.start))
        return (*before, *stage.axes)

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)
