"""The format json: one document that holds the rows in a list or an object, at its top or deeper."""

from __future__ import annotations

from skill_plugin.readers.json_scanner import JsonScanner
from skill_plugin.readers.json_values import make_rows
from skill_plugin.readers.row import BadRow, RowStream, UnreadableError, Wanted
from skill_plugin.readers.text_lines import read_document
from skill_plugin.spec.corpus import Corpus, RawFiles

COLUMNS_NOT_ROWS = 'expected rows, as pandas writes by to_json(orient="records")'


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The rows of a JSON document: a list of objects, or an object whose values are the rows.

    The corpora file's ``rows: data.items`` leads from the top to them.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the file is not JSON from some line on, has no rows where ``rows`` leads, or holds columns.
    """
    scanner = JsonScanner(read_document(origin.file, corpus.encoding))
    for line, name, value in scanner.rows(corpus.rows.split(".") if corpus.rows else []):
        for row in make_rows(corpus, line, value, wanted, f"row {name!r}"):
            if isinstance(row, BadRow) and name in wanted.all and isinstance(value, dict | list) and len(value) > 1:
                raise UnreadableError(line, f"{name!r} is a column of the document; {COLUMNS_NOT_ROWS}")
            yield row
