"""The analyses that were run, from their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.report.page.charts import draw_heat_map
from skill_plugin.report.page.numbers import MINUS, show_change
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Block, Cell, Figure, Heading, Missing, Panel, Section, Table, Words
from skill_plugin.report.score_text import score_text
from skill_plugin.spec.averages import AVERAGE
from skill_plugin.weights.undamaged import damage_named


def section(data: PageData) -> Section:
    """One after the other.

    Raises:
        InputError: a file is damaged.
    """
    if not data.analyses:
        what = "No analysis lies in the folder of the run. Files of `skill-plugin analyse … --json` are shown that lie "
        what += "there, or are named with --analysis."
        command = f"skill-plugin analyse usage {data.main.checkpoint} DATA_BIN --json {data.main.folder / 'usage.json'}"
        return Section("analyses", "Analyses", [Missing(what, command)])
    blocks: list[Block] = []
    for one in data.analyses:
        with damage_named(one.file):
            blocks += _SHOWN[one.analysis](one.content)
        blocks.append(Words(f"From {one.file}.", "soft"))
    return Section("analyses", "Analyses", blocks)


def _usage(found: Mapping[str, Any]) -> list[Block]:
    """Shares of the experts by corpus, a panel a layer; overlap of corpora."""
    corpora, experts = list(found["corpora"]), found["experts"]
    panels, tables = [], []
    for number, layer in enumerate(found["layers"]):
        shares = [[float(share) for share in found["corpora"][name]["shares"][number]] for name in corpora]
        entropies = [float(found["corpora"][name]["entropy"][number]) for name in corpora]
        svg = draw_heat_map(shares, corpora, [str(i) for i in range(experts)], limits=(0, 1))
        panels.append(Panel(f"layer {layer}", svg, f"layer {layer}: shares of {experts} experts by corpus"))
        rows = [
            [name, *(f"{100 * share:.1f}" for share in own), f"{entropy:.2f}"]
            for name, own, entropy in zip(corpora, shares, entropies, strict=True)
        ]
        heads = [f"layer {layer}", *(f"expert {i}#" for i in range(experts)), "entropy#"]
        tables.append(Table(heads, rows))
    caption = (
        f"Which experts serve whom, on {found['split']}: the share of a corpus's tokens that each served, by layer. In "
        "the numbers, percent, and the entropy of the shares over the most that it can be (1: all experts evenly)."
    )
    blocks: list[Block] = [Heading("Experts"), Figure(panels, caption, tables)]
    if len(corpora) > 1:
        blocks.append(_pairs("overlap", corpora, found["overlap"]["mean"], "How much corpora share of their experts."))
    return blocks


def _pairs(name: str, corpora: Sequence[str], values: Sequence[Sequence[float]], caption: str) -> Figure:
    """A number of every two corpora, from 0 to 1."""
    svg = draw_heat_map(values, corpora, corpora, limits=(min(0.0, *(min(row) for row in values)), 1))
    rows = [
        [f"{number} {corpus}", *(f"{100 * value:.0f}" for value in row)]
        for number, (corpus, row) in enumerate(zip(corpora, values, strict=True), 1)
    ]
    table = Table(["in percent", *(f"{number}#" for number in range(1, len(corpora) + 1))], rows)
    return Figure([Panel(name, svg, f"{name} of every two of {len(corpora)} corpora")], caption, [table], wide=True)


def _perturbation(found: Mapping[str, Any]) -> list[Block]:
    """Changes of scores by condition and corpus."""
    corpora = found["corpora"]
    (trained, scores), *others = found["conditions"].items()
    shown = [[100 * _change(one, name, corpora) for name in corpora] for _, one in others]
    titles = [title for title, _ in others]
    rows: list[list[Cell | str]] = []
    for name, corpus in corpora.items():
        changes = [one["corpora"].get(name, {}).get("change") for _, one in others]
        cells = ["" if change is None else show_change(change, corpus["metric"]) for change in changes]
        rows.append([name, score_text(scores["corpora"][name]["value"], corpus["metric"]), *cells])
    averages = ["" if one["change"] is None else show_change(one["change"]) for _, one in others]
    averaged = scores["avg"] is not None
    if averaged:
        rows.append([AVERAGE, f"{100 * scores['avg']:.1f}", *averages])
    table = Table(["corpus", f"{trained}#", *(f"{title}#" for title in titles)], rows, last=int(averaged))
    blocks: list[Block] = [Heading("Other skills and languages")]
    if not others:
        return [*blocks, table]
    most = max([1.0, *(abs(value) for row in shown for value in row if value == value)])  # NaN is not itself
    caption = (
        f"What other skills, languages or gates cost, on {found['split']}: change of the scores of corpora that count "
        f"in avg, in points, from orange ({MINUS}{most:.0f}) to purple (+{most:.0f})."
    )
    svg = draw_heat_map(shown, titles, list(corpora), limits=(-most, most), diverging=True)
    panel = Panel("", svg, f"changes under {counted(len(others), 'condition')}")
    return [*blocks, Figure([panel], caption, [table], wide=True)]


def _change(condition: Mapping[str, Any], name: str, corpora: Mapping[str, Any]) -> float:
    known = name in condition["corpora"] and corpora[name]["averaged"]
    return float(condition["corpora"][name]["change"]) if known else float("nan")


def _covariance(found: Mapping[str, Any]) -> list[Block]:
    """Similarity of every two corpora, under each model."""
    corpora = list(found["tokens"])
    blocks: list[Block] = [Heading("Similarity of covariances")]
    for title, model in found["models"].items():
        caption = f"{title}: how alike the covariances of corpora are before the first layer, {model['file']}."
        blocks.append(_pairs(title, corpora, model["similarity"], caption))
    rows = [
        [name, f"{found['tokens'][name]:,}", *(f"{model['mean'][name]:.3f}" for model in found["models"].values())]
        for name in corpora
    ]
    blocks.append(Table(["corpus", "tokens#", *(f"mean, {title}#" for title in found["models"])], rows))
    return blocks


def _relatedness(found: Mapping[str, Any]) -> list[Block]:
    """The best source of each target, and the cosines that say so."""
    rows: list[list[Cell | str]] = []
    for target, measures in found["targets"].items():
        nearest = [[one["corpus"] for one in sources[:3]] for sources in measures.values()]
        rows.append([target, Cell(found["best"][target], tone="best"), *(", ".join(names) for names in nearest)])
    measures = list(next(iter(found["targets"].values())))
    table = Table(["target", "learn first from", *(f"nearest by {one}" for one in measures)], rows)
    pairs = [_pairs(one, found["corpora"], found["cosines"][one], f"Cosines of {one}.") for one in found["components"]]
    return [Heading("What to learn from first"), table, *pairs]


def _embeddings(found: Mapping[str, Any]) -> list[Block]:
    """Scores of a new corpus with each task embedding."""
    rows: list[list[Cell | str]] = [
        [one["title"], Cell(score_text(one["value"], found["metric"]), tone="" if number else "best")]
        for number, one in enumerate(found["ranking"])
    ]
    caption = f"{found['corpus']} on {found['split']} before any training, answered by the head of {found['head']}."
    return [Heading("Task embeddings"), Table(["embedding of", f"{found['metric']}#"], rows, caption)]


_SHOWN: Mapping[str, Callable[[Mapping[str, Any]], list[Block]]] = {
    "usage": _usage,
    "perturbation": _perturbation,
    "covariance": _covariance,
    "relatedness": _relatedness,
    "embeddings": _embeddings,
}
