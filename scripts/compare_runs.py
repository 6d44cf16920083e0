#!/usr/bin/env python3
"""One table of several models from the ``results.json`` files of ``skill-plugin evaluate``: mean ± spread over seeds.

    python scripts/compare_runs.py NAME=PATTERN… [--columns a,b] [--by-language] [--small a,b] [--title T]
        [--markdown F] [--json F]

A row of the table is a NAME with a PATTERN of paths (``*`` and ``**`` as in a shell, quoted so that the shell leaves it
alone). Each path that matches is one run of that model, with a seed of its own: a ``results.json``, or a folder whose
``results.json`` files together are the run, as where each corpus was fine-tuned by itself:

    python scripts/compare_runs.py 'dense=runs/dense/seed*/joint' 'MT-TaG=runs/mt_tag/seed*/joint' --small rte,mrpc

Columns are the corpora, then the mean over the ``--small`` ones, then the mean over all. Both means are over corpora
that every row has and that count in ``avg``, those of a group of the corpora file once together; they are taken run by
run, so that their spread is that of runs. The
spread is the sample standard deviation. Values are in percent, perplexities as they are. With ``--by-language`` columns
are languages: each is the mean over those of these corpora that are in it, as ``avg_<language>`` in training logs.
"""

from __future__ import annotations

import argparse
import glob
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.files.whole_file import whole_file
from skill_plugin.metrics.aggregates import Aggregate, units_of

PIPE_WIDTH = 200  # columns, where there is no terminal to ask
ABSENT = "–"


@dataclass(frozen=True)
class Score:
    """What a run scored on a corpus in a language, and whether that counts in means."""

    metric: str
    value: float
    averaged: bool
    language: str


@dataclass(frozen=True)
class Sample:
    """One run of a model: where its results are, the split that was scored, its scores by corpus, and its groups."""

    path: Path
    split: str
    scores: Mapping[str, Score]
    groups: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Spread:
    """Values of several runs, as they are in ``results.json``."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None for one run, which has none."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    def show(self, metric: str = "") -> str:
        """As it stands in the table."""
        scale = 1 if metric == "perplexity" else 100
        spread = "" if self.deviation is None else f" ± {scale * self.deviation:.1f}"
        return f"{scale * self.mean:.1f}{spread}"

    def to_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "deviation": self.deviation, "values": list(self.values)}


@dataclass(frozen=True)
class Row:
    """One model.

    Attributes:
        name: of the row.
        runs: how many.
        corpora: its spreads by corpus; a corpus that it was not scored on is missing.
        languages: its spreads by language, where the table is by language.
        small, all: spreads of its means; None where there is nothing to take a mean of.
    """

    name: str
    runs: int
    corpora: Mapping[str, Spread]
    languages: Mapping[str, Spread]
    small: Spread | None
    all: Spread | None


@dataclass(frozen=True)
class Comparison:
    """The table as data.

    Attributes:
        split: that was scored.
        metrics: corpus -> metric, in the order of the columns.
        languages: language -> corpora of its mean, in the order of the columns; empty: columns are corpora.
        small: corpora of the column of that name; none: there is no such column.
        common: corpora of the column ``all``.
        rows: in order.
        groups: corpora that count once together in means, by the group's name.
    """

    split: str
    metrics: Mapping[str, str]
    languages: Mapping[str, tuple[str, ...]]
    small: tuple[str, ...]
    common: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: Mapping[str, tuple[str, ...]]

    @property
    def caption(self) -> str:
        """What the numbers are."""
        counts = {row.runs for row in self.rows}
        words = [f"{self.split}, in percent"]
        if counts != {1}:
            runs = f"{counts.pop()} runs" if len(counts) == 1 else ", ".join(f"{r.runs} of {r.name}" for r in self.rows)
            words.append(f"mean ± standard deviation of {runs}")
        words += [f"{language}: mean over {', '.join(corpora)}" for language, corpora in self.languages.items()]
        if self.small:
            words.append(f"small: mean over {', '.join(self.small)}")
        if self.common and len(self.common) < len(self.metrics):
            words.append(f"all: mean over {', '.join(self.common)}")
        words += [f"{' and '.join(corpora)} count once, as {group}" for group, corpora in self.groups.items()]
        return "; ".join(words)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The header, and the rows beneath it."""
        by_corpus = [f"{corpus} ({metric})" for corpus, metric in self.metrics.items()]
        header = ["", *(self.languages or by_corpus)]
        header += ["small"] * bool(self.small) + ["all"] * bool(self.common)
        lines = []
        for row in self.rows:
            line = [row.name, *(spread.show() for spread in row.languages.values())]
            for corpus, metric in () if self.languages else self.metrics.items():
                line.append(row.corpora[corpus].show(metric) if corpus in row.corpora else ABSENT)
            line += [row.small.show()] if row.small else []
            line += [row.all.show()] if row.all else []
            lines.append(line)
        return header, lines

    def table(self, title: str = "") -> Table:
        """For a terminal."""
        header, lines = self.cells()
        table = Table(title=title or None, caption=self.caption, title_justify="left", caption_justify="left")
        for number, column in enumerate(header):
            table.add_column(column.replace(" (", "\n("), justify="right" if number else "left")
        for line in lines:
            table.add_row(*line)
        return table

    def markdown(self, title: str = "") -> str:
        """For a README."""
        header, lines = self.cells()
        text = f"**{title}**\n\n" if title else ""
        for line in (header, ["---", *["---:"] * (len(header) - 1)], *lines):
            text += f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n"
        return f"{text}\n{self.caption[0].upper()}{self.caption[1:]}.\n"

    def to_json(self) -> dict[str, Any]:
        """Plain values, not in percent."""
        rows = {
            row.name: {
                "runs": row.runs,
                "corpora": {corpus: spread.to_json() for corpus, spread in row.corpora.items()},
                "languages": {language: spread.to_json() for language, spread in row.languages.items()},
                "small": row.small and row.small.to_json(),
                "all": row.all and row.all.to_json(),
            }
            for row in self.rows
        }
        languages = {language: list(corpora) for language, corpora in self.languages.items()}
        means: dict[str, Any] = {"languages": languages, "small": list(self.small), "all": list(self.common)}
        means |= {"groups": {group: list(corpora) for group, corpora in self.groups.items()}} if self.groups else {}
        return {"split": self.split, "metrics": dict(self.metrics), **means, "rows": rows}


