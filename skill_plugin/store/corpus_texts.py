"""The texts that corpora train on, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skill_plugin.readers.example import Fault
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.store.prepare import FaultyCorporaError


def training_texts(reader: CorpusReader, on_reading: Callable[[str], None]) -> Iterator[str]:
    """Texts and candidates of every row of every train split, in the order of the corpora file.

    Args:
        reader: reads the corpora of its file.
        on_reading: called with the name of each corpus, before it is read.

    Raises:
        FaultyCorporaError: the raw data is at fault; faults of all corpora are told at once.
    """
    faults: list[Fault] = []
    for corpus in reader.corpora_file.corpora.values():
        on_reading(corpus.name)
        data = reader.read(corpus)
        faults += data.faults
        for example in data.splits["train"].examples if "train" in data.splits and not faults else ():
            yield from example.texts
            yield from example.candidates
    if faults:
        raise FaultyCorporaError(faults)
