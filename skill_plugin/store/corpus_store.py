"""Reads binarised corpora: folders that ``prepare`` wrote, and ones made by ``spm_encode | fairseq-preprocess
--only-source`` as for fairseq's own sentence_prediction task (``input0``, ``input1``, ``label``, no manifest).

Axis: n rows of a split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, counted, nearest, reason_of
from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.labels import FILLER
from skill_plugin.store.corpus_folder import find_corpus_folder, list_corpus_folders, staying
from skill_plugin.store.indexed_file import IndexedFile
from skill_plugin.store.manifest import read_corpus_manifest, read_folder_manifest
from skill_plugin.store.row_storage import RowStorage
from skill_plugin.store.stored_split import LabelRows, StoredSplit
from skill_plugin.store.text_rows import TextRows
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary

if TYPE_CHECKING:
    from skill_plugin.spec.corpus import Corpus


def list_splits(data_bin: str | PathLike[str], corpus_name: str) -> tuple[str, ...]:
    """Lists which of train, valid and test a corpus has in a data folder; none if the corpus is not there.

    Raises:
        InputError: the manifest of the corpus is damaged.
    """
    folder = find_corpus_folder(data_bin, corpus_name)
    manifest = read_corpus_manifest(folder)
    if manifest is not None:
        return tuple(split for split in SPLITS if split in manifest.splits)
    return tuple(split for split in SPLITS if (folder / "input0" / f"{split}.idx").is_file())


def list_corpora(data_bin: str | PathLike[str]) -> tuple[str, ...]:
    """Lists the names of the corpora in a data folder, sorted.

    Raises:
        InputError: there is no such folder, or none in it.
    """
    folder = Path(data_bin)
    if not folder.is_dir():
        raise InputError("no such folder; make it with 'skill-plugin prepare'", folder)
    if not (names := tuple(list_corpus_folders(folder))):
        meant = [below for below in sorted(folder.iterdir()) if below.is_dir() and list_corpus_folders(below)]
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise InputError(f"holds no corpora that 'skill-plugin prepare' wrote{hint}", folder)
    return names


def read_text_encoder(data_bin: str | PathLike[str], corpora: Sequence[str], verify: bool = True) -> TextEncoder:
    """Reads the text encoder with which a data folder was prepared.

    Args:
        data_bin: the data folder.
        corpora: one corpus of it or more; all must have the folder's vocabulary.
        verify: compare checksums, if the folder has some.

    Returns:
        The text encoder. If fairseq-preprocess made the folder, it has no tokenizer, ``<mask>`` is last in the
        vocabulary, since fairseq's tasks add it, and the template is RoBERTa's.

    Raises:
        InputError: a file is missing or damaged, or two corpora have different dictionaries.
    """
    folder = Path(data_bin)
    manifest = read_folder_manifest(folder)
    if manifest is not None and verify:
        manifest.verify(folder)
    text_encoder, first = None, folder / "text" / "dict.txt"
    if first.is_file() or manifest is not None:
        text_encoder = TextEncoder.load(first.parent)
    for name in corpora:
        path = find_corpus_folder(folder, name) / "input0" / "dict.txt"
        if text_encoder is None:
            first = path
            text_encoder = TextEncoder(None, Vocabulary.from_dict_txt(path, mask=True), Template(2, token_types=False))
        elif not _same_dictionary(path, first):
            raise InputError(f"is not the dictionary of {first}; one encoder needs one for all corpora", path)
    if text_encoder is None:
        raise InputError("no corpora", data_bin)
    return text_encoder


def _same_dictionary(path: Path, other: Path) -> bool:
    try:
        if path.samefile(other) or path.read_bytes() == other.read_bytes():
            return True
    except OSError as error:
        raise InputError(reason_of(error), path) from None
    return Vocabulary.from_dict_txt(path, mask=True) == Vocabulary.from_dict_txt(other, mask=True)  # counts may differ


def read_corpus_labels(data_bin: str | PathLike[str], corpus: Corpus) -> tuple[str, ...]:
    """Reads the labels of a corpus, in the order of their ids.

    They are taken from the first of these that has some: the corpora file, the manifest, fairseq's ``label/dict.txt``
    (sorted by name), and the same files of the corpus that ``as`` names.

    Returns:
        The labels; () for kinds without labels.

    Raises:
        InputError: the kind needs labels, and there are none.
    """
    kind = kind_named(corpus.kind)
    if kind.fixed_labels or not kind.has_labels:
        return kind.fixed_labels
    if corpus.labels is not None:
        return tuple(corpus.labels)
    for name in (corpus.name, corpus.shares):
        if name is None:
            continue
        folder = find_corpus_folder(data_bin, name)
        manifest = read_corpus_manifest(folder)
        if manifest is not None and manifest.labels is not None:
            return manifest.labels
        path = folder / "label" / "dict.txt"
        if path.is_file():
            return tuple(sorted({corpus.label_map.get(label, label) for label in _dictionary_labels(path).values()}))
    raise InputError(f"corpus {corpus.name!r} has no labels here and the corpora file names none", data_bin)


def read_corpus_facts(data_bin: str | PathLike[str], corpus: Corpus) -> dict[str, Any]:
    """Reads the facts of a corpus (``RowStorage.facts``) from its manifest and that of the corpus in ``as``. In a
    folder that fairseq-preprocess wrote, only the facts of the corpora file are known."""
    facts = kind_named(corpus.kind).storage.written_facts(corpus)
    for name in (corpus.name, corpus.shares):
        manifest = read_corpus_manifest(find_corpus_folder(data_bin, name)) if name is not None else None
        facts.update(manifest.facts if manifest is not None else {})
    return facts


def open_corpus(
    data_bin: str | PathLike[str],
    corpus: Corpus,
    split: str,
    labels: Sequence[str] | None = None,
    verify: bool = True,
) -> StoredSplit:
    """Opens the binarised rows of a split.

    Args:
        data_bin: the data folder.
        corpus: the corpus as in the corpora file.
        split: train, valid or test.
        labels: the labels in the order of the ids that rows shall have, such as a checkpoint's; by default
            ``read_corpus_labels``.
        verify: compare checksums, if there are some; this reads every file of the split once.

    Raises:
        InputError: a file is missing or damaged, texts and labels have different numbers of rows, an id is beyond the
            dictionary, a label is unknown to the corpora file, the corpus was prepared as another kind, or was replaced
            while it was opened.
    """
    folder = find_corpus_folder(data_bin, corpus.name)
    with staying(folder):
        return _open(data_bin, folder, corpus, split, labels, verify)


def _open(
    data_bin: str | PathLike[str],
    folder: Path,
    corpus: Corpus,
    split: str,
    labels: Sequence[str] | None,
    verify: bool,
) -> StoredSplit:
    """``open_corpus``, of its folder."""
    _require_split(data_bin, corpus.name, split)
    manifest, kind = read_corpus_manifest(folder), kind_named(corpus.kind)
    storage = kind.storage
    if manifest is not None and manifest.kind != corpus.kind:
        raise InputError(f"was prepared as {manifest.kind}, but the corpora file says {corpus.kind}", folder)
    verified = manifest is not None and verify and manifest.verify(folder, split)
    count = manifest.texts if manifest is not None else len(corpus.text_columns)
    texts = tuple(_open_input(folder / f"input{i}", split, verified) for i in range(count))
    arrays = {name: IndexedFile(folder / name / split, trusted=verified) for name in storage.arrays}
    members = None
    if storage.has_members:
        starts = _member_starts(folder / "members" / split, storage.fewest_members)
        members = _open_input(folder / f"input{count}", split, verified), starts
        _require_rows(len(members[0]), int(starts[-1]), folder / f"input{count}" / split, folder / "members" / split)
    stored = StoredSplit(storage, texts, members, arrays, verified=verified)
    if (text_file := folder / "text" / f"{split}.jsonl").is_file():
        stored = replace(stored, original=TextRows(text_file, len(stored)))
    if manifest is not None and (identity := manifest.identity(split)) is not None:
        stored = replace(stored, prepared=(manifest.splits[split].rows, identity))
    first = folder / "input0" / split
    for i, file in enumerate(texts[1:], 1):
        _require_rows(len(file), len(stored), folder / f"input{i}" / split, first)
    for name, file in arrays.items():
        _require_rows(len(file), len(stored), folder / name / split, first)
    if not kind.has_labels:
        return storage.read_answers(stored, folder / "label", split)
    if not (folder / "label" / f"{split}.idx").is_file():
        return replace(stored, answered=False)
    wanted = tuple(labels) if labels is not None else read_corpus_labels(data_bin, corpus)
    label_map = corpus.label_map if manifest is None else {}
    rows = _open_labels(folder / "label", split, wanted, label_map, storage, verified)
    _require_rows(len(rows.file), len(stored), folder / "label" / split, first)
    return replace(stored, labels=rows)


def check_vocabulary(data_bin: str | PathLike[str], vocabulary: Vocabulary) -> None:
    """Checks that a data folder was prepared with the vocabulary of a model; fairseq-preprocess does not say.

    Raises:
        InputError: it was prepared with another one.
    """
    manifest = read_folder_manifest(Path(data_bin))
    if manifest is not None and manifest.vocabulary != vocabulary.fingerprint():
        raise InputError(
            "prepared with another vocabulary than the model has: prepare it with --encoder and the model's checkpoint",
            data_bin,
        )


def _require_split(data_bin: str | PathLike[str], name: str, split: str) -> None:
    splits = list_splits(data_bin, name)
    if split in splits:
        return
    if splits:
        raise InputError(f"corpus {name!r} has no split {split!r} here, only {', '.join(splits)}", data_bin)
    raise InputError(f"no corpus {name!r} here{nearest(name, list_corpora(data_bin))}", data_bin)


def _require_rows(rows: int, expected: int, prefix: Path, first: Path) -> None:
    if rows != expected:
        raise InputError(f"has {counted(rows, 'row')}, {first}.bin has {expected:,}", f"{prefix}.bin")


def _member_starts(prefix: Path, least: int) -> npt.NDArray[np.int64]:
    """The number of each row's first member, and how many there are in all [n + 1]; a row has at least ``least``."""
    file = IndexedFile(prefix)
    if (file.sizes != 1).any() or file.smallest() < least:
        raise InputError("expected the number of its members for each row", f"{prefix}.bin")
    return np.concatenate([[0], np.cumsum(file.values())]).astype(np.int64)


