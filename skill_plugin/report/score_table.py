"""The language × task table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import fmean

from rich.table import Table
from rich.text import Text

from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.report.score_text import score_text
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST

_NO_BETTER = "*"


def make_score_table(results: Results) -> Table:
    """Makes the table: a row for each task, a column for each language, means at the end. Scores are in percent.

    Corpora whose names differ only in the language (``reviews-de``, ``reviews-es``) are one task and share a row. The
    score of the best rule without a model stands beside each score, and a score that is no better is marked. A group of
    corpora has a row of its own, with their mean. Costs, as perplexities, are shown as they are.
    """
    languages = list(dict.fromkeys(result.language for result in results.corpora.values()))
    table = Table(title=f"{results.split}, in percent", title_justify="left", caption_justify="left")
    for column in ("task", "metric"):
        table.add_column(column)
    for language in (*languages, "n"):
        table.add_column(language, justify="right")
    for (task, metric), names in group_tasks(results.corpora).items():
        row = {language: results.corpora[name] for language, name in names.items()}
        cells = [_cell(row[language]) if language in row else "" for language in languages]
        table.add_row(Text(task), metric, *cells, f"{sum(result.n for result in row.values())}")
    for group in results.groups:
        if len(scored := results.of_group(group).values()) > 1:  # else it is the row of a corpus once more
            means = [_mean([one for one in scored if one.language == language]) for language in languages]
            table.add_row(Text(group), f"mean of {len(scored)}", *means, f"{sum(result.n for result in scored)}")
    table.add_section()
    by_language, aggregates = results.by_language, results.aggregates
    table.add_row("mean", "", *(_percent(by_language[name]) if name in by_language else "" for name in languages), "")
    for name in (AVERAGE, WEIGHTED, WORST):
        if name in aggregates:
            value = Text(_percent(aggregates[name]), "bold" if name == AVERAGE else "")
            table.add_row(name, "", value, *[""] * len(languages))
    if any(result.constant is not None for result in results.corpora.values()):
        table.caption = f"in brackets: the best that a constant answer scores; {_NO_BETTER} no better than that"
    return table


def group_tasks(corpora: Mapping[str, CorpusResult]) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of the table: task and metric -> language -> name of the corpus."""
    tasks: dict[tuple[str, str], dict[str, str]] = {}
    for name, result in corpora.items():
        row = tasks.setdefault((task_of(name, result.language), result.metric), {})
        if result.language in row:  # two corpora that differ by more than the language
            row = tasks.setdefault((name, result.metric), {})
        row[result.language] = name
    return tasks


def _cell(result: CorpusResult) -> Text:
    held_against = "" if result.constant is None else f" ({score_text(result.constant, result.metric)})"
    mark, style = (_NO_BETTER, "yellow") if result.is_constant else ("", "")
    return Text(f"{score_text(result.value, result.metric)}{mark}{held_against}", style)


def _mean(results: Collection[CorpusResult]) -> str:
    return _percent(fmean(result.value for result in results)) if results else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def task_of(corpus: str, language: str) -> str:
    """The name of a corpus without its language at the end."""
    return corpus.removesuffix(f"-{language}").removesuffix(f"_{language}")
