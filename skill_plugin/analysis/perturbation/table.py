"""Tables of scores as trained and otherwise, as SkillNet-X's table 6."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from skill_plugin.analysis.perturbation.averages import Averages
from skill_plugin.analysis.perturbation.measure import TRAINED, Average, Perturbation
from skill_plugin.report.results import CorpusResult
from skill_plugin.report.score_text import score_text

_NO_BETTER, _IMPOSSIBLE = "*", "-"


def perturbation_tables(found: Perturbation, by_language: bool = False, beside: Averages | None = None) -> list[Table]:
    """A row for each condition, with a column for each corpus that was scored, their average and its change.

    Args:
        found: the scores.
        by_language: a table for each language, and one of their averages, where there are several.
        beside: averages of others, for a column of their own.
    """
    languages = found.languages
    if by_language and len(languages) > 1:
        tables = [_scores(found, names, language, beside) for language, names in languages.items()]
        return [*tables, _averages(found, beside)]
    only = next(iter(languages)) if len(languages) == 1 else None
    return [_scores(found, list(found.results), only, beside)]


def _scores(found: Perturbation, names: Sequence[str], language: str | None, beside: Averages | None) -> Table:
    title = f"{found.variant}, {found.split}{'' if language is None else f', {language}'}, in percent"
    table = Table(title=title, title_justify="left", caption_justify="left")
    table.add_column("activated", no_wrap=True)
    for name in names:
        table.add_column(f"{name}\n{found.results[name][TRAINED].metric}", justify="right", no_wrap=True)
    _add_average_columns(table, beside)
    shown = [title for title in found.titles if any(title in found.results[name] for name in names)]
    impossible = {one.name: one.impossible for one in found.conditions}
    shown += [title for title, why in impossible.items() if title not in shown and why.keys() & set(names)]
    marks: set[str] = set()
    for title in shown:
        cells = []
        for name in names:
            cell = _cell(found.results[name].get(title))
            if name in impossible.get(title, {}):
                cell = _IMPOSSIBLE
            marks.update(mark for mark in (_NO_BETTER, _IMPOSSIBLE) if cell.endswith(mark))
            cells.append(cell)
        theirs = None if beside is None else beside.of(title, language)
        table.add_row(title, *cells, *_average_cells(title, found.average(title, names), theirs, beside is not None))
        if title == TRAINED:
            table.add_section()
    notes = {_NO_BETTER: "no better than the best constant answer", _IMPOSSIBLE: "it has no other skill"}
    table.caption = "; ".join(f"{mark} {notes[mark]}" for mark in notes if mark in marks) or None
    return table


def _averages(found: Perturbation, beside: Averages | None) -> Table:
    table = Table(title=f"{found.variant}, {found.split}, averages in percent", title_justify="left")
    table.add_column("activated", no_wrap=True)
    for column in (*found.languages, "corpora"):
        table.add_column(column, justify="right")
    _add_average_columns(table, beside)
    for title in found.titles:
        means = [found.average(title, names) for names in found.languages.values()]
        average = found.average(title)
        theirs = None if beside is None else beside.of(title, None)
        table.add_row(
            title,
            *("" if mean is None else f"{100 * mean.value:.1f}" for mean in means),
            "" if average is None else str(len(average.corpora)),
            *_average_cells(title, average, theirs, beside is not None),
        )
        if title == TRAINED:
            table.add_section()
    return table


def _add_average_columns(table: Table, beside: Averages | None) -> None:
    for column in ("avg", "change", *([] if beside is None else [f"avg of\n{beside.title}"])):
        table.add_column(column, justify="right", no_wrap=True)


def _average_cells(title: str, average: Average | None, theirs: float | None, with_theirs: bool) -> list[str]:
    own = ["", ""]
    if average is not None:
        own = [f"{100 * average.value:.1f}", "" if title == TRAINED else f"{100 * average.change:+.1f}"]
    return [*own, *(["" if theirs is None else f"{100 * theirs:.1f}"] if with_theirs else [])]


def _cell(result: CorpusResult | None) -> str:
    if result is None:
        return ""
    return f"{score_text(result.value, result.metric)}{_NO_BETTER if result.is_constant else ''}"