def _open_input(folder: Path, split: str, verified: bool) -> IndexedFile:
    file = _open_ended(folder / split, verified)
    if verified:
        return file
    dictionary, size = _dictionary_size(folder)
    if file.smallest() < 0 or file.largest() >= size:
        wrong = min(file.smallest(), 0) or file.largest()
        raise InputError(f"holds the id {wrong}, but {dictionary} has only {size:,} symbols", f"{file.prefix}.bin")
    return file


def _open_ended(prefix: Path, verified: bool) -> IndexedFile:
    """Opens a file whose rows must all end with the end symbol, as ``prepare`` writes them."""
    file = IndexedFile(prefix, cut=1, trusted=verified)
    if verified:
        return file
    ends = file.last() != Vocabulary.eos
    if ends.any():
        row = int(ends.argmax())
        raise InputError(f"row {row} does not end with </s>, as fairseq-preprocess writes it", f"{file.prefix}.bin")
    return file


def _dictionary_size(folder: Path) -> tuple[Path, int]:
    """The path of ``dict.txt``, and how many symbols it has, special ones and ``<mask>`` included. Lines are counted:
    to read the vocabulary takes half a second."""
    path = folder / "dict.txt"
    if not path.is_file() and folder.name != "input0":  # fairseq's sentence_prediction reads input0's for all inputs
        path = folder.parent / "input0" / "dict.txt"
    try:
        return path, path.read_bytes().rstrip(b"\n").count(b"\n") + 1 + len(SPECIALS) + 1
    except OSError as error:
        raise InputError(reason_of(error), path) from None


