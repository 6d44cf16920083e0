"""The format lines: parallel files, one for each column; row n is line n of every file."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, closing
from itertools import zip_longest
from pathlib import Path

from skill_plugin.errors import counted
from skill_plugin.readers.row import BadRow, FileNotice, Row, RowStream, UnreadableError, Wanted
from skill_plugin.readers.text_lines import Line, read_lines
from skill_plugin.spec.corpus import Corpus, RawFiles


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of parallel files.

    A blank line is an empty text, except at the end of all files, where it is no row.

    Raises:
        OSError: a file cannot be opened.
        UnreadableError: the files have different numbers of lines.
    """
    paths = origin.paths
    names = [str(reference) for reference in wanted.all if str(reference) in paths]
    for reference in wanted.optional:
        if str(reference) not in paths:
            yield FileNotice(1, f"no file for the column {reference!r}, so the labels are unknown")
    with ExitStack() as stack:
        streams = [stack.enter_context(closing(_stream(corpus, paths[name]))) for name in names]
        waiting: list[tuple[Line | None, ...]] = []  # rows that are blank in every file, and the end if none follows
        for lines in zip_longest(*streams):
            if not any(line is not None and line.text for line in lines):
                waiting.append(lines)
                continue
            for row in (*waiting, lines):
                if None in row:
                    raise _different(names, paths, corpus)
                yield _row([line for line in row if line is not None], names, paths)
            waiting.clear()


def _stream(corpus: Corpus, path: Path) -> Generator[Line, None, None]:
    try:
        yield from read_lines(path, corpus.encoding, keep_blank_end=True)
    except UnreadableError as error:
        raise UnreadableError(error.line, error.message, path) from None


def _row(lines: list[Line], names: list[str], paths: dict[str, Path]) -> Row | BadRow:
    for line, name in zip(lines, names, strict=True):
        if line.problem is not None:
            return BadRow(line.number, *line.problem, file=paths[name])
    return Row(lines[0].number, {name: line.text for line, name in zip(lines, names, strict=True)})


def _different(names: list[str], paths: dict[str, Path], corpus: Corpus) -> UnreadableError:
    counts = {name: sum(1 for _ in read_lines(paths[name], corpus.encoding, keep_blank_end=True)) for name in names}
    short, long = min(names, key=counts.__getitem__), max(names, key=counts.__getitem__)
    message = (
        f"the parallel files differ: {counted(counts[short], 'line')} here, but {counts[long]} in {paths[long].name} "
        f"({short} and {long} belong together line by line)"
    )
    return UnreadableError(counts[short], message, paths[short], lost=counts[long] - counts[short])
