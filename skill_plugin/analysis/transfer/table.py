"""The ranking of starts for a new corpus's task embedding."""

from __future__ import annotations

from rich.table import Table

from skill_plugin.analysis.transfer.measure import EmbeddingTransfer


def transfer_table(transfer: EmbeddingTransfer) -> Table:
    """A row for each start, the best first; equal ones share a place, since their order says nothing."""
    table = Table(
        title=f"{transfer.corpus}, {transfer.split}: {transfer.metric} of {transfer.n:,} with the head of "
        f"{transfer.head}, before any training",
        title_justify="left",
    )
    table.add_column("", justify="right")
    table.add_column("embedding", no_wrap=True)
    table.add_column(transfer.metric, justify="right")
    values = [start.value for start in transfer.ranking]
    for start in transfer.ranking:
        table.add_row(str(values.index(start.value) + 1), start.title, f"{start.value:.4f}")
    return table