def _dictionary_labels(path: Path) -> dict[int, str]:
    """The label of each id of fairseq's dictionary."""
    symbols = Vocabulary.from_dict_txt(path).symbols
    return {i: s for i, s in enumerate(symbols) if i >= len(SPECIALS) and not FILLER.fullmatch(s)}


def _open_labels(
    folder: Path,
    split: str,
    wanted: Sequence[str],
    label_map: dict[str, str],
    storage: RowStorage,
    verified: bool,
) -> LabelRows:
    """Opens labels, with ids in the order of ``wanted``; matched by name, since fairseq sorts by frequency."""
    file = _open_ended(folder / split, verified)
    if storage.one_label and not verified and (file.sizes != 2).any():
        row = int((file.sizes != 2).argmax())
        raise InputError(f"row {row} has {int(file.sizes[row]) - 1} labels, expected one", f"{file.prefix}.bin")
    names = _dictionary_labels(folder / "dict.txt")
    places = {name: i for i, name in enumerate(wanted)}
    table = np.full(max([Vocabulary.unk, Vocabulary.eos, *names]) + 1, -1, np.int32)
    for i, name in names.items():
        table[i] = places.get(label_map.get(name, name), -1)
    # labels that all are wanted need not be looked for in what is as it was written
    known = verified and all(table[i] >= 0 for i in names)
    for i in () if known else file.used():
        if i == Vocabulary.eos or (i == Vocabulary.unk and storage.unknown_labels):
            continue  # a tag that train lacks
        if i not in names:
            path = folder / "dict.txt"
            what = f"a label that {path} lacks" if i == Vocabulary.unk else f"the id {i}, which {path} lacks"
            row = next(row for row in range(len(file)) if i in file[row])
            raise InputError(f"row {row} holds {what}", f"{file.prefix}.bin")
        if table[i] < 0:
            raise InputError(f"unknown label {names[i]!r}{nearest(names[i], wanted)}", folder / "dict.txt")
    return LabelRows(file, table)
