"""Random corpora files with random raw files, and their rows counted by the standard library alone.

What people's files hold is all there: every kind in every format that it can be read from, scripts of many languages,
empty and long texts, quotes, line ends of three sorts, byte order marks, other encodings, compressed files, headers or
none, labels that look odd, and, in one corpus of three, something that is broken.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from backports import zstd

from skill_plugin.kinds.registry import kind_named, kind_names

Row = dict[str, Any]  # column of the file -> text, number or list
WORDS = [
    "the", "cat", "sat", "mat", "dog", "Straße", "läuft", "niño", "manzana", "北京", "天气", "很好", "이것은", "книга",
    "كتاب", "किताब", "ภาษาไทย", "12345", "U.S.", "el.", "a,b", "c;d", "🙂", "x|y", "don't", "'so'", "#", "<s>",
    "</s>", "<mask>", "[CLS]", "[SEP]", "\u00a0", "e\u0301", "ＡＢ", "-DOCSTART-", "null", "N/A", "0", "1", "nan",
]  # fmt: skip
LABELS = [
    "yes",
    "no",
    "two words",
    "0",
    "1",
    "none",
    "ß",
    "中性",
    "a/b",
    "x:y",
    "#tag",
    "O'",
    "émotion",
    "True",
    "null",
]
PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}
OBJECTS = ("jsonl", "json", "parquet", "arrow")  # formats of which a value may be a list
BINARY = ("parquet", "arrow", "xlsx")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "gb18030", "utf-16")


@dataclass
class Made:
    """One random corpus.

    Attributes:
        section: its lines of the corpora file.
        files: by name, as bytes.
        unit: what the file has a row for: ``row`` (an example), a query's ``candidates``, a document's ``sentences``.
        rows: of each split, counted in what was written.
    """

    kind: str
    format: str
    unit: str = "row"
    section: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


def write_random_corpora(folder: Path, seed: int) -> dict[str, Made]:
    """Writes corpora.yaml and its raw files into a folder."""
    rng = random.Random(seed)
    made = {f"c{number}": _Maker(rng, f"c{number}").make() for number in range(rng.randint(1, 4))}
    lines = ["languages: [en, de, zh]", "skills: {generic: on, other: off}", "corpora:"]
    for name, corpus in made.items():
        lines += [f"  {name}:", *(f"    {line}" for line in corpus.section)]
        for file, content in corpus.files.items():
            (folder / file).write_bytes(content)
    (folder / "corpora.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


class _Maker:
    """Makes one corpus out of random choices."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.kind = rng.choice([*kind_names()])
        self.format = rng.choice(kind_named(self.kind).formats)
        self.quoted = self.format in (*OBJECTS, "squad", "csv", "xlsx")  # cells may hold anything
        self.encoding = "utf-8" if self.format in BINARY else rng.choice(ENCODINGS)
        self.end = rng.choice(["\n", "\n", "\r\n"])
        self.header = rng.random() < 0.7
        self.separator = rng.choice([",", ";", "\t"]) if self.format == "csv" else "\t"
        usable = [one for one in LABELS if self.kind != "multilabel" or "," not in one]
        self.labels = rng.sample(usable, rng.choice([2, 3]))
        self.broken = rng.random() < 0.35
        self.missing = rng.random() < 0.1  # whether rows may end early
        self.part = rng.choice([None, None, None, "30%", 1])  # of train, to train on
        self.columns, self.row = getattr(self, f"_{self.kind}")()

    def make(self) -> Made:
        made = Made(self.kind, self.format, self._unit())
        rng = self.rng
        made.section = [
            f"kind: {self.kind}", f"language: {rng.choice(['en', 'de', 'zh'])}", "skills: [generic]",
            f"format: {self.format}", *self._options(),
        ]  # fmt: skip
        divided = rng.random() < 0.15
        if divided:
            made.section.append("split: {valid: 25%}")
        if self.part is not None:
            made.section.append(f"train_rows: {self.part}")
        for split, most in (("train", 14), ("valid", 6), ("test", 4)):
            if split == "train" or (rng.random() < 0.6 and not (divided and split == "valid")):
                rows = [self.row() for _ in range(rng.randint(4 if split == "train" else 1, most))]
                self._write(made, split, rows)
        return made

    def _unit(self) -> str:
        if self.kind == "ranking" and "text_b" in self.columns:
            return "candidates"
        if self.kind == "next_sentence" and (self.format == "conll" or "sentence" in self.columns):
            return "sentences"
        return "row"

    def _options(self) -> list[str]:
        lines = []
        if self.format not in ("squad", "lines"):
            columns: dict[str, Any] = dict(self.columns)
            if self.format in ("tsv", "csv", "xlsx") and not self.header:
                order = list(self._cells(self.row()))
                first = -len(order) if self.rng.random() < 0.3 and not self.missing else 0
                columns = {
                    meaning: [first + order.index(one) for one in name]
                    if isinstance(name, list)
                    else first + order.index(name)
                    for meaning, name in columns.items()
                }
            if self.format == "conll":
                columns = {"token": 0, **({"tag": 1} if self.kind == "labelling" else {})}
            lines.append(f"columns: {json.dumps(columns)}")
        if self.format in ("tsv", "csv", "xlsx"):
            lines += [f"header: {json.dumps(self.header)}"]
            lines += [f"separator: {json.dumps(self.separator)}"] if self.format != "xlsx" else []
            lines += ["extra_cells: drop"] if self.rng.random() < 0.15 else []
            lines += ["missing_cells: empty"] if self.missing else []
        if self.format == "csv":
            lines.append("quoting: csv")
        encoding = self.encoding.removesuffix("-sig")
        lines += [f"encoding: {encoding}"] if encoding != "utf-8" else []
        lines += ["on_bad_row: skip"] if self.rng.random() < 0.3 else []
        if self.kind in ("classification", "word_in_context") and self.rng.random() < 0.5:
            lines.append(f"labels: {json.dumps(self.labels)}")
        if self.kind in ("classification", "multilabel", "labelling", "word_in_context") and self.rng.random() < 0.3:
            lines += ["class_weights: balanced", "label_smoothing: 0.1"]
        return lines + self._of_scores() + self._text_to_text()

    def _of_scores(self) -> list[str]:
        """The main metric, and what heads and metrics ask of it."""
        rng, kind = self.rng, kind_named(self.kind)
        metric = rng.choice(kind.metrics) if rng.random() < 0.5 else kind.default_metric
        lines = [f"metric: {metric}"] if metric != kind.default_metric else []
        if "positive_label" in kind.options and ((metric == "f1" and len(self.labels) > 2) or rng.random() < 0.2):
            lines.append(f"positive_label: {json.dumps(self.labels[0])}")
        if self.kind == "ranking":
            loss = rng.choice(["pointwise", "listwise", *(["graded"] if "text_b" in self.columns else [])])
            lines += [f"loss: {loss}"] + (["without_positive: zero"] if rng.random() < 0.3 else [])
        if self.kind == "regression":
            lines += ["score_scale: raw"] if rng.random() < 0.3 else []
            lines += ["score_range: [0, 5]"] if rng.random() < 0.3 else []
        return lines

    def _text_to_text(self) -> list[str]:
        """Keys that say something for text-to-text models alone."""
        kind = kind_named(self.kind)
        lines = ["prefix: 'ask: this'"] if "prefix" in kind.options and self.rng.random() < 0.3 else []
        named = [name for name in kind.named_texts(self.columns) if self.rng.random() < 0.3]
        lines += [f"text_names: {json.dumps(dict.fromkeys(named, 'x'))}"] if named else []
        answers = kind.fixed_labels or (self.labels if kind.has_labels else ("0", "1"))
        if "targets" in kind.options and self.rng.random() < 0.3:
            lines.append(f"targets: {json.dumps({self.rng.choice(answers): 'der Hund'})}")
        return lines

    # the kinds: columns of the corpora file, and a function that makes a row

    def _classification(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        columns = {"text_a": "a", "label": "l"} | ({"text_b": "b"} if self.rng.random() < 0.5 else {})
        texts = [name for meaning, name in columns.items() if meaning != "label"]
        return columns, lambda: {**{name: self._text() for name in texts}, "l": self.rng.choice(self.labels)}

    def _multilabel(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        some = lambda: [label for label in self.labels if self.rng.random() < 0.5]  # noqa: E731
        return {"text_a": "a", "label": "l"}, lambda: {"a": self._text(), "l": some()}

    def _regression(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        columns = {"text_a": "a", "text_b": "b", "score": "s"}
        return columns, lambda: {"a": self._text(), "b": self._text(), "s": self.rng.randint(0, 50) / 10}

    def _ranking(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        rng = self.rng
        if self.format == "lines" or rng.random() < 0.4:
            queries = [self._text(least=1) for _ in range(3)]
            columns = {"text_a": "q", "text_b": "c", "label": "l"}
            return columns, lambda: {"q": rng.choice(queries), "c": self._text(least=1), "l": rng.randint(0, 1)}
        if self.format in OBJECTS and rng.random() < 0.5:
            choices = lambda: [self._text(least=1) for _ in range(3)]  # noqa: E731
            columns = {"text_a": "q", "choices": "c", "label": "l"}
            return columns, lambda: {"q": self._text(), "c": choices(), "l": rng.randrange(3)}
        names = ["c0", "c1", "c2"]
        listed: dict[str, Any] = {"text_a": "q", "choices": names, "label": "l"}
        texts = lambda: {name: self._text(least=1) for name in names}  # noqa: E731
        return listed, lambda: {"q": self._text(), **texts(), "l": rng.randrange(3)}

    def _labelling(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        def row() -> Row:
            tokens = [word for word in self._text(least=1, plain=True).split() if word not in ("#", "-DOCSTART-")]
            tokens = tokens or ["x"]
            tags = [self.rng.choice(["O", "B-X", "B-Y"]) for _ in tokens]
            for number in range(1, len(tags)):
                if tags[number - 1] != "O" and self.rng.random() < 0.3:
                    tags[number] = f"I-{tags[number - 1][2:]}"
            return {"t": tokens, "g": tags}

        return {"token": "t", "tag": "g"}, row

    def _span(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        def row() -> Row:
            context = self._text(least=2, plain=True).strip() or "x"
            words = context.split()
            answer = self.rng.choice(words)
            return {"q": self._text(least=1), "c": context, "w": answer, "s": context.index(answer)}

        return {"question": "q", "context": "c", "answers": "w", "answer_start": "s"}, row

    def _word_in_context(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        def row() -> Row:
            words = [self._text(least=2, plain=True).split() or ["x"] for _ in range(2)]
            chosen = [self.rng.randrange(len(one)) for one in words]
            starts = [len(" ".join(one[:at])) + bool(at) for one, at in zip(words, chosen, strict=True)]
            found = [one[at] for one, at in zip(words, chosen, strict=True)]
            return {
                "a": " ".join(words[0]), "b": " ".join(words[1]), "s": starts[0], "t": starts[1], "v": found[0],
                "w": found[1], "l": self.rng.choice(self.labels),
            }  # fmt: skip

        columns = {
            "text_a": "a", "text_b": "b", "start_a": "s", "start_b": "t", "word_a": "v", "word_b": "w", "label": "l",
        }  # fmt: skip
        return columns, row

    def _masked_lm(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        return {"text": "a"}, lambda: {"a": self._text()}

    def _next_sentence(self) -> tuple[dict[str, Any], Callable[[], Row]]:
        if self.format in ("conll", "lines") or self.rng.random() < 0.5:
            sentences = lambda: " ".join(f"{self._text(least=1, plain=True)}." for _ in range(4))  # noqa: E731
            return {"text": "a"}, lambda: {"a": sentences()}
        documents = lambda: self.rng.choice(["d1", "d2"])  # noqa: E731
        return {"sentence": "a", "document": "d"}, lambda: {"a": self._text(least=1), "d": documents()}

    def _text(self, least: int = 0, plain: bool = False) -> str:
        rng = self.rng
        count = rng.choice([least, 3, 8, 8, 8, 20]) if not plain else rng.choice([max(2, least), 6, 12])
        words = [rng.choice(WORDS) for _ in range(count)]
        if plain:
            words = [word for word in words if word.strip("\u00a0")] or ["word"]
        elif rng.random() < 0.02:
            words *= 100
        text = " ".join(words)
        if not plain and rng.random() < 0.15:
            odd = ['"', "'", "\u2028", "\u200b", "\u3000", "\\", "\x85" if self.encoding != "gb18030" else "\u2029"]
            odd += ["\n", "\t", self.separator] if self.quoted else []
            text += rng.choice(odd) + rng.choice(WORDS)
        return text.strip() if plain else text

    # the formats

    def _cells(self, row: Row) -> dict[str, str]:
        """A row as cells; of a list the elements, with what stands between them by default."""
        between = "," if self.kind == "multilabel" else " "
        return {name: between.join(map(str, v)) if isinstance(v, list) else str(v) for name, v in row.items()}

    def _write(self, made: Made, split: str, rows: Sequence[Row]) -> None:
        if self.format == "lines":
            self._write_lines(made, split, rows)
            return
        half = len(rows) // 2 if len(rows) > 5 and self.rng.random() < 0.2 else len(rows)
        files, counted = [], []
        for number, part in enumerate(filter(None, (rows[:half], rows[half:]))):
            text = getattr(self, f"_write_{self.format}")(part)
            broken = self.broken and split == "train"
            if self.format in BINARY:
                data, rows_of = text[: len(text) // 2] if broken else text, -1 if broken else self._filled(part)
            else:
                text = self._break(text) if broken else text
                data, rows_of = self._bytes(text), count_rows(self.format, text, self.header, self.separator)
            file = f"{self.name}.{split}.{number}.txt"
            if self.rng.random() < 0.2:
                end = self.rng.choice([*PACKERS])
                data, file = PACKERS[end](data), f"{file}{end}"
            made.files[file] = data
            files.append(file)
            counted.append(rows_of)
        made.section.append(f"{split}: {json.dumps(files) if len(files) > 1 else files[0]}")
        made.rows[split] = sum(counted) if min(counted) >= 0 else -1

    def _filled(self, rows: Sequence[Row]) -> int:
        """The rows without those at the end of a sheet that are blank, which are none."""
        count = len(rows)
        while self.format == "xlsx" and count and not any(self._cells(rows[count - 1]).values()):
            count -= 1
        return count

    def _write_lines(self, made: Made, split: str, rows: Sequence[Row]) -> None:
        """A file for each column."""
        cells = [self._cells(row) for row in rows]
        files = {meaning: f"{self.name}.{split}.{column}.txt" for meaning, column in self.columns.items()}
        for meaning, file in files.items():
            made.files[file] = self._bytes("".join(row[self.columns[meaning]] + self.end for row in cells))
        made.section.append(f"{split}: {json.dumps(files)}")
        while cells and not any(cells[-1].values()):
            cells.pop()  # blank lines at the end of all files are no rows
        made.rows[split] = len(cells)

    def _bytes(self, text: str) -> bytes:
        return text.encode(self.encoding)

    def _break(self, text: str) -> str:
        """Something that people's files have: a line that is lost, doubled, cut, blank, or of other cells."""
        lines = text.split(self.end)
        first = int(
            self.header and self.format in ("tsv", "csv")
        )  # without its header nothing of a file can be counted
        at = self.rng.randrange(first, max(first + 1, len(lines) - 1))
        match self.rng.choice(["blank", "double", "cut", "more", "less", "end"]):
            case "blank":
                lines.insert(at, "")
            case "double":
                lines.insert(at, lines[at])
            case "cut":
                lines[at] = lines[at][: len(lines[at]) // 2]
            case "more":
                lines[at] += self.separator + "more"
            case "less":
                lines[at] = lines[at].rpartition(self.separator)[0]
            case "end":
                lines += ["", ""]
        return self.end.join(lines)

    def _write_tsv(self, rows: Sequence[Row]) -> str:
        cells = [self._cells(row) for row in rows]
        lines = [self.separator.join(cells[0])] if self.header else []
        lines += [self.separator.join(row.values()) for row in cells]
        return self.end.join(lines) + self.end

    def _write_csv(self, rows: Sequence[Row]) -> str:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self.separator, lineterminator=self.end)
        cells = [self._cells(row) for row in rows]
        writer.writerows(([list(cells[0])] if self.header else []) + [list(row.values()) for row in cells])
        return out.getvalue()

    def _write_jsonl(self, rows: Sequence[Row]) -> str:
        ascii_only = self.rng.random() < 0.5
        return "".join(json.dumps(row, ensure_ascii=ascii_only) + self.end for row in rows)

    def _write_json(self, rows: Sequence[Row]) -> str:
        content: Any = list(rows) if self.rng.random() < 0.5 else {f"k{n}": row for n, row in enumerate(rows)}
        return json.dumps(content, ensure_ascii=False, indent=self.rng.choice([None, 1]))

    def _write_parquet(self, rows: Sequence[Row]) -> bytes:
        out = io.BytesIO()
        pyarrow.parquet.write_table(self._table(rows), out, row_group_size=self.rng.choice([2, 100]))
        return out.getvalue()

    def _write_arrow(self, rows: Sequence[Row]) -> bytes:
        out, table = io.BytesIO(), self._table(rows)
        if self.rng.random() < 0.5:
            pyarrow.feather.write_feather(table, out, compression="uncompressed")
        else:
            with pa.ipc.new_stream(out, table.schema) as writer:
                writer.write_table(table, max_chunksize=2)
        return out.getvalue()

    def _table(self, rows: Sequence[Row]) -> pa.Table:
        """Labels of some are numbers and of others text, which a column cannot be."""
        one_type = {name: len({type(row[name]) for row in rows}) == 1 for name in rows[0]}
        return pa.Table.from_pylist([{k: v if one_type[k] else str(v) for k, v in row.items()} for row in rows])

    def _write_xlsx(self, rows: Sequence[Row]) -> bytes:
        book, out = openpyxl.Workbook(), io.BytesIO()
        cells = [self._cells(row) for row in rows]
        for values in ([list(cells[0])] if self.header else []) + [list(row.values()) for row in cells]:
            book.active.append(values)
        book.save(out)
        return out.getvalue()

    def _write_conll(self, rows: Sequence[Row]) -> str:
        blocks = []
        for row in rows:
            tokens = row["t"] if "t" in row else row["a"].split() or ["x"]
            tags = row.get("g", ["_"] * len(tokens))
            blocks.append("".join(f"{token}\t{tag}{self.end}" for token, tag in zip(tokens, tags, strict=True)))
        return self.end.join(blocks)

    def _write_squad(self, rows: Sequence[Row]) -> str:
        paragraphs = [
            {
                "context": row["c"],
                "qas": [
                    {"id": str(n), "question": row["q"], "answers": [{"text": row["w"], "answer_start": row["s"]}]}
                ],
            }
            for n, row in enumerate(rows)
        ]
        articles = [{"title": f"t{n}", "paragraphs": paragraphs[n::3]} for n in range(3)]
        return json.dumps({"version": "1", "data": articles})


def count_rows(format_: str, text: str, header: bool, separator: str) -> int:
    """Rows of a raw file; questions of squad, sentences of conll. -1 where the standard library cannot read it."""
    text = text.replace("\r\n", "\n").rstrip("\n")  # blank lines at the end are no rows
    lines = text.split("\n")
    try:
        match format_:
            case "tsv":
                return len(lines) - header
            case "csv":
                reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
                return sum(1 for _ in reader) - header
            case "jsonl":
                return len(lines)
            case "json":
                return len(json.loads(text))
            case "conll":
                return sum(1 for block in "\n".join(lines).split("\n\n") if block.strip("\n"))
            case "squad":
                document = json.loads(text)
                return sum(len(p["qas"]) for article in document["data"] for p in article["paragraphs"])
    except (ValueError, csv.Error):
        return -1
    raise ValueError(format_)
