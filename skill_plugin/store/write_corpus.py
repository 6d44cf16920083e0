"""Writes one corpus into a data folder in fairseq's layout, and counts what a person wants to know about it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skill_plugin.readers.example import Example, Split
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.indexed_file import write_indexed
from skill_plugin.store.manifest import CorpusManifest, SplitManifest
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer import without_surrogates
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary

MAX_LENGTH = 128  # fairseq-train's default for --max-length of the task
_OVERWRITE = "#fairseq:overwrite"


@dataclass(frozen=True)
class PreparedSplit:
    """Counts of a split.

    Attributes:
        rows: kept.
        skipped: rows left out, by reason.
        tokens_mean, tokens_max: of whole sequences with special tokens, before truncation.
        truncated: share of rows longer than the corpus's ``max_length`` (128 without).
        unknown: share of pieces that the vocabulary lacks.
    """

    corpus: str
    split: str
    rows: int
    skipped: Mapping[str, int]
    tokens_mean: float
    tokens_max: int
    truncated: float
    unknown: float


def write_corpus(
    folder: Path,
    dictionary: Path,
    corpus: Corpus,
    splits: Mapping[str, Split],
    labels: tuple[str, ...] | None,
    pool: EncodingPool,
    text_encoder: TextEncoder,
    on_progress: Callable[[str, int], None],
) -> list[PreparedSplit]:
    """Writes ``input0``, ``input1``, ``label``, ``text`` and the manifest of a corpus.

    Args:
        folder: of the corpus; made here.
        dictionary: the ``dict.txt`` that all inputs share.
        corpus: as the corpora file has it.
        splits: its rows.
        labels: names in the order of their ids; None without labels.
        pool: encodes.
        text_encoder: for the vocabulary and the template.
        on_progress: called with the split's name and the number of rows that were encoded since the last call.
    """
    texts = len(next(iter(splits.values())).examples[0].texts)
    for i in range(texts):
        (folder / f"input{i}").mkdir(parents=True)
        _link(dictionary, folder / f"input{i}" / "dict.txt")
    (folder / "text").mkdir()
    prepared = []
    for name, split in splits.items():
        lengths, pieces, unknown = _write_inputs(
            folder, name, split.examples, texts, pool, len(text_encoder.vocabulary), on_progress
        )
        _write_texts(folder / "text" / f"{name}.jsonl", split.examples)
        lengths += text_encoder.template.special_tokens(texts)
        prepared.append(
            PreparedSplit(
                corpus=corpus.name,
                split=name,
                rows=len(split.examples),
                skipped=dict(split.skipped),
                tokens_mean=float(lengths.mean()),
                tokens_max=int(lengths.max()),
                truncated=float((lengths > (corpus.max_length or MAX_LENGTH)).mean()),
                unknown=unknown / max(pieces, 1),
            )
        )
    if labels is not None:
        _write_labels(folder / "label", splits, labels)
    manifest = {name: _manifest(corpus, name, split) for name, split in splits.items()}
    CorpusManifest(corpus.kind, texts, labels, manifest).write(folder)
    return prepared


def _write_inputs(
    folder: Path,
    split: str,
    examples: Sequence[Example],
    texts: int,
    pool: EncodingPool,
    vocabulary_size: int,
    on_progress: Callable[[str, int], None],
) -> tuple[npt.NDArray[np.int64], int, int]:
    """Tokens of each row without special tokens [n], pieces in all, unknown ones among them."""
    lengths = np.zeros(len(examples), np.int64)
    unknown = 0
    for i in range(texts):
        rows = []
        for n, ids in enumerate(pool.encode([example.texts[i] for example in examples])):
            rows.append(np.append(ids, np.int32(Vocabulary.eos)))
            lengths[n] += len(ids)
            unknown += int((ids == Vocabulary.unk).sum())
            if i == texts - 1:
                on_progress(split, 1)
        write_indexed(folder / f"input{i}" / split, rows, vocabulary_size)
    return lengths, int(lengths.sum()), unknown


def _write_texts(path: Path, examples: Sequence[Example]) -> None:
    """What scoring and reports show: the original texts, one JSON object a row."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for example in examples:
            row = {
                "texts": [without_surrogates(text) for text in example.texts],
                "label": example.label,
                "file": example.file,
                "line": example.line,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _write_labels(folder: Path, splits: Mapping[str, Split], labels: tuple[str, ...]) -> None:
    folder.mkdir()
    ids = {label: len(SPECIALS) + i for i, label in enumerate(labels)}
    counts: Counter[str] = Counter()
    for name, split in splits.items():
        names = [example.label for example in split.examples if example.label is not None]
        if len(names) < len(split.examples):
            continue  # a test split without labels
        counts.update(names)
        size = len(SPECIALS) + len(labels)
        write_indexed(folder / name, ([ids[label], Vocabulary.eos] for label in names), size)
    lines = [f"{label} {counts[label]}{f' {_OVERWRITE}' if label in SPECIALS else ''}\n" for label in labels]
    (folder / "dict.txt").write_bytes("".join(lines).encode())


def _manifest(corpus: Corpus, name: str, split: Split) -> SplitManifest:
    files = corpus.sources[name].files  # type: ignore[index]
    hashes = {str(path): _sha256(path) for path in files}
    return SplitManifest(len(split.examples), dict(split.skipped), hashes)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _link(source: Path, target: Path) -> None:
    """XLM-R's dictionary is 5 MB, and each corpus needs it once or twice: one file under many names where possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
