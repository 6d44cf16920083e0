#!/usr/bin/env python3
"""Measures what training, reading and predicting cost, most of it as ratios side by side in one run on this machine.

    .venv/bin/python scripts/bench.py [--only NAME…] [--device cuda] [--json FILE]

A line is printed for each number as it comes: a median, what it should reach and whether it does, and what it is made
of. A NAME is a measure's, or as much of the name of a number as tells it apart (--list shows them). Nothing else should
run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # this checkout is measured, whichever one is installed

from measures import BY_DEFAULT, MEASURES, cases_of
from measures.asked import Asked, Cases
from measures.machine import describe_machine
from measures.page import FOLDER, PAGE, write_page
from measures.runs import FailedRunError

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import write_json
from skill_plugin.variants.encoder_shape import SIZES


def make_parser() -> argparse.ArgumentParser:
    measures = "\n".join(f"  {name:12} {what}" for name, what in MEASURES.items())
    parser = argparse.ArgumentParser(
        description=f"{__doc__}\nmeasures:\n{measures}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="what to measure (default: what takes some minutes)")
    parser.add_argument("--list", action="store_true", help="show what there is to measure, and measure nothing")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to this file, and on what machine")
    parser.add_argument("--rounds", type=int, help="of each comparison (default: as the measure needs)")
    parser.add_argument("--tiny", action="store_true", help="as small as can be, to see that everything runs")
    parser.add_argument("--data", type=Path, metavar="DATA_BIN", help="for whole runs; default: made texts")
    parser.add_argument("--corpora", type=Path, metavar="FILE", help="its corpora file")
    parser.add_argument("--size", choices=SIZES, help="of models (default: small on the CPU, base on a GPU)")
    parser.add_argument("--variants", type=lambda names: tuple(names.split(",")), help="for whole runs, default: all")
    parser.add_argument("--options", action="append", help="of fairseq-train, for update; again: another setting")
    parser.add_argument(
        "--beside", type=named_folder, action="append", metavar="NAME=FOLDER", help="for update: another checkout too"
    )
    parser.add_argument(
        "--page", type=Path, nargs="?", const=PAGE, metavar="FILE",
        help="measure nothing, and write the tables of a page, by default of docs/performance.md",
    )  # fmt: skip
    parser.add_argument("--page-files", type=Path, default=FOLDER, metavar="FOLDER", help="what --json wrote, for it")
    parser.add_argument("--commit", help="of this checkout, where there is no git")
    return parser


def named_folder(argument: str) -> tuple[str, Path]:
    name, equals, folder = argument.partition("=")
    if not (name and equals and Path(folder, "skill_plugin").is_dir()):
        raise argparse.ArgumentTypeError(f"{argument!r}: expected NAME=FOLDER, a checkout")
    return name, Path(folder)


def chosen_cases(parser: argparse.ArgumentParser, given: argparse.Namespace, asked: Asked) -> Cases:
    """Those that --only names, or that are measured by default."""
    names = given.only or BY_DEFAULT[asked.device]
    measures = [one for one in MEASURES if any(one.startswith(name) or name.startswith(f"{one}/") for name in names)]
    cases = {name: case for measure in measures for name, case in cases_of(measure, asked).items()}
    chosen = {name: case for name, case in cases.items() if any(map(name.startswith, names))}
    if not chosen:
        known = [*MEASURES, *(name for name in cases if name not in chosen)]
        parser.error(f"nothing to measure on {asked.device} called {' '.join(names)}; known: {', '.join(known)}")
    return chosen


def measure(cases: Cases, about: Mapping[str, object], file: Path | None) -> bool:
    """Prints and writes each number as it comes, so that a run that is stopped has given those before.

    Args:
        cases: what is measured.
        about: what the file says beside the numbers.
        file: to write.

    Returns:
        Whether all gave their numbers.
    """
    figures: dict[str, object] = {}
    width, whole = max(map(len, cases)), True
    for case, numbers in cases.items():
        try:
            for figure in numbers():
                name = f"{case}/{figure.name}" if figure.name else case
                figures[name] = figure.to_json()
                print(f"{name:{width}} {figure}", flush=True)
                if file is not None:
                    write_json(file, {**about, "figures": figures})
        except FailedRunError as error:
            whole = False
            print(f"{case}: {error}", file=sys.stderr, flush=True)
    return whole


def without(arguments: list[str], *options: str) -> list[str]:
    """The arguments but for some options with their values, which say nothing of what is measured."""
    joined = [one for one in arguments if not one.startswith(tuple(f"{option}=" for option in options))]
    after = ["", *joined]
    return [one for one, before in zip(joined, after, strict=False) if one not in options and before not in options]


def main() -> None:
    parser = make_parser()
    given = parser.parse_args()
    if (given.data is None) != (given.corpora is None):
        parser.error("--data and --corpora go together")
    if given.page is not None:
        try:
            write_page(given.page, given.page_files)
        except InputError as error:
            sys.exit(str(error))
        return
    if len(dict(given.beside or ())) < len(given.beside or ()):
        parser.error("--beside names a checkout twice")
    asked = Asked(
        given.device, given.rounds, given.tiny, given.data, given.corpora, given.size, given.variants,
        tuple(given.options or [""]), tuple(given.beside or ()),
    )  # fmt: skip
    cases = chosen_cases(parser, given, asked)
    if given.list:
        print("\n".join(cases))
        return
    command = shlex.join(["python", "scripts/bench.py", *without(sys.argv[1:], "--json", "--commit")])
    try:
        whole = measure(cases, {**describe_machine(given.commit), "command": command}, given.json)
    except InputError as error:
        sys.exit(str(error))
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