def read_sample(path: Path) -> Sample:
    """One run's results.

    Args:
        path: a ``results.json``, or a folder with some in it or beneath it.

    Raises:
        InputError: there are none, one is damaged, or two of them have the same corpus or other splits.
    """
    files = sorted(path.rglob("results.json")) if path.is_dir() else [path]
    if not files:
        raise InputError("no results.json in this folder", path)
    scores: dict[str, Score] = {}
    splits: dict[str, Path] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for file in files:
        try:
            content = read_json(file)
            found = {
                name: Score(
                    result["metric"], float(result["value"]), bool(result.get("averaged", True)), result["language"]
                )
                for name, result in content["corpora"].items()
                if result["value"] is not None
            }
            splits[content["split"]] = file
            grouped = {name: tuple(group["corpora"]) for name, group in content.get("groups", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError("not a results.json of `skill-plugin evaluate`", file) from None
        for name in found.keys() & scores.keys():
            raise InputError(f"{name!r} is in another results.json of {path} too: one run scores a corpus once", file)
        scores |= found
        _same_groups(groups, grouped, file)
        groups |= grouped
    if len(splits) > 1:
        raise InputError(f"results of several splits: {', '.join(splits)}", path)
    return Sample(path, next(iter(splits)), scores, groups)


def _same_groups(known: Mapping[str, tuple[str, ...]], found: Mapping[str, tuple[str, ...]], file: Path) -> None:
    for name in known.keys() & found.keys():
        if known[name] != found[name]:
            raise InputError(
                f"the group {name!r} is {', '.join(found[name])}, elsewhere {', '.join(known[name])}", file
            )


def compare(
    rows: Mapping[str, Sequence[Sample]],
    columns: Sequence[str] | None = None,
    small: Sequence[str] = (),
    by_language: bool = False,
) -> Comparison:
    """Puts runs side by side.

    Args:
        rows: name -> runs, at least one each.
        columns: corpora to show, in order; by default all, in the order in which they are met.
        small: corpora of the column ``small``.
        by_language: whether columns are languages, of these corpora.

    Raises:
        InputError: runs of one model that scored different corpora, a corpus that no run has or, for ``small``, that
            not all models have, or results that do not compare: another split or metric, or none in common for a
            table by language.
    """
    samples = [sample for each in rows.values() for sample in each]
    known: dict[str, Score] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for sample in samples:
        _same_groups(groups, sample.groups, sample.path)
        groups |= sample.groups
        if sample.split != samples[0].split:
            message = f"scored {sample.split!r}, but {samples[0].path} scored {samples[0].split!r}"
            raise InputError(message, sample.path)
        for corpus, score in sample.scores.items():
            if known.setdefault(corpus, score).metric != score.metric:
                raise InputError(
                    f"{corpus} is scored by {score.metric}, elsewhere by {known[corpus].metric}", sample.path
                )
    for corpus in columns or ():
        if corpus not in known:
            raise InputError(f"no run scored {corpus!r}{nearest(corpus, known)}")
    shown = list(columns or known)
    for each in rows.values():
        for sample in each[1:]:
            for corpus in shown:
                if (corpus in sample.scores) != (corpus in each[0].scores):
                    here, there = (sample, each[0]) if corpus in each[0].scores else (each[0], sample)
                    raise InputError(f"no results of {corpus!r}, which {there.path} has", here.path)
    everywhere = [corpus for corpus in shown if all(corpus in sample.scores for sample in samples)]
    common = [corpus for corpus in everywhere if known[corpus].averaged]
    for corpus in small:
        if corpus not in common:
            raise InputError(f"small corpus {corpus!r} is not one that all runs have{nearest(corpus, common)}")
    languages: dict[str, tuple[str, ...]] = {}
    for corpus in common if by_language else ():
        languages[known[corpus].language] = (*languages.get(known[corpus].language, ()), corpus)
    if by_language and not languages:
        raise InputError("--by-language: no corpus that all runs have counts in means")
    units = {group: unit for group, unit in units_of(common, groups).items() if group in groups and len(unit) > 1}

    def mean(each: Sequence[Sample], corpora: Sequence[str]) -> Spread:
        aggregate = Aggregate(units_of(corpora, units))
        values = [aggregate.value({corpus: sample.scores[corpus].value for corpus in corpora}) for sample in each]
        return Spread(tuple(value for value in values if value is not None))

    return Comparison(
        split=samples[0].split,
        metrics={corpus: known[corpus].metric for corpus in shown},
        languages=languages,
        small=tuple(small),
        common=tuple(common),
        rows=tuple(
            Row(
                name=name,
                runs=len(each),
                corpora={c: mean(each, [c]) for c in shown if c in each[0].scores},
                languages={language: mean(each, corpora) for language, corpora in languages.items()},
                small=mean(each, small) if small else None,
                all=mean(each, common) if common else None,
            )
            for name, each in rows.items()
        ),
        groups=units,
    )


def write(comparison: Comparison, title: str, markdown: Path | None, json_file: Path | None, **more: Any) -> None:
    """Prints the table, and writes it to files.

    Args:
        comparison: what to show.
        title: above the table.
        markdown, json_file: where to write it too.
        more: further entries of the JSON.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPE_WIDTH)
    console.print(comparison.table(title))
    if markdown is not None:
        with whole_file(markdown) as beside:
            beside.write_text(comparison.markdown(title), encoding="utf-8")
    if json_file is not None:
        write_json(json_file, {"title": title, **more, **comparison.to_json()})


def names(text: str) -> list[str]:
    """``a,b`` as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def samples_of(argument: str) -> tuple[str, list[Sample]]:
    """A row of the command line, ``NAME=PATTERN``.

    Raises:
        InputError: not of that form, or nothing matches.
    """
    name, equals, pattern = argument.partition("=")
    if not (name and equals and pattern):
        raise InputError(f"{argument!r}: expected NAME=PATTERN")
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise InputError(f"{name}: nothing matches {pattern}")
    return name, [read_sample(Path(path)) for path in found]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", metavar="NAME=PATTERN", help="a row of the table, and the paths of its runs")
    parser.add_argument("--columns", type=names, help="corpora to show, in this order, separated by commas")
    parser.add_argument("--by-language", action="store_true", help="columns are languages: means over their corpora")
    parser.add_argument("--small", type=names, default=[], help="corpora of the column small")
    parser.add_argument("--title", default="", help="above the table")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values to this file")
    chosen = parser.parse_args(arguments)
    try:
        rows: dict[str, list[Sample]] = {}
        for argument in chosen.rows:
            name, samples = samples_of(argument)
            rows.setdefault(name, []).extend(samples)
        comparison = compare(rows, chosen.columns, chosen.small, chosen.by_language)
        write(comparison, chosen.title, chosen.markdown, chosen.json)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
