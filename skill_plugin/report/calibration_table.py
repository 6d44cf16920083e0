"""Temperatures and thresholds, and what they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from skill_plugin.kinds.calibration import Calibration
from skill_plugin.report.results import CorpusResult


def make_calibration_tables(
    found: Mapping[str, tuple[Calibration, CorpusResult, CorpusResult]], labels: Mapping[str, Sequence[str]]
) -> list[Table]:
    """A row for each corpus, with its score and calibration error before and after, in percent; then the thresholds of
    those that have some.

    Args:
        found: of each corpus its calibration, and what it scored without and with it.
        labels: of each corpus.
    """
    table = Table(title="calibrated, in percent", title_justify="left", caption_justify="left")
    for column in ("corpus", "temperature", "calibration error", "metric", "score"):
        table.add_column(column, justify="left" if column in ("corpus", "metric") else "right")
    for name, (calibration, before, after) in found.items():
        errors = [one.calibration.get("ece") for one in (before, after)]
        table.add_row(
            Text(name),
            f"{calibration.temperature:.3f}" if errors[0] is not None else "",
            _change(*errors),
            before.metric,
            _change(before.value, after.value),
        )
    thresholds = Table()
    thresholds.add_column("corpus")
    thresholds.add_column("thresholds")
    for name, (calibration, _, _) in found.items():
        if calibration.thresholds:
            thresholds.add_row(Text(name), Text(_show_thresholds(calibration, labels[name])))
    return [table, thresholds] if thresholds.rows else [table]


def make_calibrations_table(found: Mapping[str, Calibration], labels: Mapping[str, Sequence[str]]) -> list[Table]:
    """The calibrations that a checkpoint has; none where it has none."""
    table = Table(title="calibrations", title_justify="left")
    for column in ("corpus", "temperature", "thresholds"):
        table.add_column(column)
    for name, one in found.items():
        table.add_row(Text(name), f"{one.temperature:.3f}", Text(_show_thresholds(one, labels.get(name, ()))))
    return [table] if found else []


def _show_thresholds(calibration: Calibration, labels: Sequence[str]) -> str:
    """Thresholds of labels by their names, or the one that there is."""
    if not labels:
        return ", ".join(f"{threshold:.4g}" for threshold in calibration.thresholds)
    return ", ".join(f"{label} {value:.3g}" for label, value in zip(labels, calibration.thresholds, strict=False))


def _change(before: float | None, after: float | None) -> str:
    return "" if before is None or after is None else f"{100 * before:.1f} → {100 * after:.1f}"
