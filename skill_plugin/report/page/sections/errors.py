"""What went wrong: confusions, whether certainty can be trusted, and the rows with the greatest losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.metrics.metric import Confusion
from skill_plugin.report.inspection import Inspection, WrongRow
from skill_plugin.report.page.charts import GREY, Line, draw_heat_map, draw_lines
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Block, Cell, Figure, Heading, Missing, Panel, Section, Table, Words
from skill_plugin.report.results import RESULTS, CorpusResult
from skill_plugin.weights.undamaged import damage_named

_DRAWN = 12  # labels; of more the most frequent confusions are told
_LISTED = 20
_TEXT = 1200  # characters of a text


def section(data: PageData) -> Section:
    """Of the first run."""
    blocks: list[Block] = []
    if len(data.runs) > 1:
        blocks.append(Words(f"Of {data.main.name}."))
    with damage_named(data.main.folder / RESULTS):
        return Section("errors", "Errors", [*blocks, *_confusions(data), *_calibration(data), *_worst(data)])


def _confusions(data: PageData) -> list[Block]:
    results = {} if data.main.results is None else data.main.results.corpora
    found = {name: one for name, one in results.items() if one.confusion}
    if not found:
        return [
            Heading("Confusions"),
            Missing(
                "The results.json does not say what was confused; evaluate again, or name --data.", _evaluate(data)
            ),
        ]
    blocks: list[Block] = [Heading("Confusions")]
    square = {name: one for name, one in found.items() if not _has_outcomes(one)}
    drawn = {name: one for name, one in square.items() if len(_labels(one.confusion)) <= _DRAWN}
    if drawn:
        caption = "Rows are what is right, columns what was answered. The darker, the greater a share of the row."
        panels = [_draw_confusion(name, one.confusion) for name, one in drawn.items()]
        blocks.append(Figure(panels, caption, [_confusion_table(name, one.confusion) for name, one in drawn.items()]))
    for name, one in square.items():
        if name not in drawn:
            blocks.append(_most_frequent(name, one.confusion))
    blocks += [_outcomes(name, one) for name, one in found.items() if name not in square]
    return blocks


def _evaluate(data: PageData) -> str:
    return f"skill-plugin evaluate {data.main.checkpoint} DATA_BIN --json {data.main.folder / 'results.json'}"


def _labels(confusion: Confusion) -> list[str]:
    return list(dict.fromkeys([*confusion, *(name for row in confusion.values() for name in row)]))


def _has_outcomes(result: CorpusResult) -> bool:
    """Whether the answers to one item are several, each scored by itself, as entities are."""
    return any(f"f1_{row}" in result.details for row in result.confusion)


def _draw_confusion(name: str, confusion: Confusion) -> Panel:
    labels = _labels(confusion)
    rows = [row for row in labels if row in confusion]
    totals = {row: sum(confusion[row].values()) for row in rows}
    shares = [[confusion[row].get(column, 0) / max(totals[row], 1) for column in labels] for row in rows]
    texts = [[str(confusion[row].get(column) or "") for column in labels] for row in rows]
    right = sum(confusion[row].get(row, 0) for row in rows)
    svg = draw_heat_map(shares, rows, labels, texts, limits=(0, 1))
    return Panel(name, svg, f"{name}: {right} of {counted(sum(totals.values()), 'answer')} are right")


def _confusion_table(name: str, confusion: Confusion) -> Table:
    labels = _labels(confusion)
    rows = []
    for row in confusion:
        total, right = sum(confusion[row].values()), confusion[row].get(row, 0)
        counts = [str(confusion[row].get(column, 0)) for column in labels]
        given = sum(other.get(row, 0) for other in confusion.values())
        shares = [_percent(right, total), _percent(right, given), _percent(2 * right, total + given)]
        rows.append([row, *counts, *shares])
    return Table([name, *(f"{label}#" for label in labels), "recall#", "precision#", "F1#"], rows)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else ""


def _most_frequent(name: str, confusion: Confusion) -> Table:
    """Of many labels, the pairs that were confused most often."""
    pairs = [(n, row, column) for row, cells in confusion.items() for column, n in cells.items() if row != column]
    pairs.sort(key=lambda one: -one[0])
    rows = [[right, given, str(n), _percent(n, sum(confusion[right].values()))] for n, right, given in pairs[:_LISTED]]
    labels = counted(len(_labels(confusion)), "label")
    caption = f"{name}, {labels}: the most frequent of {counted(len(pairs), 'confusion')}"
    return Table(["right", "answered", "times#", "% of the right#"], rows, caption)


def _outcomes(name: str, result: CorpusResult) -> Table:
    """Of entities and of several labels, what became of each."""
    answered = list(dict.fromkeys(column for cells in result.confusion.values() for column in cells))
    columns = sorted(answered, key=lambda one: one not in result.confusion)  # first what is right somewhere
    rows: list[list[Cell | str]] = []
    for row, cells in result.confusion.items():
        total, score = sum(cells.values()), result.details.get(f"f1_{row}")
        shown = [Cell(str(n), bar=n / total) if (n := cells.get(column, 0)) else "" for column in columns]
        rows.append([row, *shown, "" if score is None else f"{100 * score:.1f}"])
    return Table([name, *(f"{column}#" for column in columns), "F1#"], rows, f"{name}: what became of each")


def _calibration(data: PageData) -> list[Block]:
    results = {} if data.main.results is None else data.main.results.corpora
    found = {name: one.calibration for name, one in results.items() if one.calibration}
    if not found:
        return []
    caption = (
        "How often answers are right, over the probability with which they are given, and in the title the expected "
        "calibration error, in percent: the mean distance from the broken line. Below it the model is too sure; "
        "`skill-plugin calibrate` mends that."
    )
    panels = [_draw_reliability(name, one) for name, one in found.items()]
    return [Heading("Certainty"), Figure(panels, caption, _reliability_tables(found))]


def _draw_reliability(name: str, found: Mapping[str, Any]) -> Panel:
    bins = [one for one in found["bins"] if one["n"]]
    line = Line([one["confidence"] for one in bins], [one["accuracy"] for one in bins])
    svg = draw_lines([Line([0, 1], [0, 1], GREY, dashed=True), line], "probability", (-0.03, 1.03))
    return Panel(f"{name} · {100 * found['ece']:.1f}", svg, f"{name}: expected calibration error {found['ece']:.1%}")


def _reliability_tables(found: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """The errors, and the parts of each corpus that hold any answers."""
    errors, parts = [], []
    for name, one in found.items():
        errors.append([name, f"{sum(part['n'] for part in one['bins']):,}", f"{100 * one['ece']:.1f}"])
        count = len(one["bins"])
        for number, part in enumerate(one["bins"]):
            if part["n"]:
                between = f"{100 * number / count:.0f}–{100 * (number + 1) / count:.0f}"
                shares = [f"{100 * part[key]:.1f}" for key in ("confidence", "accuracy")]
                parts.append([name, between, f"{part['n']:,}", *shares])
    heads = ["corpus", "probability#", "answers#", "mean probability#", "right#"]
    return [
        Table(["corpus", "answers#", "calibration error#"], errors, "In percent."),
        Table(heads, parts, "In percent."),
    ]


def _worst(data: PageData) -> list[Block]:
    heading = Heading("The rows that went most wrong")
    if data.inspections is None:
        what = "Rows and their texts, and how certain answers are, need the data and the model: name --data."
        return [heading, Missing(what, f"skill-plugin report {data.main.path} --data DATA_BIN")]
    note = f"Of {data.split}, those with the greatest loss in nats: what the model held to be least likely."
    blocks: list[Block] = [heading, Words(note)]
    for name, found in data.inspections.items():
        blocks.append(_worst_table(name, found))
    return blocks


def _worst_table(name: str, found: Inspection) -> Block:
    wrong = [row for row in found.worst if row.wrong]
    if not wrong:
        return Words(f"{name}: the rows with the greatest losses are answered rightly.", "soft")
    rows: list[list[Cell | str]] = [
        [_texts(row), Cell(row.answer, long=True), Cell(row.right, long=True), f"{row.loss:.2f}"] for row in wrong
    ]
    return Table([name, "answered", "right", "loss#"], rows)


def _texts(row: WrongRow) -> Cell:
    texts = "\n".join(_shortened(text) for text in row.texts) or "(the data folder has no texts)"
    return Cell(texts, [(row.place, "soft")] if row.place else [], long=True)


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
