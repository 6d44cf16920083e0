"""Reads the training texts of the corpora of a file, and measures how difficult they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from skill_plugin.analysis.difficulty.measure import Difficulty, count_words
from skill_plugin.errors import InputError
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import CorporaFile, Corpus


@dataclass
class Difficulties:
    """What was found.

    Attributes:
        corpora: by name, the most difficult first.
        rows: how many texts of each were read.
        left_out: why others have no difficulty.
    """

    corpora: dict[str, Difficulty] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        corpora = {
            name: {"difficulty": found.sum, **asdict(found), "rows": self.rows[name]}
            for name, found in self.corpora.items()
        }
        return {"corpora": corpora, "left_out": self.left_out}


def collect_difficulties(corpora_file: CorporaFile, advance: Callable[[str], None] = lambda name: None) -> Difficulties:
    """Measures all corpora that the measure is of: English classification with a train split.

    Texts of a row are joined by a blank.

    Args:
        corpora_file: the corpora.
        advance: called with the name of each corpus once it was read.

    Raises:
        InputError: a row is at fault, or no corpus can be measured.
    """
    found, reader = Difficulties(), CorpusReader(corpora_file)
    measured: dict[str, Difficulty] = {}
    for name, corpus in corpora_file.corpora.items():
        if (reason := _unfit(corpus)) is not None:
            found.left_out[name] = reason
            continue
        data = reader.read(corpus)
        if data.faults:
            raise InputError(data.faults[0].message, data.faults[0].file, data.faults[0].line)
        rows = [(" ".join(example.texts), str(example.answer)) for example in data.splits["train"].examples]
        difficulty = count_words(rows).difficulty()
        if difficulty is None:
            found.left_out[name] = "no words of ASCII letters in train"
        else:
            measured[name], found.rows[name] = difficulty, len(rows)
        advance(name)
    if not measured:
        raise InputError("no corpus is English classification with a train split of two classes", corpora_file.path)
    found.corpora = dict(sorted(measured.items(), key=lambda item: -item[1].sum))
    return found


def _unfit(corpus: Corpus) -> str | None:
    """Why the measure is not of a corpus; None where it is."""
    if corpus.kind != "classification":
        return f"{corpus.kind}; the measure is of classification"
    if corpus.language != "en":
        return "another language; the measure knows English words"
    return None if "train" in corpus.sources else "no train split"
