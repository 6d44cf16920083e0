#!/usr/bin/env python3
"""Figure 3.6 of CA-MTL: what joint models gain on each corpus over a single model, by how alike covariances are.

    python scripts/similarity_gains.py --single PATTERN NAME:COVARIANCE.json=PATTERN… [--plot F.png] [--markdown F]

A row is a model with a NAME, what ``skill-plugin analyse covariance --single … --json`` wrote of it, and a PATTERN of
its runs' results (``*`` and ``**`` as in a shell, quoted so that the shell leaves it alone); those of models of one
corpus each are ``--single``. Scores are means over runs. A gain is in percent of the single model's score; a corpus
whose single models score 0 or less has none.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.figure_file import save_figure
from skill_plugin.files.whole_file import write_text
from skill_plugin.report.comparison.compared_run import ComparedRun
from skill_plugin.report.comparison.named_files import find_named
from skill_plugin.report.markdown_table import markdown_table

SINGLE, JOINT = "single", "after"  # what an analysis calls the models


@dataclass(frozen=True)
class Row:
    """One joint model.

    Attributes:
        similarity: CovSim of each corpus for each model of the analysis, between 0 and 1.
        gains: of each corpus, in percent of the single model's score; None where there is none.
    """

    similarity: Mapping[str, Mapping[str, float]]
    gains: Mapping[str, float | None]


def mean_scores(argument: str) -> tuple[str, dict[str, float]]:
    """The name of ``NAME=PATTERN``, and the mean over its runs for each corpus that all of them have.

    Raises:
        InputError: nothing matches, or results are damaged.
    """
    name, paths = find_named(argument)
    runs = [ComparedRun.read(path).results.corpora for path in paths]
    return name, {
        corpus: statistics.fmean(run[corpus].value for run in runs)
        for corpus in runs[0]
        if all(corpus in run for run in runs)
    }


def read_row(similarity: Path, scores: Mapping[str, float], single: Mapping[str, float]) -> Row:
    """One model's points.

    Raises:
        InputError: the file is none of an analysis with single models.
    """
    try:
        models = json.loads(similarity.read_text(encoding="utf-8"))["models"]
        means = {title: dict(models[title]["mean"]) for title in (SINGLE, JOINT)}
    except OSError as error:
        raise InputError(reason_of(error, "cannot be read"), similarity) from None
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "expected what `skill-plugin analyse covariance --single … --json` writes", similarity
        ) from None
    gains = {
        corpus: 100 * (scores[corpus] / single[corpus] - 1) if single[corpus] > 0 else None
        for corpus in means[JOINT]
        if corpus in scores and corpus in single
    }
    return Row(means, gains)


def to_markdown(rows: Mapping[str, Row]) -> str:
    """A line for each corpus."""
    corpora = list(dict.fromkeys(corpus for row in rows.values() for corpus in row.gains))
    header = ["", "similarity, single", *(f"{what}, {name}" for name in rows for what in ("similarity", "gain"))]
    lines = []
    first = next(iter(rows.values()))
    for corpus in corpora:
        line = [corpus, _percent(first.similarity[SINGLE].get(corpus))]
        for row in rows.values():
            gain = row.gains.get(corpus)
            line += [_percent(row.similarity[JOINT].get(corpus)), "–" if gain is None else f"{gain:+.1f}"]
        lines.append(line)
    return markdown_table(header, lines)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def draw(rows: Mapping[str, Row], path: Path) -> None:
    """A point for each corpus and model, named."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    ax = figure.subplots()
    for name, row in rows.items():
        shown = {corpus: gain for corpus, gain in row.gains.items() if gain is not None}
        similar = [100 * row.similarity[JOINT][corpus] for corpus in shown]
        ax.scatter(similar, list(shown.values()), label=name)
        for corpus, x, y in zip(shown, similar, shown.values(), strict=True):
            ax.annotate(corpus, (x, y), xytext=(4, 3), textcoords="offset points", fontsize="small")
    ax.axhline(0, color="grey", linewidth=0.8)
    ax.set_xlabel("covariance similarity, mean over the other corpora, in percent")
    ax.set_ylabel("gain over the single model, in percent")
    ax.legend()
    save_figure(figure, path, dpi=120)


def work(asked: argparse.Namespace) -> None:
    """Everything that a command line asks for.

    Raises:
        InputError: something is missing or of another form.
    """
    _, single = mean_scores(f"--single={asked.single}")
    rows: dict[str, Row] = {}
    for argument in asked.rows:
        named, scores = mean_scores(argument)
        name, colon, similarity = named.partition(":")
        if not (name and colon and similarity):
            raise InputError(f"{argument!r}: expected NAME:COVARIANCE.json=PATTERN")
        rows[name] = read_row(Path(similarity), scores, single)
    text = to_markdown(rows)
    print(text, end="")
    if asked.markdown:
        write_text(asked.markdown, text)
    if asked.plot:
        draw(rows, asked.plot)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    rows = "a joint model: its name, its covariances, its results"
    parser.add_argument("rows", nargs="+", metavar="NAME:COVARIANCE.json=PATTERN", help=rows)
    parser.add_argument("--single", required=True, metavar="PATTERN", help="results of models of one corpus each")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw gains over similarities")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file too")
    try:
        work(parser.parse_args(arguments))
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
