"""Paths that begin with an environment variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.readers import read_split
from skill_plugin.spec import CorporaFile, parse_corpora_file
from skill_plugin.spec.sources import find_unset_variable

TEXT = """\
languages: [en]
corpora:
  a:
    kind: classification
    language: en
    format: tsv
    columns: {text_a: 0, label: 1}
    header: false
    train: TRAIN
  b:
    kind: span
    language: en
    format: squad
    train: {path: "${OTHER_DATA}/b.json", articles: "0:1"}
  c:
    kind: masked_lm
    language: en
    format: lines
    train: {text: "${SKILL_DATA}/c.txt"}
"""


def parse(train: str = "${SKILL_DATA}/a/train.tsv") -> CorporaFile:
    return parse_corpora_file(TEXT.replace("TRAIN", train), Path("folder/corpora.yaml"))


def path_of(train: str) -> Path | None:
    return parse(train).corpora["a"].sources["train"].inputs[0].path


def test_a_variable_is_expanded_at_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILL_DATA", "/data")
    monkeypatch.setenv("OTHER_DATA", "/other data")
    file = parse()
    assert file.corpora["a"].sources["train"].inputs[0].path == Path("/data/a/train.tsv")
    assert file.corpora["b"].sources["train"].inputs[0].path == Path("/other data/b.json")
    assert file.corpora["c"].sources["train"].inputs[0].paths == {"text": Path("/data/c.txt")}
    assert path_of("${SKILL_DATA}-2/x") == Path("/data-2/x")
    assert path_of("a/${SKILL_DATA}") == Path("folder/a/${SKILL_DATA}")
    assert path_of("$SKILL_DATA/x") == Path("folder/$SKILL_DATA/x")
    assert "${SKILL_DATA}" in file.text  # what a checkpoint carries


def test_a_relative_value_counts_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILL_DATA", "data")
    assert path_of("${SKILL_DATA}/x") == tmp_path / "data/x"


@pytest.mark.parametrize("value", [None, ""])
def test_without_the_variable_parsing_goes_on_and_opening_says_so(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.setenv("OTHER_DATA", "/other")
    monkeypatch.delenv("SKILL_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("SKILL_DATA", value)
    file = parse("${SKILL_DATA}/../x")
    path = file.corpora["a"].sources["train"].inputs[0].path
    assert path is not None
    assert find_unset_variable(path) == "SKILL_DATA"
    assert find_unset_variable(Path("/other/b.json")) is None
    why = "the environment variable SKILL_DATA is not set"
    assert list(map(str, read_split(file.corpora["a"], "train").faults)) == [
        f"folder/corpora.yaml:9: corpus 'a': train: cannot read ${{SKILL_DATA}}/../x: {why}"
    ]
    assert list(map(str, read_split(file.corpora["c"], "train").faults)) == [
        f"folder/corpora.yaml:19: corpus 'c': train: cannot read ${{SKILL_DATA}}/c.txt: {why}"
    ]
    assert "is not set" not in str(read_split(file.corpora["b"], "train").faults[0])


@pytest.mark.parametrize("train", ["${SKILL DATA}/x", "${}/x", "${SKILL_DATA/x", "${1A}/x"])
def test_a_broken_variable_is_one_line(train: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(train)
    message = f"folder/corpora.yaml:9: corpus 'a': train: the path {train!r} begins with no variable; "
    assert str(caught.value) == f"{message}expected ${{NAME}} with ASCII letters, digits and '_'"
