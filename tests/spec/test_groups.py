"""Groups of corpora: read from the corpora file, and every way of writing them wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec.corpora_file import parse_corpora_file

CORPUS = "{kind: classification, language: en, skills: [s], labels: [a, b], format: tsv, columns: {text_a: t, label: l}"
TEXT = f"""\
languages: [en, de]
skills: {{s: ""}}
corpora:
  m: {CORPUS}, train: m}}
  mm: {CORPUS}, valid: mm, head: m}}
  rte: {CORPUS}, train: r}}
  xnli:
    kind: classification
    skills: [s]
    labels: [a, b]
    format: tsv
    columns: {{text_a: t, label: l}}
    mix: {{en: e, de: d}}
groups: GROUPS
"""


def groups(written: str) -> dict[str, tuple[str, ...]]:
    return parse_corpora_file(TEXT.replace("GROUPS", written), Path("c.yaml")).groups


def test_groups() -> None:
    assert groups("{mnli: [m, mm], x: [rte, xnli]}") == {"mnli": ("m", "mm"), "x": ("rte", "xnli-en", "xnli-de")}
    assert parse_corpora_file(TEXT.replace("groups: GROUPS\n", ""), Path("c.yaml")).groups == {}
    selected = parse_corpora_file(TEXT.replace("GROUPS", "{mnli: [m, mm]}"), Path("c.yaml")).select(["m"])
    assert selected.groups == {"mnli": ("m", "mm")}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[m, mm]", "groups: expected lists of corpora, as {mnli: [mnli-m, mnli-mm]}, not a list"),
        ("{mnli: m}", "the group 'mnli': expected a list of corpora, not 'm'"),
        ("{mnli: [m, mmm]}", "the group 'mnli': unknown corpus 'mmm'; did you mean 'mm'?"),
        ("{mnli: [m, m]}", "the corpus 'm' is in the group 'mnli' already"),
        ("{mnli: [m, mm], other: [rte, m]}", "the corpus 'm' is in the group 'mnli' already"),
        ("{mnli: [m]}", "the group 'mnli': expected two corpora or more"),
        ("{rte: [m, mm]}", "the group 'rte' has the name of a corpus"),
        ("{mnli: [m, {a: b}]}", "expected the name of a corpus"),
    ],
)
def test_wrong_groups_are_one_line(written: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"c.yaml:14: {message}")):
        groups(written)
