"""Tables of covariance similarity."""

from __future__ import annotations

from rich.table import Table

from skill_plugin.analysis.covariance.measure import KEPT, CovarianceComparison


def covariance_tables(comparison: CovarianceComparison) -> list[Table]:
    """Each corpus's mean over the others by model, then every two corpora for each model."""
    tables = [_means_table(comparison)]
    for title, model in comparison.models.items():
        table = _table(f"{title}: {model.file}, in percent")
        table.add_column("corpus", no_wrap=True)
        for number in range(1, len(comparison.tokens) + 1):
            table.add_column(str(number), justify="right")
        for number, (name, row) in enumerate(zip(comparison.tokens, model.scores, strict=True), 1):
            cells = ("" if other == number else f"{100 * value:.1f}" for other, value in enumerate(row, 1))
            table.add_row(f"{number} {name}", *cells)
        tables.append(table)
    return tables


def _means_table(comparison: CovarianceComparison) -> Table:
    models = comparison.models
    table = _table(
        f"{comparison.split}: similarity of covariances at the first layer's input, in percent, mean over the other "
        f"corpora; rank: singular values that contain {KEPT:.0%} of their sum"
    )
    table.add_column("corpus", no_wrap=True)
    for column in (
        "tokens",
        *models,
        *(["change"] if len(models) == 2 else []),
        *(f"rank {title}" for title in models),
    ):
        table.add_column(column, justify="right", no_wrap=True)
    for index, (name, tokens) in enumerate(comparison.tokens.items()):
        means = [100 * float(model.means[index]) for model in models.values()]
        change = [f"{means[1] - means[0]:+.1f}"] if len(means) == 2 else []
        ranks = [str(model.ranks[index]) for model in models.values()]
        table.add_row(name, f"{tokens:,}", *(f"{mean:.1f}" for mean in means), *change, *ranks)
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left")
