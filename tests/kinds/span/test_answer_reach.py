"""Answers that no prediction can be, against all that the items of the kind can answer with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.kinds.span.answer_reach import SpanReach
from skill_plugin.readers.example import Example
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.store.encoded_block import EncodedBlock
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text_to_text.make_items import make_items
from tests.conftest import LINES
from tests.every_kind import make_reading
from tests.measure_rows import measure_rows

CONTEXT = " ".join(LINES[:3])
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


@pytest.mark.parametrize(("max_answer", "stride"), [(3, None), (500, None), (500, 1), (9, 20)])
def test_what_perfect_logits_can_answer(encoder: TextEncoder, max_answer: int, stride: int | None) -> None:
    reading = make_reading("span", encoder, 40, max_answer=max_answer, stride=stride, max_question=4)
    items = make_items(reading)
    reach = SpanReach(items.rule)  # type: ignore[arg-type]
    words = CONTEXT.split(" ")
    missed = 0
    for start in range(0, len(words), 3):
        for length in (1, 2, 5, 9, 15):
            at = len(" ".join([*words[:start], ""]))
            text = " ".join(words[start : start + length])
            example = Example(("who sat there", CONTEXT), ((at, text),), "f", start + 1)
            (row,) = items.encode([example])
            first, last = row.arrays["answer"].tolist()
            sequences = items.sequences(row)
            windows = items.row_windows(row)  # type: ignore[attr-defined]
            logits = []
            for begin, end in windows:
                one = np.full((1 + end - begin, 2), -5.0, np.float32)
                if begin <= first and last < end:
                    one[1 + first - begin, 0] = one[1 + last - begin, 1] = 5
                logits.append(one)
            answer = items.predict(torch.from_numpy(np.concatenate(logits)), row, sequences, example)
            before = reach.long + reach.divided
            reach.count(ExampleBlock.of([example]), EncodedBlock.of([row], ["answer"], False), measure_rows([row]))
            right = answer.text == text  # type: ignore[attr-defined]
            assert reach.long + reach.divided - before == (not right)
            missed += not right
    assert 0 < missed == reach.long + reach.divided
    assert (reach.long > 0) == (max_answer < 500)


def test_check_and_prepare_tell_of_long_answers(
    shared: Path, sentencepiece_model: Path, tmp_path: Path, command: Command
) -> None:
    case = shared / "cases/26-long-answers"
    told = "4 answers longer than max_answer (30)"
    for file, expected in (("corpora.yaml", 2), ("max200.yaml", 0)):  # in train and valid
        status, out, _ = command("check", case / file, "--tokenizer", sentencepiece_model, "--max-length", 512)
        assert (status, out.count(told)) == (0, expected)
        status, out, _ = command("prepare", case / file, tmp_path / file, "--tokenizer", sentencepiece_model)
        assert (status, out.count(told)) == (0, expected)
