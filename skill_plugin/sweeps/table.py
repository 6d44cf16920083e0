"""The table of a sweep: a row for each model, mean ± deviation over seeds, for each split that was scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.report.comparison.compared_run import ComparedRun
from skill_plugin.report.comparison.comparison import Comparison, compare
from skill_plugin.report.comparison.published import Published, read_published
from skill_plugin.report.comparison.table import write
from skill_plugin.runs.warning_lines import warning_lines
from skill_plugin.sweeps.plan import Plan
from skill_plugin.sweeps.scores import Row, make_rows, row_name


def check_layout(plan: Plan) -> None:
    """Checks what a table names, before any run is made.

    Raises:
        InputError: a row or a corpus that there is not, or a file of published numbers that cannot be read.
    """
    layout, path = plan.file.table, plan.file.path
    rows: dict[str, set[str]] = {}  # corpora of each row
    for run in plan.runs:
        rows.setdefault(row_name(plan, run), set()).update(run.corpora)
    if layout.baseline and layout.baseline not in rows:
        message = f"baseline: {layout.baseline!r} is not a row{nearest(layout.baseline, rows)}"
        raise InputError(message, path, layout.lines.get("baseline"))
    corpora = dict.fromkeys(name for run in plan.runs for name in run.corpora)
    for key, names in (("columns", layout.columns or ()), ("small", layout.small), ("entries", layout.entries or ())):
        for name in names:
            if name not in corpora:
                message = f"{key}: {name!r} is not a corpus of the runs{nearest(name, corpora)}"
                raise InputError(message, path, layout.lines.get(key))
    for name in layout.small:
        without = next((row for row, scored in rows.items() if name not in scored), None)
        if without is not None:
            message = f"small: the row {without!r} has no {name!r}, and means are over corpora that all rows have"
            raise InputError(message, path, layout.lines.get("small"))
    if layout.theirs is not None:
        read_published(layout.theirs)


def write_tables(plan: Plan, folder: Path) -> list[str]:
    """Prints the table of each split, and writes it as Markdown and JSON.

    Where options were chosen on valid, ``all.md`` and ``all.json`` have every choice.

    Args:
        plan: the sweep.
        folder: where files go.

    Returns:
        What is to be said of them.

    Raises:
        InputError: results do not compare, or a row, a corpus or a file that the layout names is not there.
    """
    layout = plan.file.table
    rows = make_rows(plan)
    if not rows:
        return ["no run is done, so there is no table"]
    published = None if layout.theirs is None else read_published(layout.theirs)
    notes = [f"{row.name}: {row.done} of {counted(row.planned, 'seed')}" for row in rows if row.done < row.planned]
    if layout.baseline and not _same_seeds(rows):
        notes.append(f"no differences from {layout.baseline}: the rows have other seeds")
    first, *others = plan.file.evaluate
    for split in (first, *others):
        name = "table" if split == first else f"table.{split}"
        _write(plan, rows, split, folder / name, published)
    if any(row.chosen for row in rows):
        every = make_rows(plan, every=True)
        _write(plan, every, first, folder / "all", None, quiet=True)
        notes.append(f"every choice: {folder / 'all.md'}")
    return [*notes, *_warnings(plan, folder)]


def _warnings(plan: Plan, folder: Path) -> list[str]:
    """What the runs that are done warned of, each thing once: it may be why rows do not compare."""
    told: dict[str, list[str]] = {}
    for run in plan.runs:
        if run.is_done and run.log.exists():
            for line in warning_lines(run.log.read_text(encoding="utf-8", errors="replace")):
                told.setdefault(line, []).append(str(run.folder.relative_to(folder)))
    return [f"{first}{f' and {len(others)} more' if others else ''}: {line}" for line, (first, *others) in told.items()]


def _write(
    plan: Plan, rows: Sequence[Row], split: str, file: Path, published: Published | None, quiet: bool = False
) -> None:
    chosen = {row.name: row.chosen for row in rows if row.chosen}
    title = plan.file.path.stem
    if chosen:
        said = "; ".join(f"{name}: {what}" for name, what in chosen.items())
        title += f", chosen on valid by {plan.file.choose}: {said}"
    seeds = {row.name: list(row.seeds) for row in rows}
    more = {"chosen": chosen, "seeds": seeds, "choose": plan.file.choose}
    write(
        _compare(plan, rows, split, published is not None or not quiet),
        title,
        file.with_name(f"{file.name}.md"),
        file.with_name(f"{file.name}.json"),
        published,
        quiet=quiet,
        **more,
    )


def _compare(plan: Plan, rows: Sequence[Row], split: str, with_baseline: bool) -> Comparison:
    layout = plan.file.table
    return compare(
        {row.name: [ComparedRun(one.runs[0].folder, one.results[split]) for one in row.seeds.values()] for row in rows},
        layout.columns,
        layout.small,
        "language" if layout.by_language else "corpus",
        layout.baseline if with_baseline and _same_seeds(rows) else "",
        layout.entries,
        layout.data_used,
    )


def _same_seeds(rows: Sequence[Row]) -> bool:
    """Whether rows may be compared seed by seed."""
    return len({tuple(row.seeds) for row in rows}) == 1
