"""Lengths in tokens, truncation and windows are those of the sequences that training reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skill_plugin.checking.token_lengths import report_tokens
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example_rows import ExampleRows
from skill_plugin.readers.read_corpus import CorpusData
from skill_plugin.store.encoder_faults import find_encoder_faults
from skill_plugin.text.sequences.sentence_spans import fill_spans
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import CORPORA, examples, make_reading

ROWS = 60
WITHOUT_PAIRS = sorted(CORPORA.keys() - {"nsp"})  # training draws half of the second sentences elsewhere


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def trained_on(name: str, encoder: TextEncoder, max_length: int, **changes: Any) -> list[list[int]]:
    """For each row the tokens of each of its sequences."""
    items = make_items(make_reading(name, encoder, max_length, {"score_range": [0, 5]}, **changes))
    return [[len(s.tokens) for s in items.sequences(row)] for row in items.encode(examples(name, ROWS))]


@pytest.mark.parametrize("name", WITHOUT_PAIRS)
def test_lengths_are_those_of_uncut_sequences(name: str, encoder: TextEncoder) -> None:
    changes = {"max_question": 10_000}
    corpus = make_reading(name, encoder, **changes).corpus
    lengths = [n for row in trained_on(name, encoder, 10_000, **changes) for n in row]
    found = report_tokens(corpus, ExampleRows(examples(name, ROWS)), encoder, 10_000)
    assert found.lengths is not None
    assert found.lengths.maximum == max(lengths)
    assert found.lengths.mean == round(np.mean(lengths).item(), 1)
    assert found.lengths.histogram.counts == tuple(np.histogram(lengths, found.lengths.histogram.edges)[0].tolist())
    assert (found.counts.truncated, found.counts.windowed, found.counts.sequences) == (0, 0, len(lengths))


@pytest.mark.parametrize("stride", [None, 3])
@pytest.mark.parametrize("name", WITHOUT_PAIRS)
def test_what_is_cut_or_divided(name: str, stride: int | None, encoder: TextEncoder) -> None:
    changes = {
        "max_question": 6,
        "stride": stride if kind_named(make_reading(name, encoder).corpus.kind).sequence_rule.windowed else None,
    }
    corpus = make_reading(name, encoder, **changes).corpus
    whole = trained_on(name, encoder, 10_000, max_question=10_000)
    rows = trained_on(name, encoder, 20, **changes)
    found = report_tokens(corpus, ExampleRows(examples(name, ROWS)), encoder, 20)
    assert found.counts.sequences == sum(map(len, rows))
    if kind_named(corpus.kind).sequence_rule.windowed:
        assert found.counts.windowed == sum(len(row) > 1 for row in rows) / ROWS > 0
        if corpus.kind == "span":
            questions = [len(encoder.encode(example.texts[0]).ids) for example in examples(name, ROWS)]
            assert found.counts.truncated == sum(length > 6 for length in questions) / ROWS > 0
        else:
            assert found.counts.truncated == 0
    else:
        cut = [n > 20 for row in whole for n in row]
        assert found.counts.truncated == sum(cut) / len(cut) > 0
        assert found.counts.windowed == 0


def test_a_long_question_leaves_half_of_the_room(encoder: TextEncoder) -> None:
    rows = trained_on("span", encoder, 20, max_question=64)
    found = report_tokens(make_reading("span", encoder).corpus, ExampleRows(examples("span", ROWS)), encoder, 20)
    assert found.counts.sequences == sum(map(len, rows))


def test_documents_are_spans_of_sentences(encoder: TextEncoder) -> None:
    rows = examples("nsp", ROWS)
    ids = [[len(encoder.encode(sentence).ids) for sentence in row.texts] for row in rows]
    special = encoder.template.special_tokens(2)
    spans = [sum(row[a:b]) for row in ids for a, b in fill_spans(row, [0, len(row)], 20 - special).tolist()]
    lengths = [span + special for span in spans]
    found = report_tokens(make_reading("nsp", encoder).corpus, ExampleRows(rows), encoder, 20)
    assert found.lengths is not None
    assert (found.lengths.maximum, found.counts.sequences) == (max(lengths), len(lengths))
    assert found.counts.truncated == sum(length > 20 for length in lengths) / len(lengths)
    alone = [row for row in rows if len(row.texts) == 1]
    none = report_tokens(make_reading("nsp", encoder).corpus, ExampleRows(alone), encoder, 20)
    assert (none.lengths, none.counts.truncated, none.counts.sequences) == (None, 0, 0)
    assert none.counts.pieces == sum(sum(row) for row in ids if len(row) == 1)


@pytest.mark.parametrize("name", sorted(CORPORA.keys() - {"tags", "signs"}))
def test_unknown_pieces_are_those_of_all_texts(name: str, encoder: TextEncoder) -> None:
    rows = examples(name, ROWS)
    rows[0] = rows[0]._replace(texts=("ꙮ 语 ꙮ", *rows[0].texts[1:]))
    ids = np.concatenate([encoder.encode(text).ids for row in rows for text in (*row.texts, *row.candidates)])
    found = report_tokens(make_reading(name, encoder).corpus, ExampleRows(rows), encoder, 20)
    assert (found.counts.pieces, found.counts.unknown) == (len(ids), int((ids == encoder.vocabulary.unk).sum()))
    assert found.counts.unknown_pieces == found.counts.unknown / found.counts.pieces > 0


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_a_longest_sequence_has_room_for_text(name: str, encoder: TextEncoder) -> None:
    corpus, rows = make_reading(name, encoder).corpus, examples(name, 3)
    special = kind_named(corpus.kind).sequence_rule(corpus, encoder.template).special
    data = CorpusData(corpus, {}, None, [])
    assert find_encoder_faults(data, encoder, special + 1) == []
    report_tokens(corpus, ExampleRows(rows), encoder, special + 1)
    (fault,) = find_encoder_faults(data, encoder, special)
    end = f"the longest sequence has {special} tokens; expected at least {special + 1}"
    assert str(fault).endswith(f": corpus {name!r}: {end}")
