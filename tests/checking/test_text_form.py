"""What check and prepare say of corpora whose encoder is of a text-to-text model."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from skill_plugin.checking.check_corpora import check_corpora, check_data
from skill_plugin.checking.report import CheckReport
from skill_plugin.kinds.items import TextToText
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.readers.split_data import SplitData
from skill_plugin.report.check_table import print_text_forms
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.occurring_pieces import find_in_corpora
from skill_plugin.store.prepare import FaultyCorporaError, prepare_corpora
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.trimming.trim_text import trim_text
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import examples, make_reading

CORPORA = """\
languages: [en]
skills: {{generic: on}}
corpora:
  nli:
    kind: {kind}
    language: en
    format: tsv
    columns: {{text_a: premise, text_b: hypothesis, label: gold}}
    train: train.tsv
"""
ROWS = "premise\thypothesis\tgold\nthe cat sat\tthe dog\tno\na man sleeps\tthe mat\tyes\n"


@pytest.fixture(scope="module")
def mt5(encoders: dict[str, TextEncoder]) -> TextEncoder:
    """mT5's template and sentinels."""
    state = encoders["sentencepiece"].to_state()
    extra = [f"\u2581<extra_id_{number}>" for number in reversed(range(20))]
    symbols = "\n".join([*state["symbols"].split("\n"), *extra])
    return TextEncoder.from_state({**state, "symbols": symbols, "separators": 1, "begins": False})


def write(folder: Path, kind: str = "classification", *lines: str) -> Path:
    (folder / "train.tsv").write_text(ROWS)
    path = folder / "corpora.yaml"
    path.write_text(CORPORA.format(kind=kind) + "".join(f"    {line}\n" for line in lines))
    return path


def test_the_template_is_kept(mt5: TextEncoder, tmp_path: Path) -> None:
    assert mt5.template == Template(1, token_types=False, begins=False)
    assert mt5.template.describe() == "a </s> b </s>, no token types"
    mt5.save(tmp_path)
    assert TextEncoder.load(tmp_path).template == mt5.template
    assert TextEncoder.load(tmp_path).text_to_text


@pytest.mark.parametrize("name", ["pair", "wic", "asked", "grade", "nsp", "mlm"])
def test_lengths_are_those_of_sources_in_a_run_of_several(mt5: TextEncoder, name: str) -> None:
    changes: dict[str, Any] = {"wic": {"targets": {"F": "no", "T": "yes"}}, "nsp": {}}.get(name, {})
    if name == "asked":
        name, changes = "search", {"loss": "pointwise", "ranked_by": "probability"}
    reading = make_reading(name, mt5, 1000, {"grades": 3}, **changes)
    rows = [one for one in examples(name, 12) if name != "nsp" or len(one.texts) == 2]
    report = CheckReport()
    data = CorpusData(reading.corpus, {"test": SplitData(ExampleRows(rows))}, reading.labels or None, [])
    check_data(data, report, mt5, 1000)
    tokens = report.corpora[name]["test"].tokens
    assert (tokens is not None, report.faults) == (True, [])
    items = make_items(replace(reading, text_to_text=TextToText(prefixed=True)))
    sequences = [one for row in items.encode(rows) for one in items.sequences(row)]
    assert tokens is not None
    assert sorted(tokens.counts.lengths.tolist()) == sorted(len(one.tokens) for one in sequences)


def test_what_is_read_and_written(mt5: TextEncoder, tmp_path: Path) -> None:
    path = write(tmp_path, "classification", "text_names: {text_a: evidence}", "targets: {'yes': the dog}")
    report = check_corpora(read_corpora_file(path), mt5)
    assert report.faults == []
    longest = 1 + len(mt5.encode("the dog").ids)
    assert report.to_json()["text_to_text"] == {
        "nli": {"source": "nli: evidence: … hypothesis: …", "targets": ("no", "the dog"), "longest": longest}
    }
    console = Console(file=io.StringIO(), width=200)
    print_text_forms(report, console)
    assert console.file.getvalue().splitlines()[1:] == [  # type: ignore[attr-defined]
        "text to text",
        "  nli reads 'nli: evidence: … hypothesis: …', writes: 'no', 'the dog'",
    ]


