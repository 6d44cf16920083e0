"""Writes one corpus into a data folder in fairseq's layout, and counts what a person wants to know about it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.readers.example import Fault, names_in
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.checksums import file_checksum, folder_checksums
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.store.indexed_file import IndexedWriter
from skill_plugin.store.manifest import CorpusManifest, SplitManifest
from skill_plugin.store.text_rows import write_text_rows
from skill_plugin.store.token_counts import TokenCounter, TokenCounts
from skill_plugin.text.ragged import Ragged
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import OVERWRITE, SPECIALS, Vocabulary

_ANY_NUMBER = 1 << 31  # chooses the larger number type, for arrays that do not hold ids of a vocabulary


@dataclass(frozen=True)
class PreparedSplit:
    """Counts of a split.

    Attributes:
        corpus, split: their names.
        rows: how many rows are kept.
        trained: how many of them are trained on, where ``train_rows`` says a part; None otherwise.
        skipped: how many rows are left out, by reason.
        tokens_mean, tokens_max: the mean and the largest length of sequences, before anything is cut or divided.
        truncated: see ``TokenCounts``; with the corpus's ``max_length``, or ``MAX_LENGTH`` if it has none.
        windowed: the share of rows that are read through several windows; None if the kind does not use windows.
        unknown: the share of pieces that the vocabulary lacks.
        notices: see ``TokenCounts``.
    """

    corpus: str
    split: str
    rows: int
    skipped: Mapping[str, int]
    tokens_mean: float
    tokens_max: int
    truncated: float
    windowed: float | None
    unknown: float
    notices: tuple[Fault, ...] = ()
    trained: int | None = None


def write_corpus(
    folder: Path,
    dictionary: Path,
    corpus: Corpus,
    splits: Mapping[str, SplitData],
    labels: tuple[str, ...] | None,
    pool: EncodingPool,
    text_encoder: TextEncoder,
    on_progress: Callable[[str, int], None],
) -> list[PreparedSplit]:
    """Writes ``input0``, ``input1``, ``label``, the arrays of the kind, ``text`` and the manifest of a corpus.

    The members of all rows of a split lie end to end in the last input, and ``members`` says how many each row has.

    Args:
        folder: the folder of the corpus, which is made here.
        dictionary: the ``dict.txt`` that all inputs share.
        corpus: the corpus as in the corpora file.
        splits: its rows.
        labels: its labels in the order of their ids; None if it has none.
        pool: encodes the rows.
        text_encoder: gives the vocabulary and the template.
        on_progress: called with the split's name and the number of rows that were encoded since the last call.
    """
    (folder / "text").mkdir(parents=True)
    storage, prepared, texts = kind_named(corpus.kind).storage, [], 0
    for name, split in splits.items():
        counter = TokenCounter(corpus, text_encoder, corpus.max_length or MAX_LENGTH)
        with _SplitFiles(folder, dictionary, name, len(text_encoder.vocabulary)) as files:
            for examples, encoded in pool.encode(corpus, split.examples):
                files.write(encoded)
                counter.add(examples, encoded)
                texts = len(encoded.texts)
                on_progress(name, len(examples))
        write_text_rows(folder / "text" / f"{name}.jsonl", split.examples)
        storage.write_answers(folder / "label", name, split.examples)
        prepared.append(_count(corpus, name, split, counter.counts()))
    if labels:
        _write_labels(folder / "label", splits, labels)
    manifest = {name: _manifest(corpus, name, split) for name, split in splits.items()}
    facts = storage.facts(corpus, splits, labels)
    CorpusManifest(corpus.kind, texts, labels, manifest, facts, folder_checksums(folder)).write(folder)
    return prepared


class _SplitFiles(ExitStack):
    """The indexed files of a split, each opened when the first block is written."""

    def __init__(self, folder: Path, dictionary: Path, split: str, vocabulary_size: int) -> None:
        super().__init__()
        self._folder, self._dictionary, self._split = folder, dictionary, split
        self._vocabulary_size = vocabulary_size
        self._writers: dict[str, IndexedWriter] = {}

    def write(self, encoded: EncodedBlock) -> None:
        for i, ids in enumerate(encoded.inputs):
            ended = ids.with_end(Vocabulary.eos)
            self._writer(f"input{i}", self._vocabulary_size).write(ended.flat, ended.lengths)
        for name, array in encoded.arrays.items():
            self._writer(name, _ANY_NUMBER).write(array.flat, array.lengths)
        if encoded.members is not None:
            self._writer("members", _ANY_NUMBER).write(encoded.counts, np.ones(len(encoded.counts), np.int32))

    def _writer(self, name: str, size: int) -> IndexedWriter:
        if name not in self._writers:
            folder = self._folder / name
            folder.mkdir(exist_ok=True)
            if name.startswith("input") and not (folder / "dict.txt").exists():
                _link(self._dictionary, folder / "dict.txt")
            self._writers[name] = self.enter_context(IndexedWriter(folder / self._split, size))
        return self._writers[name]


def _count(corpus: Corpus, name: str, split: SplitData, found: TokenCounts) -> PreparedSplit:
    rows, part = len(split.examples), corpus.train_rows if name == "train" else None
    return PreparedSplit(
        corpus=corpus.name,
        split=name,
        rows=rows,
        skipped=dict(split.skipped),
        tokens_mean=float(found.lengths.sum()) / max(len(found.lengths), 1),
        tokens_max=int(found.lengths.max(initial=0)),
        truncated=found.truncated,
        windowed=found.windowed if kind_named(corpus.kind).sequence_rule.windowed else None,
        unknown=found.unknown_pieces,
        notices=found.notices,
        trained=None if part is None else part.count(rows),
    )


def _write_labels(folder: Path, splits: Mapping[str, SplitData], labels: tuple[str, ...]) -> None:
    """Writes a row of labels (one, any number, or one for each word) and the end symbol for each example."""
    folder.mkdir()
    ids = {label: len(SPECIALS) + i for i, label in enumerate(labels)}
    counts: Counter[str] = Counter()
    for name, split in splits.items():
        if any(None in block.answers for block in split.examples.blocks()):
            continue  # a test split without labels
        counts.update(split.examples.label_counts())
        with IndexedWriter(folder / name, len(SPECIALS) + len(labels)) as writer:
            for block in split.examples.blocks():
                # a tag that train lacks cannot be learned or predicted; it is scored on the original texts
                rows = [[ids.get(label, Vocabulary.unk) for label in names_in(answer)] for answer in block.answers]
                ended = Ragged.of_lists(rows).with_end(Vocabulary.eos)
                writer.write(ended.flat, ended.lengths)
    lines = [f"{label} {counts[label]}{f' {OVERWRITE}' if label in SPECIALS else ''}\n" for label in labels]
    (folder / "dict.txt").write_bytes("".join(lines).encode())


def _manifest(corpus: Corpus, name: str, split: SplitData) -> SplitManifest:
    files = corpus.sources[name].files
    hashes = {str(path): file_checksum(path) for path in files}
    return SplitManifest(len(split.examples), dict(split.skipped), hashes)


def _link(source: Path, target: Path) -> None:
    """Links a file if possible, otherwise copies it: XLM-R's dictionary has 5 MB, and every input needs it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
