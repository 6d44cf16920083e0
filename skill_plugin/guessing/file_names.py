"""Which split a file is, and which files belong together, by their names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.options.splits import SplitName
from skill_plugin.readers.packed import PACKED

SPLIT_WORDS: dict[str, SplitName] = {
    **dict.fromkeys(("train", "training", "trn"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev", "devel", "development"), "valid"),
    **dict.fromkeys(("test", "tst", "testing"), "test"),
    "testa": "valid",  # of CoNLL
    "testb": "test",
}
_ENDS = frozenset((
    ".tsv", ".csv", ".txt", ".json", ".jsonl", ".ndjson", ".conll", ".conllu", ".conll03", ".conllx", ".parquet",
    ".arrow", ".feather", ".xlsx", ".bio", ".iob", ".iob2", ".bmes", ".bioes", ".tab", ".data", ".psv",
))  # fmt: skip
_PART = re.compile(r"[0-9]{5}-of-[0-9]{5}")
_JOINED = re.compile(r"(.*[0-9])(train|dev|test|valid)", re.IGNORECASE)  # wnut17train
# what a file of parallel ones holds
ROLES = frozenset((
    "text", "texts", "label", "labels", "sentence", "sentences", "tag", "tags", "token", "tokens", "word",
    "words", "seq.in", "seq.out", "input", "inputs", "output", "outputs", "source", "target", "premise",
    "hypothesis", "question", "answer", "context", "score", "scores", "text_a", "text_b", "s1", "s2",
    "sent1", "sent2", "sentence1", "sentence2", "query", "document", "title", "body",
))  # fmt: skip


@dataclass(frozen=True)
class FileName:
    """What the name of a file says.

    Attributes:
        path: the file.
        folder: names of the folders that it is in, without those that only say a split.
        key: the words of its name that say neither split nor role.
        split: None where the name does not say it.
        role: which column of parallel files it may be; empty where the name does not say it.
    """

    path: Path
    folder: tuple[str, ...]
    key: tuple[str, ...]
    split: SplitName | None
    role: str


def read_name(path: Path, root: Path) -> FileName:
    """What the name of a file below a folder says."""
    *folders, name = path.relative_to(root).parts
    split, key, role = None, [], ""
    for word in _words(name):
        if (found := SPLIT_WORDS.get(word.lower())) is not None and split is None:
            split = found
        elif (match := _JOINED.fullmatch(word)) is not None and split is None:
            split = SPLIT_WORDS[match[2].lower()]
            key.append(match[1])
        elif word.lower() in ROLES:
            role = word.lower() if not role else f"{role}_{word.lower()}"
        else:
            key.append(word)
    kept = []
    for folder in folders:
        found = SPLIT_WORDS.get(folder.lower())
        if found is not None and split is None:
            split = found
        else:
            kept.append(folder)
    return FileName(path, tuple(kept), tuple(key), split, role)


def _words(name: str) -> list[str]:
    stem = Path(name)
    while stem.suffix.lower() in PACKED or stem.suffix.lower() in _ENDS:
        stem = stem.with_suffix("")
    return [word for word in re.split(r"[-_.\s]+", _PART.sub("", str(stem))) if word]


def corpus_name(folder: tuple[str, ...], key: tuple[str, ...], alone: bool, otherwise: str) -> str:
    """A name for the corpus of a folder's files.

    Args:
        folder, key: as in ``FileName``.
        alone: whether the folder holds no other corpus, so that its name is enough.
        otherwise: where neither says anything.
    """
    said = {word.lower() for part in folder for word in re.split(r"[-_.\s]+", part)}
    parts = [*folder] if alone and folder else [*folder, *(word for word in key if word.lower() not in said)]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", "-".join(parts)).strip("-_")
    return name or re.sub(r"[^A-Za-z0-9_-]+", "-", otherwise).strip("-_") or "corpus"
