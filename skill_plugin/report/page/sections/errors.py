"""What went wrong: confusions, whether certainty can be trusted, and the rows with the greatest losses."""

from __future__ import annotations

from collections.abc import Mapping

from skill_plugin.metrics.metric import Confusion
from skill_plugin.report.inspection import BINS, Inspection, Reliability, WrongRow
from skill_plugin.report.page.charts import GREY, Line, draw_heat_map, draw_lines
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Block, Cell, Figure, Heading, Missing, Panel, Section, Table, Words
from skill_plugin.report.results import CorpusResult

_DRAWN = 12  # labels; of more the most frequent confusions are told
_LISTED = 20
_TEXT = 1200  # characters of a text


def section(data: PageData) -> Section:
    """Of the first run."""
    blocks: list[Block] = []
    if len(data.runs) > 1:
        blocks.append(Words(f"Of {data.main.name}."))
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
    svg = draw_heat_map(shares, rows, labels, texts, (0, 1))
    return Panel(name, svg, f"{name}: {right} of {sum(totals.values())} answers are right")


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
    caption = f"{name}, {len(_labels(confusion))} labels: the most frequent of {len(pairs):,} confusions"
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
    if data.inspections is None:
        return []  # said below, with the rows
    found = {name: one.reliability for name, one in data.inspections.items() if one.reliability is not None}
    if not found:
        return []
    caption = (
        "How often answers are right, over the probability with which they are given, and in the title the expected "
        "calibration error, in percent: the mean distance from the broken line. Below it the model is too sure."
    )
    panels = [_draw_reliability(name, one) for name, one in found.items()]
    return [Heading("Certainty"), Figure(panels, caption, [_reliability_table(found)])]


def _draw_reliability(name: str, one: Reliability) -> Panel:
    filled = one.answers > 0
    certainty, right = (part[filled] / one.answers[filled] for part in (one.certainty, one.right))
    lines = [
        Line([0, 1], [0, 1], GREY, dashed=True),
        Line(certainty.tolist(), right.tolist()),
    ]
    svg = draw_lines(lines, "probability", (-0.03, 1.03))
    return Panel(f"{name} · {100 * one.error:.1f}", svg, f"{name}: expected calibration error {one.error:.1%}")


def _reliability_table(found: Mapping[str, Reliability]) -> Table:
    rows = []
    for name, one in found.items():
        bins = [
            "" if not n else f"{100 * right / n:.0f} ({n:.0f})"
            for n, right in zip(one.answers.tolist(), one.right.tolist(), strict=True)
        ]
        total = one.answers.sum()
        mean, right = (_percent(float(part.sum()), float(total)) for part in (one.certainty, one.right))
        rows.append([name, f"{total:,.0f}", mean, right, f"{100 * one.error:.1f}", *bins])
    heads = [f"{100 * i // BINS}–{100 * (i + 1) // BINS}#" for i in range(BINS)]
    caption = "In percent: probabilities, answers that are right, calibration error; then by probability (answers)."
    return Table(["corpus", "answers#", "certain#", "right#", "error#", *heads], rows, caption)


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
