"""Tables of how a model's experts are used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.table import Table

from skill_plugin.analysis.usage.measure import ExpertUsage, Floats


def usage_tables(usage: ExpertUsage) -> list[Table]:
    """Shares and entropy by layer; where there are several corpora, overlap of every two, and a summary by layer."""
    tables = [_shares_table(usage)]
    if len(usage.corpora) > 1:
        tables += [_overlap_table(usage), _overlap_by_layer(usage)]
    return tables


def _shares_table(usage: ExpertUsage) -> Table:
    served = "tokens" if usage.per_token == 1 else f"choices, {usage.per_token} a token,"
    table = _table(
        f"{usage.split}: share of {served} that each expert e0, e1, … served, in percent; entropy of the shares / log "
        f"{usage.experts} (1 = all experts evenly). Languages and all: over tokens"
    )
    for column in ("layer", "corpus", "language"):
        table.add_column(column, no_wrap=True)
    for column in ("tokens", *(f"e{expert}" for expert in range(usage.experts)), "entropy"):
        table.add_column(column, justify="right", no_wrap=True)
    everything = usage.everything
    groups: list[tuple[str, str, str, Floats, Floats]] = [
        *((name, one.language, f"{one.tokens:,}", one.shares, one.entropy) for name, one in usage.corpora.items()),
        *(("all", name, f"{one.tokens:,}", one.shares, one.entropy) for name, one in usage.languages.items()),
        ("all", "all", f"{everything.tokens:,}", everything.shares, everything.entropy),
        ("mean of corpora", "all", "", everything.even_shares, everything.even_entropy),
    ]
    for index, layer in enumerate(usage.layers):
        if index:
            table.add_row()
        for number, (corpus, language, tokens, shares, entropy) in enumerate(groups):
            first = "" if number else str(layer)
            table.add_row(first, corpus, language, tokens, *_percent(shares[index]), f"{entropy[index]:.2f}")
    return table


def _overlap_table(usage: ExpertUsage) -> Table:
    table = _table("overlap, in percent, mean over layers")
    table.add_column("corpus", no_wrap=True)
    for number in range(1, len(usage.corpora) + 1):
        table.add_column(str(number), justify="right")
    for number, (name, row) in enumerate(zip(usage.corpora, usage.mean_overlap, strict=True), 1):
        table.add_row(f"{number} {name}", *(f"{100 * value:.0f}" for value in row))
    return table


def _overlap_by_layer(usage: ExpertUsage) -> Table:
    table = _table("overlap by layer, in percent")
    table.add_column("layer")
    table.add_column("mean", justify="right")
    for column in ("least", "most"):
        table.add_column(column, justify="right")
        table.add_column("between", no_wrap=True)
    names = list(usage.corpora)
    first, second = np.triu_indices(len(names), 1)
    for layer, overlap in zip(usage.layers, usage.overlap, strict=True):
        pairs = overlap[first, second]
        cells = []
        for at in (int(pairs.argmin()), int(pairs.argmax())):
            cells += [*_percent([pairs[at]]), f"{names[first[at]]}, {names[second[at]]}"]
        table.add_row(str(layer), *_percent([pairs.mean()]), *cells)
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")


def _percent(shares: Sequence[float] | Floats) -> list[str]:
    return [f"{100 * share:.1f}" for share in shares]
