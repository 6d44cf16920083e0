#!/usr/bin/env python3
"""Puts what was measured onto the pages: tables of examples/*/results into READMEs, and the table of docs/findings.md.

    python scripts/findings.py [ROOT]

In order:

- `results/tables.sh` of each folder of examples/ makes its tables from the results.json beneath it, however many;
- in README.md beside it, what stands between `<!-- results/NAME.md -->` and `<!-- end -->` becomes that file;
- in docs/findings.md, what stands between `<!-- findings -->` and `<!-- end -->` becomes the table of all claims, which
  claims.yaml of each folder names: what the work says, by which of its numbers, and which runs answer it. Those are
  looked for in results/, and in folders there that are runs with other settings, by whose names they are told apart.

A claim is decided by the paired difference of its two rows, over the seeds and corpora that both have: by its 95 %
bootstrap interval as it is shown and by p below 5 % of the t-test, which must agree, from three runs on; "so far" where
corpora of the claim are missing. A claim about a table that a recipe made otherwise, as a sweep, names `table`, the
file with its JSON, in place of runs.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from skill_plugin.errors import InputError, counted
from skill_plugin.files.json_file import read_json
from skill_plugin.files.whole_file import write_text
from skill_plugin.report.bootstrap import LEVEL
from skill_plugin.report.comparison.compared_run import read_runs
from skill_plugin.report.comparison.comparison import DEVIATION, compare
from skill_plugin.report.comparison.paired import Difference
from skill_plugin.report.comparison.published import read_published
from skill_plugin.report.comparison.table import ABSENT, show_difference, show_points

FEWEST_RUNS = 3  # by which a claim is decided
EXPECTED = ("more", "less", "open")
_BLOCK = re.compile(r"(<!-- (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """What a work says, and what answers it.

    Attributes:
        folder: of the work.
        corpora: how many corpora count in its means, here.
        text: the claim.
        expected: whether the row is ``more`` or ``less`` than the baseline by the claim; ``open``: it claims neither.
        row, baseline: patterns of runs, in a folder of results, or names of rows of ``table``.
        table: a table as JSON; nothing: there are runs.
        column: ``all``, ``small`` or the deviation over entries.
        columns: corpora that count; None: all.
        small: corpora of the column ``small``.
        entries: further entries of the deviation.
        theirs: file, row and baseline of the work's own number; None where it has none.
    """

    folder: Path
    corpora: int
    text: str
    expected: str
    row: str
    baseline: str
    table: str
    column: str
    columns: Sequence[str] | None
    small: Sequence[str]
    entries: Mapping[str, Sequence[str]] | None
    theirs: Mapping[str, str] | None

    @classmethod
    def read(cls, folder: Path, corpora: int, content: Mapping[str, Any]) -> Claim:
        """One section of claims.yaml.

        Raises:
            InputError: a word that means nothing.
        """
        expected = content["expected"]
        if expected not in EXPECTED:
            raise InputError(f"{expected!r}: expected one of {', '.join(EXPECTED)}", folder / "claims.yaml")
        return cls(
            folder, corpora, content["claim"], expected, content["row"], content["baseline"], content.get("table", ""),
            content.get("column", "all"), content.get("columns"), content.get("small", ()), content.get("entries"),
            content.get("theirs"),
        )  # fmt: skip

    def their_number(self) -> str:
        """The difference that the work has; the mean over its columns where it has no mean itself."""
        if self.theirs is None:
            return ABSENT
        rows = read_published(self.folder / self.theirs["file"]).rows(self.theirs.get("by", "corpus"))
        row, baseline = rows[self.theirs["row"]], rows[self.theirs["baseline"]]
        column = self.theirs.get("column", self.column)
        columns = [column] if column in row else [name for name in row if name in baseline]
        return show_points(statistics.fmean(row[name] - baseline[name] for name in columns))

    def measured(self) -> Iterator[tuple[str, Difference, int]]:
        """What was measured, by the name of the folder of results (the main one has none), and of how many corpora the
        claim is.
        """
        results = self.folder / "results"
        for folder in (results, *sorted(path for path in results.iterdir() if path.is_dir())):
            name = "" if folder == results else folder.name
            if self.table and (folder / self.table).exists():
                found = read_json(folder / self.table)["rows"][self.row]["differences"][self.column]
                yield name, Difference(**found), found["corpora"]
            elif not self.table and (compared := self._compare(folder)) is not None:
                yield name, *compared

    def _compare(self, folder: Path) -> tuple[Difference, int] | None:
        """The difference of its rows in a folder of results, where both have runs."""
        rows = {
            name: read_runs(f"{folder}/{pattern}") for name, pattern in (("row", self.row), ("baseline", self.baseline))
        }
        if not all(rows.values()):
            return None
        table = compare(rows, self.columns, self.small, baseline="baseline", entries=self.entries, partial=True)
        found = table.rows[0].differences.get(self.column)
        if found is None:
            return None
        of = {"all": len(self.columns or ()) or self.corpora, "small": len(self.small)}
        return found, of.get(self.column, found.corpora)

    def verdict(self, found: Difference, corpora: int) -> str:
        """What the interval, as it is shown, and the test say of the claim, which is of so many corpora."""
        if found.runs < FEWEST_RUNS:
            return f"undecided: {counted(found.runs, 'run')}"
        low, high = (round(100 * value, 1) for value in (found.low, found.high))
        unlikely = found.p is not None and found.p < 1 - LEVEL
        sign = 0 if not unlikely else 1 if low > 0 else -1 if high < 0 else 0
        wanted = -1 if self.expected == "less" else 1
        words = {wanted: "**confirmed**", -wanted: "**reversed**", 0: "not confirmed"}
        if self.expected == "open":
            words = {1: "more", -1: "less", 0: "no difference shown"}
        return words[sign] + " so far" * (found.corpora < corpora)


def read_claims(examples: Path) -> Iterator[tuple[str, list[Claim]]]:
    """The works that have some, by their names."""
    for file in sorted(examples.glob("*/claims.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        claims = [Claim.read(file.parent, content["corpora"], section) for section in content["claims"]]
        yield content["name"], claims


def make_table(examples: Path) -> str:
    """The table of all claims, as Markdown."""
    lines = ["| work | claim | its number | ours | |", "| --- | --- | ---: | --- | --- |"]
    for work, claims in read_claims(examples):
        name = work
        for claim in claims:
            said = [name, claim.text, claim.their_number()]
            measured = [
                [_show(claim, where, found, corpora), claim.verdict(found, corpora)]
                for where, found, corpora in claim.measured()
            ]
            for cells in measured or [[ABSENT, "not measured"]]:
                lines.append(f"| {' | '.join([*said, *cells])} |")
                said = ["", "", ""]
            name = ""
    return "\n".join(lines) + "\n"


def _show(claim: Claim, where: str, found: Difference, corpora: int) -> str:
    """What was measured, and on how much."""
    one, several = ("entry", "entries") if claim.column == DEVIATION else ("corpus", "corpora")
    of = f" of {corpora}" if found.corpora < corpora else ""
    words = f"{found.corpora}{of} {one if corpora == 1 else several}"
    return f"{f'`{where}`: ' if where else ''}{show_difference(found)}, {counted(found.runs, 'run')}, {words}"


def fill(page: Path, tables: Mapping[str, str]) -> str:
    """The page with the tables in their blocks; a block whose table is not there yet says so.

    Args:
        page: the page.
        tables: text of a block by its name; others are files beside the page.
    """

    def table(block: re.Match[str]) -> str:
        begin, name, _, end = block.groups()
        file = page.parent / name
        if name in tables:
            return begin + tables[name] + end
        return begin + (file.read_text(encoding="utf-8") if file.exists() else "Not measured yet.\n") + end

    return _BLOCK.sub(table, page.read_text(encoding="utf-8"))


def pages(root: Path) -> dict[Path, str]:
    """All pages that have tables, as they ought to be."""
    found = {readme: fill(readme, {}) for readme in sorted(root.glob("examples/*/README.md"))}
    page = root / "docs/findings.md"
    return {**found, page: fill(page, {"findings": make_table(root / "examples")})}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).parents[1], help="default: this repository"
    )
    root = parser.parse_args().root
    if not (root / "docs/findings.md").is_file():
        sys.exit(f"{root}: no docs/findings.md there; expected the root of the repository")
    for script in sorted(root.glob("examples/*/results/tables.sh")):
        subprocess.run(["bash", str(script)], check=True, stdout=subprocess.DEVNULL)
    try:
        for page, text in pages(root).items():
            if text != page.read_text(encoding="utf-8"):
                write_text(page, text)
                print(f"written: {page.relative_to(root)}")
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
