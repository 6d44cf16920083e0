"""``check`` and ``prepare`` on a million rows of 100 bytes, each command in a process of its own.

Rows a second, and the bytes of memory that a row takes beyond what a hundredth of the rows need.

Rows are one or two texts of made words and a label; one in a hundred repeats another. ``prepare`` has two workers.
"""

from __future__ import annotations

import functools
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import sentencepiece

from measures.asked import ROOT, Asked, Cases
from measures.figure import Figure, at_least, at_most
from measures.runs import FailedRunError

ROWS, TINY_ROWS = 1_000_000, 2000
WORDS = 20_000
BLOCK = 10_000  # rows that are made together
REPEATED = 0.01
LABELS = ("no", "yes")
LENGTHS = {"single": ((8, 20),), "pair": ((4, 12), (3, 9))}  # words of each text, from and below
SYLLABLES = [consonant + vowel for consonant in "bcdfghklmnprstvw" for vowel in "aeiou"]
# runs a command in a process and says what it and those that it started took
CLOCK = """
import json, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(json.dumps([status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024]))
"""
CORPORA = """\
languages: [en]
skills: {{generic: made}}
corpora:
  made:
    {{kind: classification, language: en, skills: [generic], format: tsv, columns: {{{columns}}}, train: {name}.tsv}}
"""


def make_words(random: np.random.Generator) -> list[str]:
    """Words of one to four syllables, the short ones first, as frequent ones are."""
    made = {"".join(random.choice(SYLLABLES, 1 + number * 4 // WORDS)) for number in range(WORDS)}
    return sorted(made, key=len)


def write_table(path: Path, rows: int, kind: str) -> None:
    """A TSV with a header; words are as frequent as Zipf's law has it."""
    random = np.random.default_rng(0)
    words = np.array(make_words(random))
    shares = 1 / np.arange(3, len(words) + 3)
    lengths = LENGTHS[kind]
    with path.open("w", encoding="utf-8") as file:
        file.write("\t".join([*("text_a", "text_b")[: len(lengths)], "label"]) + "\n")
        for start in range(0, rows, BLOCK):
            counts = [random.integers(*span, min(BLOCK, rows - start)) for span in lengths]
            drawn = iter(words[random.choice(len(words), int(np.sum(counts)), p=shares / shares.sum())].tolist())
            texts = zip(
                *([" ".join(islice(drawn, count)) for count in column.tolist()] for column in counts), strict=True
            )
            table = [
                "\t".join((*row, label))
                for row, label in zip(texts, random.choice(LABELS, len(counts[0])), strict=True)
            ]
            for number in np.flatnonzero(random.random(len(table)) < REPEATED).tolist():
                table[number] = table[0]
            file.write("\n".join(table) + "\n")


@functools.cache
def made_folder(rows: int) -> Path:
    """Tables of each kind with all rows, and with a hundredth of them, their corpora files, and a tokenizer."""
    held = tempfile.TemporaryDirectory(prefix="bench-")
    _held.append(held)
    folder = Path(held.name)
    for kind, lengths in LENGTHS.items():
        for size, count in (("all", rows), ("few", rows // 100)):
            name = f"{kind}-{size}"
            write_table(folder / f"{name}.tsv", count, kind)
            columns = ", ".join(f"{column}: {column}" for column in (*("text_a", "text_b")[: len(lengths)], "label"))
            (folder / f"{name}.yaml").write_text(CORPORA.format(columns=columns, name=name))
    model, texts = io.BytesIO(), (folder / "single-few.tsv").read_text().splitlines()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, vocab_size=2000, hard_vocab_limit=False, minloglevel=2
    )
    (folder / "sentencepiece.model").write_bytes(model.getvalue())
    return folder


_held: list[tempfile.TemporaryDirectory[str]] = []


def run_command(*arguments: str | Path) -> tuple[float, int]:
    """Seconds and peak memory in bytes of a command of ours; the largest process counts.

    Raises:
        FailedRunError: it failed.
    """
    command = [sys.executable, "-c", CLOCK, sys.executable, "-m", "skill_plugin", *map(str, arguments)]
    start = time.perf_counter()
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if ran.returncode or (result := json.loads(ran.stdout.splitlines()[-1]))[0]:
        raise FailedRunError(ran.stderr[-2000:])
    return seconds, result[1]


def measure(asked: Asked, verb: str, kind: str, reach: float) -> Iterator[Figure]:
    rows = TINY_ROWS if asked.tiny else ROWS
    folder = made_folder(rows)
    found = {}
    for size in ("few", "all"):
        more: list[str | Path] = []
        if verb == "prepare":
            more = [folder / f"{kind}-{size}-data", "--tokenizer", folder / "sentencepiece.model", "--workers", "2"]
        found[size] = run_command(verb, folder / f"{kind}-{size}.yaml", *more)
    (seconds, peak), (_, before) = found["all"], found["few"]
    details = {"seconds": seconds, "rows": rows}
    yield Figure(rows / seconds, f"{verb}: {kind} texts, rows a second", at_least(reach), "rate", "rows/s", details)
    details = {"peak_MB": peak / 1e6, "of_few_rows_MB": before / 1e6}
    each = max(peak - before, 0) / (rows - rows // 100)
    yield Figure(each, f"{verb}: {kind} texts, memory of a row", at_most(64), "memory", "bytes", details)


def cases(asked: Asked) -> Cases:
    return {
        f"data/{verb}-{kind}": partial(measure, asked, verb, kind, reach)
        for verb, reach in (("check", 100_000), ("prepare", 20_000))
        for kind in LENGTHS
    }
