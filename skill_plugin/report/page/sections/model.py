"""The model: parameters, who activates which skills, and what training cost."""

from __future__ import annotations

from statistics import median

from skill_plugin.report.description import COST, PARTS, Description, show_cost
from skill_plugin.report.duration import show_duration
from skill_plugin.report.page.numbers import show_count
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Block, Cell, Fact, Facts, Missing, Section, Table, Tone


def section(data: PageData) -> Section:
    """Of the first run."""
    found, model = data.description, data.main.model
    if found is None or model is None:
        return Section("model", "Model", [Missing(f"{data.main.path} has no checkpoint, which would hold the model.")])
    blocks: list[Block] = [Facts(_facts(data, found)), _skill_map(found), _parameters(found)]
    return Section("model", "Model", blocks)


def _facts(data: PageData, found: Description) -> list[Fact]:
    model = data.main.model
    assert model is not None
    total = found.parameters["total"]
    soft: Tone = "soft"
    facts = [
        Fact(
            "parameters",
            show_count(total),
            [(f"{found.relative['encoder_total']:.2f}× one dense {found.stacks}", soft)],
        ),
        Fact(
            "trainable",
            show_count(found.parameters["trainable"]),
            [(f"{found.parameters['trainable'] / total:.0%}", soft)],
        ),
    ]
    most = max(one.per_token for one in found.corpora.values())
    facts.append(Fact("used by a token", show_count(most), [("at most", soft)]))
    if model.seconds is not None:
        notes = (
            [] if not model.updates else [(f"{model.updates / max(model.seconds, 1e-9):.1f} updates a second", soft)]
        )
        facts.append(Fact("time to the checkpoint", show_duration(model.seconds), notes))
    return [*facts, *_measured(data)]


def _measured(data: PageData) -> list[Fact]:
    """What the log says of speed and memory."""
    history = data.main.history
    if history is None:
        return []
    facts = []
    if speeds := history.curve("train", "wps"):
        facts.append(
            Fact("tokens a second", show_count(median(speeds.values())), [("median of the intervals", "soft")])
        )
    if free := history.curve("train", "gb_free"):
        facts.append(Fact("free on the GPU", f"{min(free.values()):.1f} GB", [("the least that was logged", "soft")]))
    return facts


def _skill_map(found: Description) -> Table:
    rows: list[list[Cell | str]] = []
    for name, corpus in found.corpora.items():
        marks: list[Cell | str] = [Cell("●" if skill in corpus.skills else "") for skill in found.skills]
        numbers = (corpus.activated, *[corpus.per_token] * found.has_experts, corpus.trainable)
        heads = [corpus.head] * found.has_heads
        costs = [show_cost(corpus)] * found.has_costs
        rows.append([name, corpus.language, *heads, *marks, *(f"{one:,}" for one in numbers), *costs])
    columns = ("corpus", "language", *["head"] * found.has_heads, *found.skills)
    counts = ("activated#", *["per token#"] * found.has_experts, "trainable#", *["FLOPs#"] * found.has_costs)
    caption = "What each corpus activates, and how many parameters its sequences use."
    return Table([*columns, *counts], rows, caption + f" FLOPs are {COST}." * found.has_costs)


def _parameters(found: Description) -> Table:
    total = found.parameters["total"]
    rows: list[list[Cell | str]] = [
        [PARTS.get(part, part), Cell(f"{number:,}", bar=number / total), f"{100 * number / total:.1f}"]
        for part, number in found.parameters.items()
        if number
    ]
    return Table(["part", "parameters#", "% of all#"], rows)
