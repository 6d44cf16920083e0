"""What was scored: the language × task table, beside what no model scores and beside the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skill_plugin.errors import counted
from skill_plugin.report.bootstrap import LEVEL
from skill_plugin.report.page.charts import GREY, OURS, THEIRS, Interval, draw_intervals
from skill_plugin.report.page.difference import Difference
from skill_plugin.report.page.numbers import show_change, show_score, signed
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import (
    Block,
    Cell,
    Fact,
    Facts,
    Figure,
    Items,
    Missing,
    Panel,
    Section,
    Table,
    Tone,
    Words,
)
from skill_plugin.report.score_table import group_tasks
from skill_plugin.report.score_text import score_text
from skill_plugin.report.spread import Spread
from skill_plugin.spec.averages import AVERAGE, name_language_average

_CAPTION = (
    "Change from the baseline in points, of corpora that count in avg. Blue: better, orange: worse, grey: no clear "
    "difference."
)
_COLOURS = {"better": OURS, "worse": THEIRS}
_TONES: dict[str, Tone] = {"better": "good", "worse": "bad"}


def section(data: PageData) -> Section:
    """Averages, the language × task table, and the comparison with the baseline corpus by corpus."""
    if not data.corpora:
        return Section("scores", "Scores", [_missing(data)])
    blocks: list[Block] = [Facts(_facts(data)), Words(_reading(data)), _table(data)]
    if constant := [name for name, one in data.corpora.items() if one.is_constant]:
        blocks.append(Words(f"No better than a constant answer: {', '.join(constant)}.", "bad"))
    if data.baselines:
        blocks += _comparison(data)
    return Section("scores", "Scores", blocks)


def _missing(data: PageData) -> Missing:
    checkpoint = data.main.checkpoint or data.main.path
    command = f"skill-plugin evaluate {checkpoint} DATA_BIN --json {data.main.folder / 'results.json'}"
    return Missing("Nothing was scored yet: there is no results.json.", command)


def _facts(data: PageData) -> list[Fact]:
    facts = [_fact(AVERAGE, data, data.common)]
    languages = _languages(data)
    if len(languages) > 1:
        facts += [_fact(name_language_average(name), data, members) for name, members in languages.items()]
    return [one for one in facts if one is not None]


def _fact(name: str, data: PageData, corpora: Sequence[str]) -> Fact | None:
    ours, theirs = data.averages(corpora)
    if ours is None:
        return None
    notes: list[tuple[str, Tone]] = [(f"{len(corpora)} {'corpora' if len(corpora) > 1 else 'corpus'}", "soft")]
    if theirs is not None:
        notes.append(_change(data.change_of(corpora)))
    return Fact(name, show_score(ours), notes)


def _languages(data: PageData) -> dict[str, list[str]]:
    """The corpora that count in averages, by language."""
    found: dict[str, list[str]] = {}
    for name in data.common:
        found.setdefault(data.corpora[name].language, []).append(name)
    return found


def _reading(data: PageData) -> str:
    runs = len([run for run in data.runs if run.results is not None])
    words = [f"Scores of {data.split}, in percent; perplexities as they are."]
    if runs > 1:
        words.append(f"Mean ± standard deviation of {runs} runs.")
    words.append("Below each score stands what the best constant answer scores, without a model")
    words[-1] += ", then the change from the baseline, in points." if data.baselines else "."
    return " ".join(words)


def _table(data: PageData) -> Table:
    languages = list(dict.fromkeys(one.language for one in data.corpora.values()))
    rows: list[list[Cell | str]] = []
    for (task, metric), names in group_tasks(data.corpora).items():
        cells: list[Cell | str] = [Cell(task, [(metric, "soft")])]
        cells += [_cell(data, names[one]) if one in names else "" for one in languages]
        rows.append([*cells, f"{sum(data.corpora[name].n for name in names.values()):,}"])
    means: list[Cell | str] = [Cell("mean", [("of those that count in avg", "soft")])]
    members = _languages(data)
    means += [_mean_cell(data, members[one]) if one in members else "" for one in languages]
    return Table(["task", *(f"{one}#" for one in languages), "items#"], [*rows, [*means, ""]], last=1)


def _cell(data: PageData, name: str) -> Cell:
    scores, result = data.scores(name), data.corpora[name]
    assert scores is not None
    notes: list[tuple[str, Tone]] = []
    if result.constant is not None:
        notes.append((signed(f"constant {score_text(result.constant, result.metric)}"), "soft"))
    if result.unreadable:
        notes.append((f"{result.unreadable:,} unreadable", "bad"))
    if (change := data.difference(name)) is not None:
        notes.append(_change(change, result.metric))
    return Cell(show_score(scores, result.metric), notes, "bad" if result.is_constant else "")


def _mean_cell(data: PageData, corpora: Sequence[str]) -> Cell:
    ours, theirs = data.averages(corpora)
    assert ours is not None
    return Cell(show_score(ours), [] if theirs is None else [_change(data.change_of(corpora))])


def _change(change: Difference | None, metric: str = "") -> tuple[str, Tone]:
    if change is None:
        return "", ""
    return show_change(change.value, metric), _TONES.get(change.verdict, "")


def _comparison(data: PageData) -> list[Block]:
    """The words, and the table by corpus."""
    found = {name: change for name in data.corpora if (change := data.difference(name)) is not None}
    if not found:
        return [Words("The runs and the baseline have scored no corpus in common.")]
    average = data.change_of(data.common)
    rows = [_compared(data, name, change) for name, change in found.items()]
    if average is not None:
        ours, theirs = data.averages(data.common)
        rows.append(_compared_row(Cell(AVERAGE), "", ours, theirs, average))
    interval = f"{LEVEL:.0%} interval#"
    table = Table(
        ["corpus", "run#", "baseline#", "change#", interval, "in a word"], rows, last=1 if average is not None else 0
    )
    said: list[Block] = [Items(_verdicts(data, found)), Words(_method(data, next(iter(found.values()))))]
    if any(change.low is not None for change in found.values()):
        return [*said, Figure([_draw(data, found)], _CAPTION, [table], wide=True)]
    return [*said, table]


def _draw(data: PageData, found: Mapping[str, Difference]) -> Panel:
    """The changes and their intervals, the greatest first."""
    shown = {name: one for name, one in found.items() if data.corpora[name].averaged and one.low is not None}
    intervals = [
        Interval(name, 100 * one.value, 100 * (one.low or 0), 100 * (one.high or 0), _COLOURS.get(one.verdict, GREY))
        for name, one in sorted(shown.items(), key=lambda item: -item[1].value)
    ]
    clear = [name for name, one in shown.items() if one.is_clear]
    corpora = counted(len(shown), "corpus", "corpora")
    return Panel("", draw_intervals(intervals, "points"), f"{len(clear)} of {corpora} differ clearly")


def _compared(data: PageData, name: str, change: Difference) -> list[Cell | str]:
    metric = data.corpora[name].metric
    return _compared_row(Cell(name, [(metric, "soft")]), metric, data.scores(name), data.baseline_scores(name), change)


def _compared_row(
    head: Cell, metric: str, ours: Spread | None, theirs: Spread | None, change: Difference
) -> list[Cell | str]:
    assert ours is not None
    assert theirs is not None
    best = ours.mean if (change.value > 0) != change.lower_is_better else theirs.mean
    both = [Cell(show_score(one, metric), tone="best" if one.mean == best else "") for one in (ours, theirs)]
    interval = ""
    if change.low is not None and change.high is not None:
        interval = f"{show_change(change.low, metric)} … {show_change(change.high, metric)}"
    shown, tone = _change(change, metric)
    return [head, *both, Cell(shown, tone=tone), interval, Cell(change.verdict, tone=tone or "soft")]


def _verdicts(data: PageData, found: dict[str, Difference]) -> list[tuple[str, Tone]]:
    """A plain word for each corpus of which something can be said, those that were hurt first."""
    said: list[tuple[str, Tone]] = []
    for verdict, words in (("worse", "lost"), ("better", "gained")):
        for name, change in sorted(found.items(), key=lambda item: -abs(item[1].value)):
            if change.verdict == verdict:
                metric = data.corpora[name].metric
                points = show_change(abs(change.value), metric).lstrip("+")
                said.append((f"{name} {words} {points} points of {metric} against the baseline.", _TONES[verdict]))
    unclear = [name for name, change in found.items() if change.verdict == "no clear difference"]
    if unclear:
        said.append((f"No clear difference: {', '.join(unclear)}.", "soft"))
    alone = [name for name, change in found.items() if change.verdict == "one run each"]
    if alone:
        many = f"{len(alone)} corpora" if len(alone) > 1 else alone[0]
        said.append((f"{many}: too few runs to tell a difference from chance; name runs of several seeds.", "soft"))
    return said


def _method(data: PageData, change: Difference) -> str:
    if change.low is None:
        return "Changes of single runs, which say nothing of what another seed would give. Bold: the higher mean."
    pairs = (
        "Runs and baselines are compared in pairs: by the seeds that name their folders, else in their order."
        if change.paired
        else "Runs and baselines have other seeds, or are not as many, and are not paired."
    )
    return (
        f"{pairs} The interval is that of the mean over resampled runs (bootstrap, percentiles). A corpus is called "
        "better or worse only where the interval does not cover 0 and Student's t-test agrees (p < 0.05); of a hundred "
        "corpora that do not differ, up to five are called so by chance. Bold: the better mean."
    )
