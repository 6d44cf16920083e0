"""The numbers of ``docs/performance.md``: a table for each file of numbers beside it, and what fell short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measures.asked import ROOT
from measures.figure import Reach, short
from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, read_text
from skill_plugin.files.whole_file import write_text

PAGE = ROOT / "docs/performance.md"
FOLDER = ROOT / "docs/performance"  # the files that --json wrote
REASONS = "reasons.json"  # beside them: how the name of a number begins -> why it falls short, a sentence
BEGIN, END = "<!-- numbers -->", "<!-- end of numbers -->"
UNITS = {"ms", "MB", "GB", "s", "kB", "bytes"}


def write_page(page: Path, folder: Path = FOLDER) -> None:
    """Puts the tables between the two marks of a page.

    Raises:
        InputError: a file cannot be read, or a mark is missing.
    """
    text = read_text(page)
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InputError(f"expected {BEGIN} and {END} around the tables", page)
    tables = "".join(f"{line}\n" for line in make_tables(folder))
    write_text(page, f"{before}{BEGIN}\n{tables}{END}{after}")


def make_tables(folder: Path) -> Iterator[str]:
    """The lines between the marks.

    Raises:
        InputError: a file cannot be read.
    """
    reasons = read_json(folder / REASONS) if (folder / REASONS).exists() else {}
    for file in sorted(folder.glob("*.json")):
        if file.name != REASONS:
            yield from make_section(read_json(file), reasons)


def make_section(run: Mapping[str, Any], reasons: Mapping[str, str]) -> Iterator[str]:
    """The lines of one run."""
    machine, figures = run["machine"], run["figures"]
    where = " and ".join(_counted(machine["gpus"])) or f"the CPU ({machine['cores']} cores)"
    yield ""
    yield f"### {' and '.join(dict.fromkeys(name.partition('/')[0] for name in figures))}: on {where}"
    yield ""
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    yield f"{machine['cpu']}, {machine['cores']} cores; {versions}; commit {run['commit']}."
    yield ""
    yield from ("```bash", run["command"], "```", "")
    yield from ("| what | measured | asked | of which |", "| --- | ---: | ---: | --- |")
    for figure in figures.values():
        yield f"| {figure['what']} | {_value(figure)} | {_asked(figure)} | {_details(figure.get('details', {}))} |"
    yield ""
    for name, figure in figures.items():
        if not figure.get("reached", True):
            why = [reason for begin, reason in reasons.items() if name.startswith(begin)]
            yield f"- {figure['what']}: {_value(figure)}, where {_reach(figure)} was asked. {' '.join(why)}".rstrip()
    yield ""


def _counted(names: list[str]) -> list[str]:
    return [f"{names.count(name)} × {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]


def _value(figure: Mapping[str, Any]) -> str:
    return f"{short(figure['value'])} {figure['unit']}".strip()


def _reach(figure: Mapping[str, Any]) -> Reach:
    ((kind, bound),) = figure["reach"].items()
    return Reach(bound, at_least=kind == "at_least")


def _asked(figure: Mapping[str, Any]) -> str:
    return f"{_reach(figure)}{'' if figure['reached'] else ': missed'}" if "reach" in figure else ""


def _details(details: Mapping[str, Any]) -> str:
    return ", ".join(_words(name, value) for name, value in details.items() if not isinstance(value, Mapping))


def _words(name: str, value: float) -> str:
    """``busy_ms`` as "busy 11.1 ms", ``sentences_per_s`` as "453 sentences/s"."""
    what, _, unit = name.rpartition("_")
    if what.endswith("_per"):
        return f"{short(value)} {what.removesuffix('_per').replace('_', ' ')}/{unit}"
    if unit in UNITS:
        return f"{what.replace('_', ' ')} {short(value)} {unit}".strip()
    return f"{name.replace('_', ' ')} {short(value)}"
