#!/usr/bin/env python3
"""Trains each corpus by itself from each of several models, with several seeds, and compares scores and their course.

    python scripts/learning_curves.py RUN_DIR DATA_BIN --corpora FILE --start NAME=ARCH:CHECKPOINT… \\
        [--published NAME=92.69,89.88] [--seeds 1 2 3] [--updates 1000] [--every 100] [--jobs 4] \\
        [-- --lr 5e-5 --batch-size 16 …]

A row of the tables is a NAME: the architecture ARCH, started by `--init-from CHECKPOINT`. Every run is a
`fairseq-train` of one corpus, which is scored on its valid split after every so many updates; no checkpoints are
written. `--jobs` runs are made at a time, on one device if there is one. `--published` gives what a paper says of a
row, in percent, a number for each corpus in the order of the corpora file (`-` where it has none).

RUN_DIR has a folder for each run with its log and its scores (`curve.json`); the same command again makes only what
is missing, and other options for runs that are there are refused. At the end stand

- table.md: of each row and corpus the mean over seeds of the best score of a run, ± the sample standard deviation, and
  the difference of each row from the first, paired by seed, with its bootstrap interval over seeds and corpora and p of
  Student's t-test over seeds,
- curve.md, curve.png: the mean score of each row after so many updates, for each corpus,
- table.json: all of it, with the scores of each seed.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.files.figure_file import save_figure
from skill_plugin.files.json_file import read_json, write_json
from skill_plugin.files.locks import locked
from skill_plugin.files.whole_file import write_text
from skill_plugin.options.corpus_values import parse_each
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.report.comparison.paired import Difference, paired_difference
from skill_plugin.report.comparison.table import ABSENT, show, show_difference
from skill_plugin.report.markdown_table import markdown_table
from skill_plugin.report.run_log import RUN_LOG, read_run_log
from skill_plugin.report.spread import Spread
from skill_plugin.runs.cores import share_of_cores
from skill_plugin.runs.fairseq import train_command
from skill_plugin.runs.logged_programs import LoggedPrograms
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.spec.names import split_names
from skill_plugin.store.corpus_store import list_splits

OWN = shlex.split(
    "--task multilingual_multitask --criterion multitask_cross_entropy --optimizer skill_adam "
    "--lr-scheduler polynomial_decay --no-save --no-progress-bar --log-interval 100 "
    "--validate-interval 1000000"  # only after so many updates, never at the end of an epoch
)


@dataclass(frozen=True)
class Start:
    """A row: its name, its architecture, and what its runs start from."""

    name: str
    arch: str
    checkpoint: str


@dataclass(frozen=True)
class Run:
    """One run: its folder, the update after which it ends, and the ``fairseq-train`` that makes it."""

    start: Start
    corpus: str
    seed: int
    updates: int
    folder: Path
    command: list[str]

    @property
    def curve(self) -> Path:
        return self.folder / "curve.json"

    def scores(self) -> dict[int, float] | None:
        """The score after so many updates; None where the run is not done.

        Raises:
            InputError: made with other options, or damaged.
        """
        if not self.curve.exists():
            return None
        content = read_json(self.curve)
        try:
            begun, scores = content["command"], {int(n): float(score) for n, score in content["scores"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("damaged; delete it to make the run anew", self.curve) from None
        if begun != self.command[1:]:
            now = " ".join(part for part in self.command[1:] if part not in begun) or "fewer options"
            raise InputError(
                f"made with other options than now ({now}); keep them, or name another RUN_DIR", self.curve
            )
        return scores


def make_run(run: Run, programs: LoggedPrograms, environment: Mapping[str, str]) -> float:
    """Trains, and keeps the scores; the seconds that it took.

    Raises:
        InputError: the training failed.
        Stopped: it was ended.
    """
    log, numbers, begin = run.folder / "train.log", run.folder / RUN_LOG, time.monotonic()
    for one in (log, numbers):
        one.unlink(missing_ok=True)  # of a run that was stopped; this one begins anew
    fault = f"it has no score after {run.updates} updates; see {log}"
    try:
        programs.run([*run.command, "--save-dir", str(run.folder)], log, environment)
    except InputError as error:
        fault = str(error)
    scores = read_scores(numbers) if numbers.exists() else {}
    if run.updates not in scores:  # a run that has its last score is done, however its process ends
        raise InputError(f"{run.folder} failed: {fault}")
    write_json(run.curve, {"command": run.command[1:], "scores": scores})
    return time.monotonic() - begin


def read_scores(log: Path) -> dict[int, float]:
    """The score after so many updates, from the ``log.jsonl`` of a run of one corpus, whose ``avg`` is its metric.

    Raises:
        InputError: it cannot be read.
    """
    validated = [line for line in read_run_log(log) if line["event"] == "valid"]
    return {line["update"]: line["values"]["avg"] for line in validated if "avg" in line["values"]}


def parse_start(text: str) -> Start:
    """``NAME=ARCH:CHECKPOINT``.

    Raises:
        InputError: not of that form, or there is no such file.
    """
    name, _, rest = text.partition("=")
    arch, _, checkpoint = rest.partition(":")
    if not (name and arch and checkpoint) or "/" in name:
        raise InputError(
            f"--start {text!r}: expected NAME=ARCH:CHECKPOINT, as joint=dense_base:joint/checkpoint_best.pt"
        )
    if not Path(checkpoint).exists():
        raise InputError(f"--start {name}: no such file", checkpoint)
    return Start(name, arch, checkpoint)


def parse_published(texts: Sequence[str], names: Sequence[str], corpora: Sequence[str]) -> dict[str, dict[str, float]]:
    """``NAME=V,V`` of some rows: their published scores by corpus, from 0 to 1.

    Raises:
        InputError: not of that form, not a row, or one that is named twice.
    """

    def read(values: str) -> dict[str, float] | None:
        parts = values.split(",")
        try:
            found = {c: float(part) / 100 for c, part in zip(corpora, parts, strict=True) if part != "-"}
        except ValueError:
            return None
        return found

    published = parse_each(texts, "--published", read, f"NAME=V,V, a number or - for each of {', '.join(corpora)}")
    for name in published:
        if name not in names:
            raise InputError(f"--published: {name!r} is the name of no --start{nearest(name, names)}")
    return published


def choose(data: Path, file: Path, only: Sequence[str] | None) -> list[str]:
    """The corpora that are trained, in the file's order.

    Raises:
        InputError: one lacks a split in the data folder, or does not count in ``avg``.
    """
    spec = read_corpora_file(file, only)
    for name, corpus in spec.corpora.items():
        for split in ("train", "valid"):
            if split not in list_splits(data, name):
                raise InputError(f"{name} has no {split} split here", data)
        if not corpus.in_average:
            raise InputError(f"{name} does not count in avg, by which runs are scored", file, corpus.line)
    return list(spec.corpora)


def plan(
    asked: argparse.Namespace, starts: Sequence[Start], corpora: Sequence[str], options: Sequence[str]
) -> list[Run]:
    """All runs, those of one seed together, so that a table of fewer seeds is there soon."""
    schedule = ["--max-update", "--total-num-update"]
    ends = [part for option in schedule for part in (option, str(asked.updates))]
    ends += ["--validate-interval-updates", str(asked.every), *(["--cpu"] if asked.device == "cpu" else [])]
    runs = []
    for seed in asked.seeds:
        for start in starts:
            for corpus in corpora:
                words = ["--corpora", str(asked.corpora), "--only-corpora", corpus, "--arch", start.arch]
                words += ["--init-from", start.checkpoint, "--seed", str(seed), *OWN, *ends, *options]
                folder = asked.run_dir / start.name / corpus / f"seed{seed}"
                command = train_command(str(asked.data_bin), words)
                runs.append(Run(start, corpus, seed, asked.updates, folder, command))
    return runs


def make(runs: Sequence[Run], jobs: int) -> None:
    """Makes runs, several at a time.

    Raises:
        InputError: one failed; the others are ended.
    """
    programs, environment = LoggedPrograms(), share_of_cores(jobs)
    with ThreadPoolExecutor(jobs) as pool:
        made = {pool.submit(make_run, run, programs, environment): run for run in runs}
        try:
            for number, future in enumerate(as_completed(made), 1):
                seconds, run = future.result(), made[future]
                best = max((run.scores() or {}).values())
                print(f"[{number}/{len(runs)}] {run.folder}: best {100 * best:.1f} ({seconds:.0f} s)", flush=True)
        except BaseException:
            programs.stop()
            pool.shutdown(cancel_futures=True)
            raise


Curves = Mapping[tuple[str, str], Mapping[int, Spread]]  # row, corpus -> updates -> scores of the seeds


def collect(runs: Sequence[Run]) -> tuple[dict[tuple[str, str], Spread], Curves]:
    """The best score of each run by row and corpus, and the scores after so many updates."""
    found: dict[tuple[str, str], list[dict[int, float]]] = {}
    for run in runs:
        found.setdefault((run.start.name, run.corpus), []).append(run.scores() or {})
    best = {key: Spread(tuple(max(scores.values()) for scores in each)) for key, each in found.items()}
    curves = {
        key: {n: Spread(tuple(scores[n] for scores in each)) for n in each[0] if all(n in one for one in each)}
        for key, each in found.items()
    }
    return best, curves


def report(
    folder: Path,
    names: Sequence[str],
    corpora: Sequence[str],
    runs: Sequence[Run],
    published: Mapping[str, Mapping[str, float]],
) -> None:
    """Writes the tables and the plot, and prints the tables."""
    best, curves = collect(runs)
    first, *others = names
    scores = {name: np.array([best[name, corpus].values for corpus in corpora]).T for name in names}  # [seeds, corpora]
    differences = {name: paired_difference(scores[name], scores[first]) for name in others}
    table = _best_table(best, names, corpora, len({run.seed for run in runs}), published, differences)
    course = "".join(f"{_course_table(curves, names, corpus)}\n" for corpus in corpora)
    print(f"\n{table}\n{course}", end="")
    for file, text in (("table.md", table), ("curve.md", course)):
        write_text(folder / file, text)
    draw(curves, names, corpora, folder / "curve.png")
    write_json(folder / "table.json", {"rows": {
        name: {
            "corpora": {
                corpus: {
                    "best": list(best[name, corpus].values),
                    "published": published.get(name, {}).get(corpus),
                    "curve": {n: list(spread.values) for n, spread in curves[name, corpus].items()},
                }
                for corpus in corpora
            },
            "differences": {"all": asdict(differences[name])} if name in differences else {},
        }
        for name in names
    }})  # fmt: skip


def _best_table(
    best: Mapping[tuple[str, str], Spread],
    names: Sequence[str],
    corpora: Sequence[str],
    seeds: int,
    published: Mapping[str, Mapping[str, float]],
    differences: Mapping[str, Difference],
) -> str:
    """The best scores of each row, beside what is published, and how far they are from the first row's."""
    header, lines = [""], [[name] for name in names]
    for corpus in corpora:
        header += [corpus, *[f"{corpus}, published"] * bool(published)]
        for name, line in zip(names, lines, strict=True):
            line.append(show(best[name, corpus]))
            if published:
                value = published.get(name, {}).get(corpus)
                line.append(ABSENT if value is None else f"{100 * value:.2f}")
    note = f"Best score on valid, in percent; mean ± standard deviation of {counted(seeds, 'seed')}"
    if differences:
        header.append(f"all − {names[0]}")
        for line in lines:
            line.append(show_difference(differences[line[0]]) if line[0] in differences else "")
        note += f"; − {names[0]}: paired by seed"
        if seeds > 1:
            note += ", with the 95 % bootstrap interval over seeds and corpora, and p of Student's t-test over seeds"
    return f"{markdown_table(header, lines)}\n{note}.\n"


