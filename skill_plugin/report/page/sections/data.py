"""What the corpora hold, as ``check`` found it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Block, Cell, Folded, Missing, Section, Table, Tone, Words
from skill_plugin.weights.undamaged import damage_named

_LISTED = 8  # labels of a split
_SHOWN = 20  # notices


def section(data: PageData) -> Section:
    """Rows, labels and lengths by split, then faults and notices."""
    if data.checked is None:
        command = f"skill-plugin check CORPORA.yaml --json > {data.main.folder / 'check.json'}"
        return Section("data", "Data", [Missing(data.unchecked, command)])
    with damage_named(data.checked_file):
        return Section("data", "Data", _blocks(data.checked))


def _blocks(found: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [_table(found)]
    if skipped := list(_skipped(found)):
        blocks.append(Table(["corpus", "split", "rows#", "why they were skipped"], skipped))
    if faults := found["faults"]:
        rows = [[Cell(_place(one)), Cell(one["message"], tone="bad")] for one in faults[:_SHOWN]]
        many = counted(len(faults), "fault")
        blocks.append(Table(["place", "fault"], rows, f"{many}: rows like these are lost"))
    return blocks + _notices(found["notices"])


def _table(found: Mapping[str, Any]) -> Table:
    splits = [(name, split, one) for name, own in found["corpora"].items() for split, one in own.items()]
    with_tokens = any(one.get("tokens") for _, _, one in splits)
    heads = ["corpus", "split", "rows#", "skipped#", "holds", "median#", "95%#", "longest#"]
    heads += ["beyond the maximum#", "unknown pieces#"] if with_tokens else []
    rows = [_row(name, split, one, with_tokens) for name, split, one in splits]
    unit = "tokens, special ones included" if with_tokens else "characters"
    return Table(heads, rows, f"Rows are items: queries, not candidates. Lengths in {unit}, before anything is cut.")


def _row(name: str, split: str, one: Mapping[str, Any], with_tokens: bool) -> list[Cell | str]:
    tokens = one.get("tokens") or {}
    lengths = (tokens.get("lengths") if with_tokens else one["characters"]) or {}
    trained: list[tuple[str, Tone]] = [] if one.get("trained") is None else [(f"{one['trained']:,} trained on", "soft")]
    cells: list[Cell | str] = [
        Cell(name, [(f"{one['kind']}, {one['language']}", "soft")]),
        split,
        Cell(f"{one['rows']:,}", trained),
        Cell(f"{one['skipped']:,}", tone="bad" if one["skipped"] else "soft"),
        Cell(_holds(one)),
        *(f"{lengths[key]:,}" if key in lengths else "" for key in ("median", "p95", "maximum")),
    ]
    if with_tokens and tokens:
        share, what = (tokens["windowed"], "windows") if tokens["windowed"] else (tokens["truncated"], "cut")
        unknown = tokens["unknown"] / max(tokens["pieces"], 1)
        cells.append(Cell(f"{share:.1%}", [(what, "soft")], "bad" if what == "cut" else "") if share else "0")
        cells.append(Cell(f"{unknown:.2%}", tone="bad" if unknown >= 0.01 else ""))
    elif with_tokens:
        cells += ["", ""]
    return cells


def _holds(one: Mapping[str, Any]) -> str:
    """The labels, or else what the kind counts."""
    counts = one["labels"] or {
        name.replace("_", " "): value
        for name, value in (one["contents"] or {}).items()
        if isinstance(value, int | float)
    }
    shown = [f"{name} {count:,}" if isinstance(count, int) else f"{name} {count:.4g}" for name, count in counts.items()]
    more = f", … {len(shown)} labels" if len(shown) > _LISTED else ""
    return ", ".join(shown[:_LISTED]) + more


def _skipped(found: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, splits in found["corpora"].items():
        for split, one in splits.items():
            for reason, count in one["skipped_by_reason"].items():
                yield [name, split, f"{count:,}", reason]


def _notices(notices: list[Mapping[str, Any]]) -> list[Block]:
    if not notices:
        return [Words("No notices: no repeated rows, no rows of train in other splits, no odd labels.")]
    rows = [[one["corpus"], one["split"], Cell(one["message"], [(_place(one), "soft")])] for one in notices]
    heads = ["corpus", "split", "notice"]
    many = counted(len(notices), "notice")
    shown: list[Block] = [Table(heads, rows[:_SHOWN], f"{many}: what loses no row but may spoil a result")]
    if rest := rows[_SHOWN:]:
        shown.append(Folded(f"{len(rest)} more", [Table(heads, rest)]))
    return shown


def _place(one: Mapping[str, Any]) -> str:
    return one["file"] if one.get("line") is None else f"{one['file']}:{one['line']}"
