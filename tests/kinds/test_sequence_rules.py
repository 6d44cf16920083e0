"""One rule of each kind says which sequences its rows become: sizes alone tell what is made of the tokens, and check,
prepare and training count the same."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.checking.check_corpora import check_data
from skill_plugin.checking.report import CheckReport
from skill_plugin.checking.token_lengths import report_tokens
from skill_plugin.errors import InputError
from skill_plugin.kinds.next_sentence.items import NEXT
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.readers.split_data import SplitData
from skill_plugin.store.encoder_faults import find_encoder_faults
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import CORPORA, examples, make_reading, make_world
from tests.measure_rows import measure_rows

FACTS = {"score_range": [0, 5]}
Case = dict[str, Any]
CASES = st.fixed_dictionaries(
    {
        "max_length": st.integers(7, 60),
        "stride": st.none() | st.integers(1, 40),
        "truncate": st.sampled_from(["longest", "right"]),
        "max_question": st.integers(1, 30),
        "rows": st.integers(1, 12),
        "words": st.integers(1, 25),
        "seed": st.integers(0, 1000),
        "template": st.sampled_from(["sentencepiece", "word_piece"]),
    }
)


def options_of(name: str, case: Case, encoder: TextEncoder) -> dict[str, Any]:
    """Those that the kind of a corpus has."""
    kind = make_reading(name, encoder).corpus.kind
    names = ("stride",) if kind_named(kind).sequence_rule.windowed else ("truncate",)
    return {option: case[option] for option in (*names, *(("max_question",) if kind == "span" else ()))}


@pytest.mark.parametrize("name", sorted(CORPORA.keys() - {"nsp"}))
@settings(max_examples=40)
@given(case=CASES, joined=st.booleans())
def test_sizes_alone_tell_the_sequences(encoders: dict[str, TextEncoder], name: str, case: Case, joined: bool) -> None:
    encoder = encoders[case["template"]]
    reading = make_reading(name, encoder, case["max_length"], FACTS, **options_of(name, case, encoder))
    items = make_items(replace(reading, joined_question=joined))
    rows = items.encode(examples(name, case["rows"], case["seed"], case["words"]))
    made = [[len(one.tokens) for one in items.sequences(row)] for row in rows]
    rule, sizes = items.rule, measure_rows(rows)
    found = rule.lengths(sizes)
    assert found.tokens.tolist() == [length for row in made for length in row]
    assert found.counts.tolist() == list(map(len, made))
    assert max(found.tokens) <= case["max_length"]
    # against the texts themselves
    texts = [sum(map(len, (*row.texts, *more))) for row in rows for more in ([(one,) for one in row.members] or [()])]
    assert rule.uncut(sizes).tokens.tolist() == [length + rule.special for length in texts]
    if rule.windowed:
        assert rule.divided(sizes) == sum(len(row) > 1 for row in made) / len(made)
        assert all(sum(row) >= length for row, length in zip(made, texts, strict=True)) or name == "span"
    else:
        assert rule.divided(sizes) == 0
        assert rule.truncated(sizes) == sum(length > rule.room for length in texts) / len(texts)


@pytest.mark.parametrize("name", sorted(CORPORA))
@settings(max_examples=10)
@given(case=CASES)
def test_check_prepare_and_training_count_the_same(encoders: dict[str, TextEncoder], name: str, case: Case) -> None:
    encoder, length, rows = encoders[case["template"]], case["max_length"], case["rows"]
    found = examples(name, rows, case["seed"], case["words"])
    keys = {"max_length": length, **options_of(name, case, encoder)}
    options = ", ".join(f"{key}: {value}" for key, value in keys.items() if value is not None)
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder), encoder, {name: {"train": found}}, {name: options})
        checked = report_tokens(world.bundle.corpus(name), ExampleRows(found), encoder, length)
        (prepared,) = world.prepared[name]
        training = world.examples(name, "train", training=True)
        planned = training.items.lengths(training.split)
        made = [training.example(i) for i in range(len(training))]
        lengths = [len(one.tokens) for example in made for one in example.sequences]
    # training's plan and what it reads
    settled = [name != "nsp" or example.target["classes"][0] == NEXT for example in made for _ in example.sequences]
    assert [n for n, known in zip(planned.tokens.tolist(), settled, strict=True) if known] == [
        n for n, known in zip(lengths, settled, strict=True) if known
    ]
    assert all(n <= planned for n, planned in zip(lengths, planned.tokens.tolist(), strict=True))
    assert training.lengths.sum() == planned.tokens.sum()
    # check and training
    assert checked.counts.sequences == len(planned.tokens)
    assert checked.counts.windowed == (np.mean(planned.counts > 1) if training.items.rule.windowed else 0)
    # check and prepare
    assert prepared.truncated == checked.counts.truncated
    assert prepared.windowed == (checked.counts.windowed if training.items.rule.windowed else None)
    assert prepared.unknown == checked.counts.unknown_pieces
    if checked.lengths is None:
        assert (prepared.tokens_mean, prepared.tokens_max) == (0, 0)
    else:
        assert prepared.tokens_max == checked.lengths.maximum
        assert prepared.tokens_mean == pytest.approx(checked.lengths.mean, abs=0.051)
    assert prepared.notices == checked.counts.notices


@pytest.mark.parametrize("template", ["sentencepiece", "word_piece"])
@pytest.mark.parametrize("name", sorted(CORPORA))
def test_a_longest_sequence_without_room_is_refused_by_all(
    encoders: dict[str, TextEncoder], name: str, template: str
) -> None:
    """``check``, ``prepare``, and whatever makes sequences: training, evaluate, predict and the analyses."""
    encoder = encoders[template]
    corpus, labels = make_reading(name, encoder).corpus, make_reading(name, encoder).labels
    least = 1 + kind_named(corpus.kind).sequence_rule(corpus, encoder.template).special
    for length in range(1, least + 2):
        report = CheckReport()
        data = CorpusData(corpus, {"test": SplitData(ExampleRows(examples(name, 3)))}, labels, [])
        check_data(data, report, encoder, length)
        told = [str(fault) for fault in report.faults]
        assert told == [str(fault) for fault in find_encoder_faults(data, encoder, length)]
        try:
            make_items(make_reading(name, encoder, length, FACTS))
            refused = []
        except InputError as error:
            refused = [str(error)]
        assert refused == told
        tokens = "1 token" if length == 1 else f"{length} tokens"
        said = f"corpus {name!r}: the longest sequence has {tokens}; expected at least {least}"
        assert told == ([f"{corpus.file}:{corpus.line}: {said}"] if length < least else [])
