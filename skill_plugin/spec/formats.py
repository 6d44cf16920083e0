"""Which raw formats there are, one line each, and what is known of each before a file is opened.

A format's reader is a file of ``readers/`` with a function ``read_rows(corpus, origin, wanted)``, imported when it
is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

_OF_TABLES = (
    "header", "quoting", "separator", "quote", "escape", "extra_cells", "missing_cells", "max_cells", "where",
)  # fmt: skip


@dataclass(frozen=True)
class Format:
    """A raw format.

    Attributes:
        reader: file of ``readers/`` that reads it.
        options: keys of a corpus that say something for this format, but not for every one.
        every_kind: whether a row is an item of any kind; otherwise a kind says that it can be read from it.
        named: whether its columns are what ``columns`` names, as in other such formats, which ``as`` inherits.
        cells: whether a row is so many cells, which are also counted from its end.
        plain: whether its texts stand in it as they are, so that what joins two files stands in a text.
        nested: whether a value may be a list or an object.
        folder: whether a folder may stand for a file.
        separator, quoting: where the corpus does not say.
    """

    reader: str
    options: tuple[str, ...] = ()
    every_kind: bool = True
    named: bool = True
    cells: bool = False
    plain: bool = False
    nested: bool = False
    folder: bool = False
    separator: str = "\t"
    quoting: str = "none"


FORMATS = {
    "tsv": Format("delimited", _OF_TABLES, cells=True, plain=True),
    "csv": Format("delimited", _OF_TABLES, cells=True, plain=True, separator=",", quoting="csv"),
    "jsonl": Format("jsonl", ("each", "where"), nested=True),
    "json": Format("json_rows", ("rows", "each", "where"), nested=True),
    "parquet": Format("parquet", ("each", "where"), nested=True),
    "arrow": Format("arrow", ("each", "where"), nested=True, folder=True),
    "xlsx": Format("xlsx", ("header", "sheet", "extra_cells", "missing_cells", "where"), cells=True),
    "lines": Format("lines", ("where",), named=False, plain=True),
    "conll": Format(
        "conll", ("separator", "extra_cells", "max_cells"), False, named=False, cells=True, plain=True, separator=""
    ),
    "squad": Format("squad", ("where",), False, named=False),
}
OF_EVERY_KIND = tuple(name for name, one in FORMATS.items() if one.every_kind)
OPTIONS_OF_FORMATS = {  # option -> the formats that have it
    option: tuple(name for name, one in FORMATS.items() if option in one.options)
    for option in dict.fromkeys(option for one in FORMATS.values() for option in one.options)
}
