"""The sources of each target as tables."""

from __future__ import annotations

from rich.table import Table

from skill_plugin.analysis.relatedness.measure import Relatedness

TITLES = {"text": "TextEmb (cosine)", "task": "TaskEmb (RRF)", "both": "TaskEmb + TextEmb (RRF)"}


def relatedness_tables(found: Relatedness) -> list[Table]:
    """A table for each target, its best source first, with the scores and places of all measures."""
    tables = []
    for target in found.best:
        table = Table(title=f"{target} may learn from", title_justify="left")
        table.add_column("", justify="right")
        table.add_column("corpus", no_wrap=True)
        measures = list(reversed(found.measures))
        for measure in measures:
            table.add_column(TITLES[measure], justify="right")
        ranked = {measure: found.sources(target, measure) for measure in measures}
        for place, (name, _) in enumerate(ranked[found.by], 1):
            cells = []
            for measure in measures:
                names = [one.corpus for one in ranked[measure]]
                cells.append(f"{ranked[measure][names.index(name)].score:.4f} ({names.index(name) + 1})")
            table.add_row(str(place), name, *cells)
        tables.append(table)
    return tables
