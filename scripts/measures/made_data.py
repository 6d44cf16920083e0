"""What whole runs train on: a prepared data folder that is named, or one of made texts as long as GLUE's."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from measures.asked import Asked
from measures.glue import GLUE, draw_lengths
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.text.tokenizer_files import open_tokenizer

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LABELS = ("different", "same")
TEXT_NAMES = ("a", "b")  # columns


@dataclass(frozen=True)
class Data:
    """A prepared data folder and its corpora file.

    Attributes:
        only: the corpora that are meant; none for all.
    """

    folder: Path
    corpora: Path
    only: tuple[str, ...] = ()

    def of(self, names: Sequence[str]) -> Data:
        """Some of its corpora."""
        return replace(self, only=tuple(names))


def data_of(asked: Asked) -> Data:
    """What is trained on."""
    if asked.data is not None and asked.corpora is not None:
        return Data(asked.data, asked.corpora)
    return _made(asked.tiny)


def text_to_text_data(asked: Asked) -> Data:
    """What mT5 is trained on: on a GPU with as many pieces as it has."""
    if asked.data is not None and asked.corpora is not None:
        return Data(asked.data, asked.corpora)
    return _made(asked.tiny, 250_000 if asked.device == "cuda" else 30_000)


@functools.cache
def _made(tiny: bool, words: int = 30_000) -> Data:
    """Sentences of made words, each of which is one token; removed when the program ends."""
    folder = tempfile.TemporaryDirectory(prefix="bench-")
    _kept.append(folder)
    write_texts(Path(folder.name), rows=100 if tiny else 2000, words=500 if tiny else words)
    data = Data(Path(folder.name, "data"), Path(folder.name, "corpora.yaml"))
    prepare_corpora(read_corpora_file(data.corpora), data.folder, open_tokenizer(f"{folder.name}/vocab.txt"))
    return data


_kept: list[tempfile.TemporaryDirectory[str]] = []


def write_texts(folder: Path, rows: int, words: int) -> None:
    """A training split of each of GLUE's corpora, a WordPiece vocabulary of so many words, and the corpora file.

    The names of corpora, columns and labels are words too, as a text-to-text model reads them.
    """
    random = np.random.default_rng(0)
    pieces = [*SPECIALS, *(f"w{number}" for number in range(words)), ":", *TEXT_NAMES, *LABELS, *GLUE]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    lines = ["languages: [en]", "skills:"]
    lines += [f"  {skill}: made" for skill in dict.fromkeys(s for corpus in GLUE.values() for s in corpus.skills)]
    lines.append("corpora:")
    for name, lengths in draw_lengths(rows).items():
        corpus = GLUE[name]
        columns = "text_a: a, text_b: b, label: l" if corpus.pair else "text_a: a, label: l"
        lines.append(
            f"  {name}: {{kind: classification, language: en, skills: [{', '.join(corpus.skills)}], format: tsv, "
            f"labels: [{', '.join(LABELS)}], columns: {{{columns}}}, train: {name}.tsv}}"
        )
        table = ["a\tb\tl" if corpus.pair else "a\tl"]
        for length in lengths.tolist():  # with [CLS] and one or two [SEP]
            text = [f"w{number}" for number in random.integers(0, words, length - 2 - corpus.pair)]
            half = len(text) // 2
            parts = [text[:half], text[half:]] if corpus.pair else [text]
            table.append("\t".join([*map(" ".join, parts), LABELS[int(random.integers(2))]]))
        (folder / f"{name}.tsv").write_text("\n".join(table) + "\n")
    (folder / "corpora.yaml").write_text("\n".join(lines) + "\n")
