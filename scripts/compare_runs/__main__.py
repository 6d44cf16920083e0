"""One table of several models from the ``results.json`` files of ``skill-plugin evaluate``: mean ± spread over seeds.

    python scripts/compare_runs NAME=PATTERN… [--columns a,b] [--by-language | --by-task] [--small a,b]
        [--baseline NAME] [--published F] [--metric a:metric] [--entries a:metric,b:metric] [--data-used] [--partial]
        [--title T] [--markdown F] [--json F]

A row of the table is a NAME with a PATTERN of paths (``*`` and ``**`` as in a shell, quoted so that the shell leaves it
alone). Each path that matches is one run of that model, with a seed of its own: a ``results.json``, or a folder whose
``results.json`` files together are the run, as where each corpus was fine-tuned by itself:

    python scripts/compare_runs 'dense=runs/dense/seed*/joint' 'MT-TaG=runs/mt_tag/seed*/joint' --small rte,mrpc

A PATTERN of files that ``analyse perturb`` or ``analyse ablate`` wrote by ``--json`` ends with ``#`` and the condition
whose scores count, as in ``'Chinese=perturb/seed*/perturb.json#language zh'``.

Columns are the corpora, in the order of ``--columns`` or of what is published, then the mean over the ``--small`` ones,
then the mean over all. Both means are over corpora that every row has and that count in ``avg``, those of a group of
the corpora file once together; they are taken run by run, so that their spread is that of runs. The spread is the
sample standard deviation. Values are in percent, perplexities as they are. With ``--by-language`` columns are
languages: each is the mean over those of these corpora that are in it, as ``avg_<language>`` in training logs. With
``--by-task`` they are tasks: each is the mean over corpora whose names differ by the language alone.

With ``--baseline`` the last columns have each row's difference from that row, seed by seed (folders ``seed1`` and so
on; paths without such folders are paired in their order), its 95 % percentile bootstrap interval over runs and corpora
(both are resampled, runs as a whole), and p of Student's t-test over runs. Only where the interval leaves out zero and
p is small is there a difference: of three seeds the interval alone is too narrow. ``--published`` shows below each row
what a paper says of it, from a JSON file: ``{"source": "MT-TaG, table 1", "rows": {NAME: {COLUMN: percent}}}``, with
``languages`` and ``tasks`` beside ``rows`` for tables by those.

What does not compare is refused: results of other splits, metrics or numbers of items, a row with a seed twice, and one
with other seeds than the baseline. With ``--partial`` the table is of what there is: rows without results are named and
left out, values are over the runs that have them, and a difference is over the seeds and corpora that both rows have,
and says of how many where that is not all. Where there is nothing at all, nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.distinct_files import check_distinct
from skill_plugin.report.comparison.compared_run import ComparedRun, read_runs, results_files
from skill_plugin.report.comparison.comparison import compare
from skill_plugin.report.comparison.named_files import find_named
from skill_plugin.report.comparison.published import read_published
from skill_plugin.report.comparison.table import write
from skill_plugin.spec.names import split_names


def find_rows(arguments: Sequence[str], partial: bool) -> dict[str, list[ComparedRun]]:
    """All rows of the command line, ``NAME=PATTERN``; with ``partial`` those that have results, the others named.

    Raises:
        InputError: one is not of that form, nothing matches, or a row has a run twice; with ``partial`` only where
            results are damaged or there twice.
    """
    rows: dict[str, list[ComparedRun]] = {}
    files: dict[tuple[str, str], list[Path]] = {}  # of a row and a condition
    missing: dict[str, None] = {}
    for argument in arguments:
        name, _, pattern = argument.partition("=")
        if partial or "#" in pattern:
            runs = read_runs(pattern)
        else:
            name, found = find_named(argument)
            runs = [ComparedRun.read(path) for path in found]
        if not runs and not partial:
            raise InputError(f"{name}: nothing matches {pattern}")
        if runs:
            rows.setdefault(name, []).extend(runs)
            counted = files.setdefault((name, pattern.partition("#")[2]), [])
            counted += [file for run in runs for file in results_files(run.path)]
            check_distinct(counted, f"{name} counts each run once")
        else:
            missing[name] = None
    left_out = [name for name in missing if name not in rows]
    if rows and left_out:
        print(f"no results yet: {'; '.join(left_out)}", file=sys.stderr)
    return rows


def read_entries(asked: Sequence[str]) -> dict[str, list[str]]:
    """``["mrpc:accuracy"]`` as metrics by corpus.

    Raises:
        InputError: not of that form.
    """
    entries: dict[str, list[str]] = {}
    for entry in asked:
        corpus, colon, metric = entry.partition(":")
        if not (corpus and colon and metric):
            raise InputError(f"{entry!r}: expected CORPUS:METRIC")
        entries.setdefault(corpus, []).append(metric)
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="compare_runs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="+", metavar="NAME=PATTERN", help="a row of the table, and the paths of its runs")
    parser.add_argument("--columns", type=split_names, help="corpora to show, in this order, separated by commas")
    by = parser.add_mutually_exclusive_group()
    for column in ("language", "task"):
        words = f"columns are {column}s: means over their corpora"
        by.add_argument(f"--by-{column}", dest="by", action="store_const", const=column, default="corpus", help=words)
    parser.add_argument("--small", type=split_names, default=[], help="corpora of the column small")
    parser.add_argument("--baseline", default="", metavar="NAME", help="the row that the others are compared with")
    parser.add_argument("--published", type=Path, metavar="FILE", help="what a paper says of the rows, shown below")
    metric = "show this metric of results.json in place of the corpus's own"
    parser.add_argument("--metric", type=split_names, default=[], metavar="CORPUS:METRIC,…", help=metric)
    entries = "a column with the standard deviation over entries: each column's metric, and these further ones"
    parser.add_argument("--entries", type=split_names, metavar="CORPUS:METRIC,…", help=entries)
    parser.add_argument("--data-used", action="store_true", help="a column: share of the training examples seen")
    partial = "show what there is, where runs are missing"
    parser.add_argument("--partial", action="store_true", help=partial)
    parser.add_argument("--title", default="", help="above the table")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values to this file")
    chosen = parser.parse_args()
    try:
        rows = find_rows(chosen.rows, chosen.partial)
        if not rows:
            return
        metrics = {corpus: found[-1] for corpus, found in read_entries(chosen.metric).items()}
        rows = {name: [run.by(metrics) for run in runs] for name, runs in rows.items()}
        entries = None if chosen.entries is None else read_entries(chosen.entries)
        published = read_published(chosen.published) if chosen.published else None
        comparison = compare(
            rows, chosen.columns, chosen.small, chosen.by, chosen.baseline, entries, chosen.data_used, chosen.partial,
            order=published.corpora if published else (),
        )  # fmt: skip
        write(comparison, chosen.title, chosen.markdown, chosen.json, published)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
