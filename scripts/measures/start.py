"""A training command up to its first update: 25 corpora of a million rows each over one of them.

Files were compared with their checksums before, as on every start but the first, and are in memory.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from measures.asked import ROOT, Asked, Cases
from measures.figure import Figure, at_most
from measures.runs import LONGEST, FailedRunError, environment
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.checksums import folder_checksums
from skill_plugin.store.indexed_file import IndexedFile, write_indexed
from skill_plugin.store.manifest import read_corpus_manifest, read_folder_manifest
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.text.tokenizer_files import open_tokenizer

WORDS, LABELS, FEW, CORPORA = 500, ("bad", "good"), 1000, 25
CORPUS = (
    "{kind: classification, language: en, skills: [all], labels: [bad, good], format: tsv, "
    "columns: {text_a: a, label: l}, train: train.tsv}"
)


def write_folder(folder: Path, rows: int) -> Path:
    """A data folder of so many rows a corpus, and corpora files beside it; a few rows are prepared and repeated."""
    random = np.random.default_rng(0)
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    (folder / "vocab.txt").write_text("\n".join([*special, *(f"w{i}" for i in range(WORDS))]) + "\n")
    texts = [" ".join(f"w{i}" for i in random.integers(0, WORDS, 5 + row % 20)) for row in range(FEW)]
    table = [f"{text}\t{LABELS[row % 2]}" for row, text in enumerate(texts)]
    (folder / "train.tsv").write_text("\n".join(["a\tl", *table]) + "\n")
    names = [f"c{i}" for i in range(CORPORA)]
    head = "languages: [en]\nskills: {all: on}\ncorpora:\n"
    (folder / "one.yaml").write_text(f"{head}  c0: {CORPUS}\n")
    (folder / "corpora.yaml").write_text(head + "".join(f"  {name}: {CORPUS}\n" for name in names))
    data = folder / "data"
    prepare_corpora(read_corpora_file(folder / "one.yaml"), data, open_tokenizer(f"{folder}/vocab.txt"))
    repeat_rows(data / "c0", rows // FEW)
    for name in names[1:]:
        shutil.copytree(data / "c0", data / name)
    manifest = read_folder_manifest(data)
    assert manifest is not None
    replace(manifest, corpora=tuple(names)).write(data)
    return data


def repeat_rows(corpus: Path, times: int) -> None:
    """Writes the rows of a corpus so many times over."""
    manifest = read_corpus_manifest(corpus)
    assert manifest is not None
    for part in ("input0", "label"):
        file = IndexedFile(corpus / part / "train")
        rows = [file[row] for row in range(len(file))]
        write_indexed(corpus / part / "train", (row for _ in range(times) for row in rows), WORDS)
    text = corpus / "text" / "train.jsonl"
    text.write_bytes(text.read_bytes() * times)
    (corpus / "manifest.json").unlink()
    split = replace(manifest.splits["train"], rows=manifest.splits["train"].rows * times)
    replace(manifest, splits={"train": split}, files=folder_checksums(corpus)).write(corpus)


def seconds(folder: Path, file: str, cache: Path) -> float:
    """A whole command of one update.

    Raises:
        FailedRunError: it failed.
    """
    arguments = [
        str(folder / "data"), "--user-dir", str(ROOT / "skill_plugin"), "--task", "multilingual_multitask",
        "--corpora", str(folder / file), "--arch", "dense_tiny", "--criterion", "multitask_cross_entropy",
        "--optimizer", "skill_adam", "--lr", "1e-3", "--batch-size", "8", "--max-update", "1", "--cpu", "--no-save",
        "--disable-validation", "--no-progress-bar",
    ]  # fmt: skip
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", "from fairseq_cli.train import cli_main; cli_main()", *arguments],
        env={**environment(), "XDG_CACHE_HOME": str(cache)},
        capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise FailedRunError(f"the run stopped:\n{done.stderr[-3000:]}")
    return time.perf_counter() - started


def start(asked: Asked) -> Iterator[Figure]:
    """In turns; the first of each, which reads all files, is told beside them."""
    rows = FEW if asked.tiny else 1_000_000
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_folder(folder, rows)
        time.sleep(0 if asked.tiny else 4)  # a file that has just been written is always compared
        first = seconds(folder, "corpora.yaml", folder / "cache")
        turns = range(asked.rounds_or(3))
        times = [[seconds(folder, file, folder / "cache") for file in ("corpora.yaml", "one.yaml")] for _ in turns]
    many, one = (median(found) for found in zip(*times, strict=True))
    details = {"s": many, "compared_s": one, "first_s": first}
    what = f"start of a run of {CORPORA} corpora of {rows:,} rows over that of one"
    yield Figure(median(a / b for a, b in times), what, at_most(1.3), details=details)


def cases(asked: Asked) -> Cases:
    return {"start": partial(start, asked)}
