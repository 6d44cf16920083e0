"""The formats: rows as the text of a file, or as the bytes of a binary one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from tests.random_corpora.cells import cells_of
from tests.random_corpora.drawn import Drawn
from tests.random_corpora.rows import Row


def tsv(drawn: Drawn, rows: Sequence[Row]) -> str:
    return "".join(drawn.separator.join(cells) + drawn.end for cells in _table(drawn, rows))


def csv_(drawn: Drawn, rows: Sequence[Row]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=drawn.separator, lineterminator=drawn.end).writerows(_table(drawn, rows))
    return out.getvalue()


def jsonl(drawn: Drawn, rows: Sequence[Row]) -> str:
    ascii_only = drawn.rng.random() < 0.5
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + drawn.end for row in rows)


def json_(drawn: Drawn, rows: Sequence[Row]) -> str:
    content: Any = list(rows) if drawn.rng.random() < 0.5 else {f"k{n}": row for n, row in enumerate(rows)}
    return json.dumps(content, ensure_ascii=False, indent=drawn.rng.choice([None, 1]))


def conll(drawn: Drawn, rows: Sequence[Row]) -> str:
    blocks = []
    for row in rows:
        tokens = row["t"] if "t" in row else row["a"].split() or ["x"]
        tags = row.get("g", ["_"] * len(tokens))
        blocks.append("".join(f"{token}\t{tag}{drawn.end}" for token, tag in zip(tokens, tags, strict=True)))
    return drawn.end.join(blocks)


def squad(_: Drawn, rows: Sequence[Row]) -> str:
    paragraphs = []
    for number, row in enumerate(rows):
        answer = {"text": row["w"], "answer_start": row["s"]}
        question = {"id": str(number), "question": row["q"], "answers": [answer]}
        paragraphs.append({"context": row["c"], "qas": [question]})
    articles = [{"title": f"t{n}", "paragraphs": paragraphs[n::3]} for n in range(3)]
    return json.dumps({"version": "1", "data": articles})


def parquet(drawn: Drawn, rows: Sequence[Row]) -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(_arrow_table(rows), out, row_group_size=drawn.rng.choice([2, 100]))
    return out.getvalue()


def arrow(drawn: Drawn, rows: Sequence[Row]) -> bytes:
    out, table = io.BytesIO(), _arrow_table(rows)
    if drawn.rng.random() < 0.5:
        pyarrow.feather.write_feather(table, out, compression="uncompressed")
    else:
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def xlsx(drawn: Drawn, rows: Sequence[Row]) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for cells in _table(drawn, rows):
        book.active.append(cells)
    book.save(out)
    return out.getvalue()


def _table(drawn: Drawn, rows: Sequence[Row]) -> list[list[str]]:
    """The cells of the rows, below the header where there is one."""
    cells = [cells_of(drawn.kind, row) for row in rows]
    return ([list(cells[0])] if drawn.header else []) + [list(row.values()) for row in cells]


def _arrow_table(rows: Sequence[Row]) -> pa.Table:
    """Labels of some are numbers and of others text, which a column cannot be."""
    one_type = {name: len({type(row[name]) for row in rows}) == 1 for name in rows[0]}
    return pa.Table.from_pylist([{k: v if one_type[k] else str(v) for k, v in row.items()} for row in rows])


WRITERS: dict[str, Callable[[Drawn, Sequence[Row]], str | bytes]] = {
    "tsv": tsv, "csv": csv_, "jsonl": jsonl, "json": json_, "conll": conll, "squad": squad, "parquet": parquet,
    "arrow": arrow, "xlsx": xlsx,
}  # fmt: skip
