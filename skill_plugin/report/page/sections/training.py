"""How training went: scores and losses over updates, what was trained on, how unsure the model was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from types import MappingProxyType

from skill_plugin.errors import counted
from skill_plugin.report.duration import show_duration
from skill_plugin.report.page.charts import OURS, THEIRS, Line, draw_lines
from skill_plugin.report.page.history import History
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.reported_run import ReportedRun
from skill_plugin.report.page.section import Block, Figure, Heading, Missing, Panel, Section, Table, Words
from skill_plugin.report.score_text import score_scale, score_text
from skill_plugin.report.time_spent import TimeSpent
from skill_plugin.spec.averages import AVERAGE
from skill_plugin.weights.undamaged import damage_named

_POINTS = 30  # of a line; more are joined
_ROWS = 30  # of a table of numbers
_COLUMNS = 8  # of one, which is as much as a sheet of paper holds

Curve = Mapping[float, float]  # update -> value


def section(data: PageData) -> Section:
    """Curves of all runs, and shares and entropies of the first."""
    logged = [run for run in data.runs if run.history is not None]
    if not logged:
        what = f"{data.main.folder} has no log.jsonl, which every run writes where it saves. Of an older run, the "
        what += "output of --log-format json as a file *.log in that folder does as well."
        return Section("training", "Training", [Missing(what)])
    history = data.main.history or logged[0].history
    assert history is not None
    with damage_named(history.file):
        blocks: list[Block] = [Words(_ended(history)), *_scores(data), *_losses(data, history)]
        return Section("training", "Training", [*blocks, *_shares(data, history), *_entropies(data, history)])


def _ended(history: History) -> str:
    if not history.lines:
        return f"{history.file} is empty."
    last = history.lines[-1]
    words = f"{counted(last['update'], 'update')}, epoch {last['epoch']}"
    words += f", {show_duration(last['seconds'])}" if "seconds" in last else ""
    if history.end is None:
        return f"{words}; the log does not say that the run has ended."
    reason = str(history.end.get("reason", "")).replace("_", "-")
    best = history.end.get("best") or {}
    words = f"{words}; ended by {reason}."
    if best.get("value") is not None and best.get("update") is not None:
        after = f"after {counted(best['update'], 'update')}"
        words += f" The best checkpoint, by {best['metric']} ({best['value']:.4f}), is that {after}."
    if (spent := TimeSpent.of_end(history.end)) is not None:
        parts = sum(line["event"] == "start" for line in history.lines)
        words += f" Time{' since it went on last' if parts > 1 else ''}: {spent.shown()}."
    return words


def _scores(data: PageData) -> list[Block]:
    """A panel for avg and for each corpus, in percent."""
    panels: list[Panel] = []
    table: dict[str, Curve] = {}
    metrics: dict[str, str] = {}
    for name, key, scale in _scored(data):
        ours, theirs = (_curves(runs, "valid", key) for runs in (data.runs, data.baselines))
        if not ours:
            continue
        lines = [_mean_line(ours, scale, OURS)]
        if theirs:
            lines.append(_mean_line(theirs, scale, THEIRS, dashed=True))
        result = data.corpora.get(name)
        level = None if result is None or result.constant is None else scale * result.constant
        svg = draw_lines(lines, level=level)
        metric = key.split("/")[-1]
        first, last = (score_text(lines[0].y[at] / scale, metric) for at in (0, -1))
        panels.append(Panel(name, svg, f"{name}: {metric} from {first} to {last}"))
        metrics[name], table[name] = metric, dict(zip(lines[0].x, lines[0].y, strict=True))
    if not panels:
        return [Words("No validation was logged.")]
    caption = "Scores on valid over updates, in percent. Dotted: the best constant answer."
    if len(data.runs) > 1:
        caption += " Lines are means of the runs, and bands reach from the lowest to the highest."
    legend = [(OURS, "run"), (THEIRS, "baseline")] if data.baselines else []
    return [Heading("Scores"), Figure(panels, caption, _tables(table, "updates", metrics=metrics), legend=legend)]


def _scored(data: PageData) -> Iterable[tuple[str, str, int]]:
    yield AVERAGE, AVERAGE, 100
    for name in _corpora(data):
        result = data.corpora.get(name)
        metric = result.metric if result is not None else data.main.metric_of(name)
        if metric is not None:
            yield name, f"{name}/{metric}", score_scale(metric)


def _corpora(data: PageData) -> list[str]:
    model = data.main.model
    return list(data.corpora) if model is None else list(model.bundle.labels)


def _curves(runs: Sequence[ReportedRun], event: str, key: str) -> list[Curve]:
    found = [run.history.curve(event, key) for run in runs if run.history is not None]
    return [curve for curve in found if curve]


def _mean_line(curves: Sequence[Curve], scale: float, colour: str, dashed: bool = False) -> Line:
    """The mean of curves at the updates that all have, with a band where there are several."""
    common = [update for update in curves[0] if all(update in one for one in curves)] or list(curves[0])
    at = [[scale * one[update] for one in curves if update in one] for update in sorted(common)]
    low, high = ([low(values) for values in at] for low in (min, max))
    line = Line(sorted(common), [fmean(values) for values in at], colour, dashed=dashed)
    return replace(line, low=low, high=high) if len(curves) > 1 else line


def _losses(data: PageData, history: History) -> list[Block]:
    curves = {"all": _joined(history, "loss")}
    curves |= {name: _joined(history, f"{name}/loss") for name in _corpora(data)}
    caption = f"Losses in training over updates, of {data.main.name}: means of what was logged in an interval."
    return _figure("Losses", curves, caption)


def _shares(data: PageData, history: History) -> list[Block]:
    """Planned and actual shares of each corpus, in percent."""
    panels: list[Panel] = []
    table: dict[str, Curve] = {}
    for name in _corpora(data):
        planned, actual = (_joined(history, f"{name}/{key}") for key in ("planned", "share"))
        if not actual:
            continue
        lines = [_line(actual, OURS, 100), _line(planned, THEIRS, 100, dashed=True)]
        mean = 100 * fmean(actual.values())
        svg = draw_lines(lines)
        panels.append(Panel(name, svg, f"{name}: {mean:.1f}% of what was trained on"))
        table |= {f"{name}, planned": {x: 100 * y for x, y in planned.items()}}
        table |= {name: {x: 100 * y for x, y in actual.items()}}
    if not panels:
        return []
    caption = "What was trained on over updates, in percent of the batches; with uncertainty sampling of the examples."
    legend = [(OURS, "actual"), (THEIRS, "planned")]
    numbers = [*_totals(data), *_tables(table, "updates")]
    return [Heading("Shares of the corpora"), Figure(panels, caption, numbers, legend=legend)]


def _totals(data: PageData) -> list[Table]:
    shares = None if data.main.model is None else data.main.model.shares
    if shares is None:
        return []
    rows = []
    for name, one in shares.run().items():
        percent = [f"{100 * share:.2f}" for share in (one.planned_share, one.share)]
        rows.append([name, *percent, f"{one.batches:,}", f"{one.examples:,}", f"{one.passes:.2f}"])
    heads = ["corpus", "planned %#", "actual %#", "batches#", "examples#", "passes#"]
    return [Table(heads, rows, "All that was trained on until the checkpoint.")]


def _entropies(data: PageData, history: History) -> list[Block]:
    curves = {name: _joined(history, f"{name}/entropy") for name in _corpora(data)}
    caption = (
        "How unsure the model was of the candidates of uncertainty sampling, over updates: their mean entropy in nats "
        "(CA-MTL, figures 3.4 and 3.5). What was chosen of them are the actual shares above."
    )
    return _figure("Uncertainty", curves, caption)


def _figure(heading: str, curves: Mapping[str, Curve], caption: str) -> list[Block]:
    known = {name: curve for name, curve in curves.items() if curve}
    panels = []
    for name, curve in known.items():
        first, last = next(iter(curve.values())), list(curve.values())[-1]
        svg = draw_lines([_line(curve, OURS)])
        panels.append(Panel(name, svg, f"{name}: from {first:.3g} to {last:.3g}"))
    return [Heading(heading), Figure(panels, caption, _tables(known, "updates", 3))] if panels else []


def _line(curve: Curve, colour: str, scale: float = 1, dashed: bool = False) -> Line:
    return Line(list(curve), [scale * value for value in curve.values()], colour, dashed=dashed)


def _joined(history: History, name: str) -> dict[float, float]:
    """A number of training at ``_POINTS`` updates at most, the same for all numbers: means of what was logged since."""
    curve, updates = history.curve("train", name), history.logged_updates
    size = max(1, -(-len(updates) // _POINTS))
    found: dict[float, float] = {}
    for start in range(0, len(updates), size):
        part = updates[start : start + size]
        if values := [curve[update] for update in part if update in curve]:
            found[part[-1]] = fmean(values)
    return found


def _tables(
    curves: Mapping[str, Curve], head: str, digits: int = 1, metrics: Mapping[str, str] = MappingProxyType({})
) -> list[Table]:
    """A row an update, a column a curve; at most ``_ROWS`` rows, evenly, and ``_COLUMNS`` columns a table.

    A curve whose metric is given is one of scores, others have so many digits.
    """

    def text(name: str, value: float) -> str:
        metric = metrics.get(name)
        return f"{value:.{digits}f}" if metric is None else score_text(value / score_scale(metric), metric)

    updates = sorted({update for curve in curves.values() for update in curve})
    step = max(1, -(-len(updates) // _ROWS))
    kept = [update for i, update in enumerate(reversed(updates)) if i % step == 0][::-1]
    tables = []
    for start in range(0, len(curves), _COLUMNS):
        part = dict(list(curves.items())[start : start + _COLUMNS])
        rows = [
            [f"{update:,}", *(text(name, curve[update]) if update in curve else "" for name, curve in part.items())]
            for update in kept
        ]
        tables.append(Table([f"{head}#", *(f"{name}#" for name in part)], rows))
    return tables
