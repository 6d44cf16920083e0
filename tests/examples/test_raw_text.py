"""Raw text of the collection."""

from __future__ import annotations

import re
from pathlib import Path

from tests.examples import direct
from tests.examples.conftest import Read


def test_raw_text(raw: Path, read: Read) -> None:
    articles = direct.objects(raw / "wikipedia-en-mtdnn/mlm_train.json")
    assert [example.texts[0] for example in read("raw-text", "mlm-wikipedia-en")] == [row["text"] for row in articles]
    for example, row in zip(read("raw-text", "nsp-wikipedia-en"), articles, strict=True):
        assert "".join("".join(example.texts).split()) == "".join(row["text"].split())
        assert example.texts[0] == row["title"]
    for pair, language in (("deu", "de"), ("spa", "es"), ("cmn", "zh"), ("ces", "cs")):
        for side, name in ((pair, f"mlm-tatoeba-{language}"), ("eng", f"mlm-tatoeba-{language}-en")):
            lines = direct.lines_of(raw / f"tatoeba/tatoeba.{pair}-eng.{side}")
            assert [example.texts[0] for example in read("raw-text", name)] == lines
    treebanks = {
        "en": "ud-en-gum/en_gum",
        "de": "ud-de-gsd/de_gsd",
        "es": "ud-es-gsd/es_gsd",
        "zh": "ud-zh-gsdsimp/zh_gsdsimp",
    }
    for language, path in treebanks.items():
        text = direct.text_of(raw / f"{path}-ud-dev.conllu")
        comments = [match.strip() for match in re.findall("^# text = (.*)$", text, re.MULTILINE)]
        assert [example.texts[0] for example in read("raw-text", f"mlm-ud-{language}")] == comments
    documents = read("raw-text", "nsp-ud-en")
    text = direct.text_of(raw / "ud-en-gum/en_gum-ud-dev.conllu")
    assert len(documents) == len(re.findall("^# newdoc", text, re.MULTILINE))
    assert [s for d in documents for s in d.texts] == [e.texts[0] for e in read("raw-text", "mlm-ud-en")]
