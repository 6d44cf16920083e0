"""The collection of corpora files, with the real data beside the repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from skill_plugin.readers.example import Example
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec import CorporaFile, read_corpora_file
from tests.examples.direct import FILES

Read = Callable[[str, str], list[Example]]


@pytest.fixture(scope="session")
def raw(shared: Path) -> Iterator[Path]:
    """The folder with a folder for each data set; SKILL_DATA names it."""
    folder = (shared / "data/raw").resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILL_DATA", str(folder))
        yield folder


@pytest.fixture(scope="session")
def collection(raw: Path) -> dict[str, CorporaFile]:
    """Name of the file without ``.yaml`` -> what it says."""
    return {path.stem: read_corpora_file(path) for path in FILES}


@pytest.fixture(scope="session")
def read(collection: dict[str, CorporaFile]) -> Read:
    """read("ner", "wnut17") gives the examples of all splits of a corpus, in their order in the corpora file."""

    @cache
    def read(file: str, corpus: str) -> list[Example]:
        data = CorpusReader(collection[file]).read(collection[file].corpora[corpus])
        assert data.faults == []
        return [example for split in data.splits.values() for example in split.examples]

    return read
