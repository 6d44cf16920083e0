"""Writes one corpus into a data folder in fairseq's layout, and counts what a person wants to know about it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skill_plugin.kinds.registry import kind_named
from skill_plugin.kinds.span.answer_reach import AnswerReach
from skill_plugin.readers.example import Fault, Split, label_names, texts_of_a_sequence
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.checksums import file_checksum, folder_checksums
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.store.indexed_file import write_indexed
from skill_plugin.store.manifest import CorpusManifest, SplitManifest
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.text_rows import write_text_rows
from skill_plugin.text.sentence_spans import sentence_spans, span_sizes
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary

MAX_LENGTH = 128  # fairseq-train's default for --max-length of the task
_OVERWRITE = "#fairseq:overwrite"
_ANY_NUMBER = 1 << 31  # of arrays, which hold no ids of a vocabulary: the larger number type


@dataclass(frozen=True)
class PreparedSplit:
    """Counts of a split.

    Attributes:
        rows: kept.
        skipped: rows left out, by reason.
        tokens_mean, tokens_max: of whole sequences with special tokens, before truncation or windowing.
        longer: share of sequences longer than the corpus's ``max_length`` (128 without).
        windowed: whether longer ones become several windows, in place of being truncated.
        unknown: share of pieces that the vocabulary lacks.
        notices: what the tokens tell beside.
    """

    corpus: str
    split: str
    rows: int
    skipped: Mapping[str, int]
    tokens_mean: float
    tokens_max: int
    longer: float
    windowed: bool
    unknown: float
    notices: tuple[Fault, ...] = ()


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
    """Writes ``input0``, ``input1``, ``label``, the arrays of the kind, ``text`` and the manifest of a corpus.

    The members of all rows of a split lie end to end in the last input, and ``members`` says how many each row has.

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
    (folder / "text").mkdir(parents=True)
    storage, prepared, texts = kind_named(corpus.kind).storage, [], 0
    for name, split in splits.items():
        rows = []
        for row in pool.encode(corpus, split.examples):
            rows.append(row)
            on_progress(name, 1)
        texts = len(rows[0].texts)
        _write_rows(folder, dictionary, name, storage, rows, len(text_encoder.vocabulary))
        write_text_rows(folder / "text" / f"{name}.jsonl", split.examples)
        storage.write_answers(folder / "label", name, split.examples)
        prepared.append(_count(corpus, name, split, rows, text_encoder))
    if labels:
        _write_labels(folder / "label", splits, labels)
    manifest = {name: _manifest(corpus, name, split) for name, split in splits.items()}
    facts = storage.facts(corpus, splits, labels)
    CorpusManifest(corpus.kind, texts, labels, manifest, facts, folder_checksums(folder)).write(folder)
    return prepared


def _write_rows(
    folder: Path, dictionary: Path, split: str, storage: RowStorage, rows: Sequence[EncodedRow], vocabulary_size: int
) -> None:
    texts = len(rows[0].texts)
    inputs = [[row.texts[i] for row in rows] for i in range(texts)]
    if storage.has_members:
        inputs.append([member for row in rows for member in row.members])
    for i, lines in enumerate(inputs):
        (folder / f"input{i}").mkdir(exist_ok=True)
        if not (folder / f"input{i}" / "dict.txt").exists():
            _link(dictionary, folder / f"input{i}" / "dict.txt")
        ended = (np.append(ids, np.int32(Vocabulary.eos)) for ids in lines)
        write_indexed(folder / f"input{i}" / split, ended, vocabulary_size)
    arrays = {name: [row.arrays[name] for row in rows] for name in storage.arrays}
    if storage.has_members:
        arrays["members"] = [np.array([len(row.members)], np.int32) for row in rows]
    for name, values in arrays.items():
        (folder / name).mkdir(exist_ok=True)
        write_indexed(folder / name / split, values, _ANY_NUMBER)


def _count(
    corpus: Corpus, name: str, split: Split, rows: Sequence[EncodedRow], text_encoder: TextEncoder
) -> PreparedSplit:
    lengths = np.array([length for row in rows for length in _lengths(corpus, row, text_encoder)], np.int64)
    pieces = [ids for row in rows for ids in (*row.texts, *row.members)]
    unknown = sum(int((ids == Vocabulary.unk).sum()) for ids in pieces)
    return PreparedSplit(
        corpus=corpus.name,
        split=name,
        rows=len(rows),
        skipped=dict(split.skipped),
        tokens_mean=float(lengths.mean()) if len(lengths) else 0.0,
        tokens_max=int(lengths.max(initial=0)),
        longer=float((lengths > (corpus.max_length or MAX_LENGTH)).mean()) if len(lengths) else 0.0,
        windowed=kind_named(corpus.kind).windowed,
        unknown=unknown / max(sum(map(len, pieces)), 1),
        notices=tuple(_answers_out_of_reach(corpus, split, rows, text_encoder)),
    )


def _answers_out_of_reach(
    corpus: Corpus, split: Split, rows: Sequence[EncodedRow], text_encoder: TextEncoder
) -> list[Fault]:
    room = (corpus.max_length or MAX_LENGTH) - text_encoder.template.special_tokens(2)
    if corpus.kind != "span" or room < 1:
        return []
    reach = AnswerReach(corpus, room)
    for example, row in zip(split.examples, rows, strict=True):
        reach.count(example, len(row.texts[0]), len(row.texts[1]), row.arrays["answer"])
    return reach.notices()


def _lengths(corpus: Corpus, row: EncodedRow, text_encoder: TextEncoder) -> list[int]:
    """Tokens of each sequence of a row with special tokens."""
    own, members = sum(map(len, row.texts)), [len(member) for member in row.members]
    special = text_encoder.template.special_tokens(texts_of_a_sequence(corpus.kind, len(row.texts)))
    if corpus.kind == "next_sentence":
        spans = sentence_spans(members, [0, len(members)], (corpus.max_length or MAX_LENGTH) - special)
        return [int(size) + special for size in span_sizes(members, spans)]
    return [own + member + special for member in members] if members else [own + special]


def _write_labels(folder: Path, splits: Mapping[str, Split], labels: tuple[str, ...]) -> None:
    """Each row holds its labels (one, any number, or one a word) and the end symbol."""
    folder.mkdir()
    ids = {label: len(SPECIALS) + i for i, label in enumerate(labels)}
    counts: Counter[str] = Counter()
    for name, split in splits.items():
        rows = [label_names(example) for example in split.examples]
        if any(example.answer is None for example in split.examples):
            continue  # a test split without labels
        counts.update(label for row in rows for label in row)
        size = len(SPECIALS) + len(labels)
        # a tag that train lacks cannot be learned or predicted; it is scored on the original texts
        encoded = ([*(ids.get(label, Vocabulary.unk) for label in row), Vocabulary.eos] for row in rows)
        write_indexed(folder / name, encoded, size)
    lines = [f"{label} {counts[label]}{f' {_OVERWRITE}' if label in SPECIALS else ''}\n" for label in labels]
    (folder / "dict.txt").write_bytes("".join(lines).encode())


def _manifest(corpus: Corpus, name: str, split: Split) -> SplitManifest:
    files = corpus.sources[name].files  # type: ignore[index]
    hashes = {str(path): file_checksum(path) for path in files}
    return SplitManifest(len(split.examples), dict(split.skipped), hashes)


def _link(source: Path, target: Path) -> None:
    """XLM-R's dictionary is 5 MB, and each corpus needs it once or twice: one file under many names where possible."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
