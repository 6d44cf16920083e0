"""What is known of a run from the files of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import parse_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.report.join_results import join_results
from skill_plugin.report.page.history import History
from skill_plugin.report.results import RESULTS, Results
from skill_plugin.report.run_folder import run_name
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.weights.torch_file import CHECKPOINTS, load_torch_file
from skill_plugin.weights.undamaged import damage_named


@dataclass(frozen=True)
class CheckpointSummary:
    """What a checkpoint says beside its weights.

    Attributes:
        bundle: structure and corpora.
        shares: what was trained on; None where it does not say.
        settings: all options of the run by the name of their group (``task``, ``optimization``, …).
        updates: how many the run had made when it was saved; None where it does not say.
        seconds: how long the run had trained by then; None where it does not say.
    """

    bundle: Bundle
    shares: TrainingShares | None
    settings: Mapping[str, Mapping[str, Any]]
    updates: int | None
    seconds: float | None

    @classmethod
    def read(cls, file: Path) -> CheckpointSummary:
        """Of a checkpoint.

        Raises:
            InputError: it is missing, damaged, or not one of this plugin.
        """
        content = load_torch_file(file)
        checkpoint = parse_checkpoint(content, file)
        with damage_named(file):
            settings = content.get("cfg") or {}
            history, extra = content.get("optimizer_history") or [{}], content.get("extra_state") or {}
            return cls(
                checkpoint.bundle,
                checkpoint.shares,
                {group: dict(options) for group, options in settings.items() if isinstance(options, Mapping)},
                history[-1].get("num_updates"),
                extra.get("previous_training_time"),
            )


@dataclass(frozen=True)
class ReportedRun:
    """A run of the report.

    Attributes:
        path: as it was named.
        folder: where its files lie.
        checkpoint: its checkpoint; None where there is none, as with results alone.
        results: what it scored; None where that is not known.
        model: what the checkpoint says; None without one.
        history: what the run logged; None where there is no log.
    """

    path: Path
    folder: Path
    checkpoint: Path | None = None
    results: Results | None = None
    model: CheckpointSummary | None = field(default=None, compare=False)
    history: History | None = field(default=None, compare=False)

    @classmethod
    def read(cls, path: Path) -> ReportedRun:
        """A run from its folder, its checkpoint, or its ``results.json`` alone.

        A folder without a checkpoint may hold several runs that were trained on a corpus each: the ``results.json``
        files beneath it are then one.

        Raises:
            InputError: nothing of a run is there, or a file of it is at fault.
        """
        if path.is_dir():
            checkpoint = next((path / name for name in CHECKPOINTS if (path / name).is_file()), None)
            results = read_results(path, beneath=checkpoint is None)
            if checkpoint is None and results is None:
                raise InputError(f"holds none of {', '.join(CHECKPOINTS)}, {RESULTS}: not the folder of a run", path)
        elif path.suffix == ".json":
            return cls(path, path.parent, None, Results.read(path))
        else:
            checkpoint, results = path, read_results(path.parent)
        folder = path if path.is_dir() else path.parent
        model = None if checkpoint is None else CheckpointSummary.read(checkpoint)
        corpora = [] if results is None else list(results.corpora)
        history = History.read(folder, corpora if model is None else list(model.bundle.labels))
        return cls(path, folder, checkpoint, results, model, history)

    def metric_of(self, corpus: str) -> str | None:
        """The name of the metric that a corpus is scored by; None where that is not known."""
        if self.results is not None and corpus in self.results.corpora:
            return self.results.corpora[corpus].metric
        known = self.model is not None and corpus in self.model.bundle.labels
        return self.model.bundle.corpus(corpus).metric if self.model is not None and known else None

    @property
    def source(self) -> Path:
        """The file, or folder, that tells it from other runs, whichever of its usual files it was named by."""
        whole = self.path == self.folder or self.path.name == RESULTS
        files = [self.folder / name for name in (*CHECKPOINTS, RESULTS)] if whole else []
        return next((file for file in files if file.is_file()), self.path)

    @property
    def name(self) -> str:
        """What a person calls it: after its folder, or its file where it is no usual one."""
        usual = self.path == self.folder or self.path.name in (*CHECKPOINTS, RESULTS)
        return (run_name(self.folder.resolve()) if usual else self.path.name) or str(self.path)


def read_results(folder: Path, beneath: bool = False) -> Results | None:
    """The ``results.json`` of a folder, or else those ``beneath`` it together; None where there is none.

    Raises:
        InputError: one is damaged, or two have the same corpus or other splits.
    """
    own = folder / RESULTS
    if own.is_file():
        return Results.read(own)
    files = sorted(folder.rglob(RESULTS)) if beneath else []
    return join_results({file: Results.read(file) for file in files}) if files else None
