"""The language × task table."""

from __future__ import annotations

from rich.table import Table

from skill_plugin.metrics.aggregates import AVERAGE, WEIGHTED, WORST
from skill_plugin.report.results import Results


def score_table(results: Results) -> Table:
    """A row a task, a column a language, means at the end; scores in percent, perplexities as they are.

    Corpora of one task in several languages stand in one row when their names differ by the language alone
    (``reviews-de``, ``reviews-es``).
    """
    languages = list(dict.fromkeys(result.language for result in results.corpora.values()))
    means = results.by_language
    table = Table(title=f"{results.split}, in percent", title_justify="left")
    for column in ("task", "metric"):
        table.add_column(column)
    for language in (*languages, "n"):
        table.add_column(language, justify="right")
    tasks: dict[tuple[str, str], dict[str, str]] = {}
    for name, result in results.corpora.items():
        row = tasks.setdefault((_task(name, result.language), result.metric), {})
        if result.language in row:  # two corpora that differ by more than the language
            row = tasks.setdefault((name, result.metric), {})
        row[result.language] = f"{result.value if result.metric == 'perplexity' else 100 * result.value:.1f}"
        row["n"] = f"{int(row.get('n', 0)) + result.n}"
    for (task, metric), row in tasks.items():
        table.add_row(task, metric, *(row.get(column, "") for column in (*languages, "n")))
    table.add_section()
    table.add_row("mean", "", *(f"{100 * means[name]:.1f}" if name in means else "" for name in languages), "")
    for name in (AVERAGE, WEIGHTED, WORST):
        if name in results.aggregates:
            value = f"{100 * results.aggregates[name]:.1f}"
            table.add_row(name, "", f"[bold]{value}[/bold]" if name == AVERAGE else value, *[""] * len(languages))
    return table


def _task(corpus: str, language: str) -> str:
    return corpus.removesuffix(f"-{language}").removesuffix(f"_{language}")