def _course_table(curves: Curves, names: Sequence[str], corpus: str) -> str:
    """The scores of a corpus after so many updates, row by row."""
    updates = sorted({n for name in names for n in curves[name, corpus]})
    lines = [[name, *(show(at[n]) if n in (at := curves[name, corpus]) else ABSENT for n in updates)] for name in names]
    return markdown_table([f"{corpus}, after updates", *map(str, updates)], lines)


def draw(curves: Curves, names: Sequence[str], corpora: Sequence[str], path: Path) -> None:
    """Draws the mean score over updates, a panel a corpus, with the deviation as a band."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(corpora), 3.5), layout="constrained")
    for corpus, ax in zip(corpora, figure.subplots(1, len(corpora), squeeze=False)[0], strict=True):
        for name in names:
            points = sorted(curves[name, corpus].items())
            updates, means = [n for n, _ in points], [100 * spread.mean for _, spread in points]
            widths = [100 * (spread.deviation or 0.0) for _, spread in points]
            line = ax.plot(updates, means, marker="o", markersize=3, label=name)[0]
            low, high = ([m + side * w for m, w in zip(means, widths, strict=True)] for side in (-1, 1))
            ax.fill_between(updates, low, high, alpha=0.15, color=line.get_color())
        ax.set_title(corpus, loc="left")
        ax.set_xlabel("updates")
    figure.axes[0].legend()
    save_figure(figure, path, dpi=120)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="where runs and tables go")
    parser.add_argument("data_bin", type=Path, metavar="DATA_BIN", help="folder that `skill-plugin prepare` wrote")
    parser.add_argument("--corpora", type=Path, required=True, metavar="FILE", help="the corpora file")
    parser.add_argument("--only-corpora", type=split_names, metavar="A,B", help="corpora to train (default: all)")
    parser.add_argument("--start", action="append", required=True, metavar="NAME=ARCH:CHECKPOINT", help="a row")
    parser.add_argument(
        "--published", action="append", default=[], metavar="NAME=V,V", help="a paper's scores of a row"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], metavar="S", help="default: 1 2 3")
    parser.add_argument("--updates", type=int, default=1000, metavar="N", help="of a run (default: 1000)")
    parser.add_argument(
        "--every", type=int, default=100, metavar="N", help="updates from score to score (default: 100)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda", help="default: cuda")
    return parser


def work(asked: argparse.Namespace, options: Sequence[str]) -> None:
    """Everything that a command line asks for.

    Raises:
        InputError: something does not fit, or a run failed.
    """
    for name in ("updates", "every", "jobs"):
        if getattr(asked, name) < 1:
            raise InputError(f"--{name} {getattr(asked, name)}: expected at least 1")
    starts = [parse_start(text) for text in asked.start]
    names = [start.name for start in starts]
    for named, option in ((names, "--start"), (asked.seeds, "--seeds"), (asked.only_corpora or (), "--only-corpora")):
        refuse_repeats(named, option)
    corpora = choose(asked.data_bin, asked.corpora, asked.only_corpora)
    published = parse_published(asked.published, names, corpora)
    runs = plan(asked, starts, corpora, options)
    asked.run_dir.mkdir(parents=True, exist_ok=True)
    with locked(asked.run_dir / ".lock", asked.run_dir, "another learning_curves.py"):
        make([run for run in runs if run.scores() is None], asked.jobs)
        report(asked.run_dir, names, corpora, runs, published)


def main() -> None:
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    asked = parser().parse_args(given[:cut])
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    try:
        work(asked, given[cut + 1 :])
    except InputError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        print("\nstopped; the same command makes what is missing", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
