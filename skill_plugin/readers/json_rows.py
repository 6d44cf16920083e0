"""The format json: one document that holds the rows in a list or an object, at its top or deeper."""

from __future__ import annotations

from skill_plugin.readers.json_scanner import JsonScanner
from skill_plugin.readers.json_values import make_rows
from skill_plugin.readers.row import RowStream, Wanted
from skill_plugin.readers.text_lines import read_document
from skill_plugin.spec.corpus import Corpus, RawFiles


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of a JSON document: a list of objects, or an object whose values are the rows.

    The corpora file's ``rows: data.items`` leads from the top to them.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the file is not JSON from some line on, or has no rows where ``rows`` leads.
    """
    scanner = JsonScanner(read_document(origin.file, corpus.encoding))
    for line, name, value in scanner.rows(corpus.rows.split(".") if corpus.rows else []):
        yield from make_rows(corpus, line, value, wanted, f"row {name!r}")
