"""Detects files of a corpus whose headers differ where columns are taken by their numbers, as if they were alike."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from skill_plugin.readers.example import Fault
from skill_plugin.readers.packed import unpacking_errors
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.split_collector import tidy_path
from skill_plugin.spec.columns import list_columns
from skill_plugin.spec.corpus import Corpus, RawFiles
from skill_plugin.spec.formats import FORMATS


def note_other_headers(corpus: Corpus) -> Iterator[tuple[str, Fault]]:
    """For each file one notice, with its split, where a numbered column has another name than in the corpus's first
    file. Files that cannot be read are passed over."""
    numbers = [one for column in corpus.columns.values() for one in list_columns(column) if isinstance(one, int)]
    numbers += [one for one in corpus.where if isinstance(one, int)]
    inputs = [(split, one) for split, source in corpus.sources.items() if source.cut is None for one in source.inputs]
    files = list(dict.fromkeys(one.files for _, one in inputs))
    if not numbers or not corpus.header or "header" not in FORMATS[corpus.format].options or len(files) < 2:
        return
    first: tuple[Path, dict[int, str]] | None = None
    for split, origin in inputs:
        header = _header(corpus, origin)
        names = {number: header[number].strip() for number in numbers if -len(header) <= number < len(header)}
        if first is None:
            first = (origin.file, names) if names else None
            continue
        for number, name in names.items():
            other = first[1].get(number, name)
            if name.lower() != other.lower():
                message = f"column {number}, which is taken by its number, is {name!r} here and {other!r} in "
                yield split, Fault(tidy_path(origin.file), 1, f"{message}{tidy_path(first[0])}")
                break


def _header(corpus: Corpus, origin: RawFiles) -> list[str]:
    """The cells of the first row; none where it cannot be read."""
    reader = import_module(f"skill_plugin.readers.{FORMATS[corpus.format].reader}")
    try:
        cells: list[str] = reader.read_header(corpus, origin)
        return cells
    except (OSError, UnreadableError):  # told where the rows are read
        return []
    except unpacking_errors():
        return []
