"""Files that others made: read with a few lines of YAML, with the counts that are known of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.spec import parse_corpora_file

TEXT = (Path(__file__).parent / "real_files.yaml").read_text(encoding="utf-8")
ROWS = {  # kept, of each split
    "wnut17": (3394, 1009),
    "wikineural-en": (1400, 400),
    "wikiann-de": (2400, 700),
    "msra-ner": (1100, 400),
    "cluener": (2200, 500),
    "resume-ner": (1000, 300),
    "massive": (4000, 800),
    "ud-en": (140,),
    "ud-de": (220,),
    "ud-es": (150,),
    "ud-zh": (100,),
    "mlm-ud-en": (140,),
    "mlm-wiki": (10,),
    "mlm-tatoeba": (1000,),
    "nsp-wiki": (10,),
    "nsp-ud-en": (5,),
    "squad-es": (963, 139),
    "xquad-zh": (493, 139),
    "mlqa-de": (344,),
    "cmrc": (432, 213),
    "drcd": (132,),
    "newsqa": (17,),
    "record": (32,),
    "copa": (400, 100, 60),
    "xcopa-zh": (100, 500),
    "cmedqa": (110, 45),
    "cmedir": (500, 200),
    "multirc": (32,),
    "multirc-rows": (32,),
    "wic": (32, 500, 100),
    "wsc": (32, 104),
    "cluewsc": (160, 159, 500),
    "stsb": (2000, 600),
    "stsb-de": (1200, 400),
    "germeval17": (599,),
    "boolq-contrast": (335,),
    "ctk-each": (369, 127),
}


def read(shared: Path, name: str) -> CorpusData:
    file = parse_corpora_file(TEXT, shared / "data/raw/corpora.yaml")
    return CorpusReader(file).read(file.corpora[name])


@pytest.mark.parametrize("name", ROWS)
def test_real_files(shared: Path, name: str) -> None:
    data = read(shared, name)
    assert data.faults == []
    assert tuple(len(split.examples) for split in data.splits.values()) == ROWS[name]


def test_scattered_candidates_are_all_kept(shared: Path) -> None:
    splits = read(shared, "cmedqa").splits
    assert [sum(len(e.candidates) for e in split.examples) for split in splits.values()] == [1070, 427]
    without = [sum(not any(e.answer) for e in split.examples) for split in splits.values()]  # type: ignore[arg-type]
    assert without == [62, 22]