def test_of_a_long_answer_the_beginning_is_shown(mt5: TextEncoder, tmp_path: Path) -> None:
    text = "the dog " * 20
    report = check_corpora(read_corpora_file(write(tmp_path, "classification", f"targets: {{'yes': {text}}}")), mt5)
    console = Console(file=io.StringIO(), width=200)
    print_text_forms(report, console)
    assert f"writes: 'no', '{text[:40]}…'" in console.file.getvalue()  # type: ignore[attr-defined]


def test_encoders_with_heads_have_no_such_form(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    report = check_corpora(read_corpora_file(write(tmp_path)), encoders["sentencepiece"])
    assert report.text_to_text == {}


@pytest.mark.parametrize(
    ("kind", "lines", "message"),
    [
        ("multilabel", [], "corpus 'nli': a text-to-text model does not answer the kind multilabel; it answers class"),
        ("classification", ["targets: {'yes': 'no'}"], "corpus 'nli': targets: the text 'no' is written in the same"),
        ("classification", ["targets: {ja: 'a'}"], "corpus 'nli': targets: unknown label 'ja'; expected one of: no"),
        ("classification", ["max_length: 5"], "corpus 'nli': the longest sequence has 5 tokens; expected at least"),
    ],
)
def test_check_and_prepare_refuse_what_cannot_be_answered(
    mt5: TextEncoder, tmp_path: Path, kind: str, lines: list[str], message: str
) -> None:
    spec = read_corpora_file(write(tmp_path, kind, *lines))
    (fault,) = check_corpora(spec, mt5).faults
    assert fault.message.startswith(message)
    assert (fault.file, fault.line) == (str(tmp_path / "corpora.yaml"), 4)
    with pytest.raises(FaultyCorporaError) as caught:
        prepare_corpora(spec, tmp_path / "bin", mt5)
    assert caught.value.faults == (fault,)
    assert not (tmp_path / "bin").exists()


def test_a_vocabulary_is_cut_to_names_answers_and_sentinels_too(mt5: TextEncoder, tmp_path: Path) -> None:
    path = write(tmp_path, "classification", "prefix: numbers", "targets: {'yes': la playa}")
    spec = read_corpora_file(path)
    trimmed = trim_text(mt5, find_in_corpora(spec, mt5)).text
    for text in ("numbers: premise:", "hypothesis:", "la playa", "no", "the cat sat"):
        assert trimmed.spell(trimmed.encode(text).ids) == mt5.spell(mt5.encode(text).ids)
        assert len(trimmed.encode(text).ids) == len(mt5.encode(text).ids)
    assert [s for s in trimmed.vocabulary.symbols if "extra_id" in s] == mt5.vocabulary.symbols[-20:]
    assert trimmed.text_to_text
    assert not np.isin(mt5.encode("12345").ids, mt5.encode("la playa").ids).all()


@pytest.mark.parametrize("kind", ["multilabel", "ranking"])
def test_a_vocabulary_is_cut_to_what_is_not_answered_too(mt5: TextEncoder, tmp_path: Path, kind: str) -> None:
    """A file may have corpora for other models; whether a run can have them is asked by check and prepare."""
    ranking = kind == "ranking"
    path = write(tmp_path, kind, *["loss: listwise", "text_names: {text_a: el perro}"] * ranking)
    if ranking:
        (tmp_path / "train.tsv").write_text(ROWS.replace("no\n", "0\n").replace("yes\n", "1\n"))
    occurring = find_in_corpora(read_corpora_file(path), mt5)
    assert occurring[mt5.encode("the cat sat el perro: hypothesis:" if ranking else "the cat sat nli:").ids].all()


def test_a_file_may_have_other_kinds_for_encoders_with_heads(encoders: dict[str, TextEncoder], tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text(ROWS)
    spec = read_corpora_file(write(tmp_path, "multilabel"))
    prepare_corpora(spec, tmp_path / "bin", encoders["sentencepiece"])


def test_an_answer_that_is_as_long_as_a_text_is_noticed(mt5: TextEncoder, tmp_path: Path) -> None:
    for words, expected in ((20, 0), (100, 1)):
        file = write(tmp_path, "classification", f"targets: {{'yes': '{'cat ' * words}'}}")
        notices = check_corpora(read_corpora_file(file), mt5).notices
        found = [one.fault.message for one in notices if "the longest answer to be written has" in one.fault.message]
        assert len(found) == expected, notices
