"""Rows of a data folder, read by an imported mT5, against transformers on the text that a person would write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.nn.packed_batch import pack
from skill_plugin.text_to_text.items import TextToTextItems
from tests.every_kind import examples, make_world
from tests.pretrained.test_mt5 import build, imported, load, t5_folder, t5_model  # noqa: F401

ROWS = {
    "pair": {"a": "wahr", "b": "nicht wahr"},
    "wic": {"F": "two", "T": "one sense"},
    "grade": {"0": "bad", "1": "good", "2": "the best"},
}


@pytest.fixture
def processor(t5_model: bytes) -> Any:  # noqa: F811
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_proto=t5_model)


def test_the_log_likelihoods_of_all_answers_are_theirs(
    t5_folder: Callable[..., Path],  # noqa: F811
    processor: Any,
    tmp_path: Path,
) -> None:
    folder = t5_folder()
    initial, theirs = imported(folder), load(folder)
    assert initial.text is not None
    assert initial.text.text_to_text
    ours = build(initial)
    rows = {name: [one for one in examples(name, 60) if plain(one.texts) and plain(one.candidates)] for name in ROWS}
    targets = {name: f"targets: {texts}" for name, texts in ROWS.items()}
    world = make_world(
        tmp_path / "bin", initial.text, rows, targets, 300, variant="mt5", shape=initial.shape, prefixed=True
    )

    def encode(text: str) -> torch.Tensor:
        return torch.tensor([[*processor.encode(text), processor.eos_id()]])

    for name, answers in ROWS.items():
        found, made = world.examples(name), rows[name][:4]
        assert isinstance(found.items, TextToTextItems)
        texts = [answers[label] for label in found.items.reading.labels or answers]
        sequences = [one for number in range(4) for one in found.example(number).sequences]
        sources = [source for one in made for source in written(name, one)]
        assert [one.tokens.tolist() for one in sequences] == [(encode(text)[0] + 1).tolist() for text in sources]
        with torch.no_grad():
            (logits,) = ours(pack([(found.active, found.head, sequences)], token_types=False)).answers
            expected = [
                [-theirs(input_ids=encode(s), labels=encode(t)).loss.item() * encode(t).shape[1] for t in texts]
                for s in sources
            ]
        torch.testing.assert_close(logits, torch.tensor(expected), atol=1e-4, rtol=1e-5)


def plain(texts: tuple[str, ...]) -> bool:
    """No text without a word."""
    return all(text.strip() for text in texts)


def written(name: str, made: Any) -> list[str]:
    """The whole inputs of an example."""
    if made.candidates:
        return [f"{name}: a: {made.texts[0]} c: {candidate}" for candidate in made.candidates]
    texts = list(made.texts)
    for number, start, end in sorted(made.spans, key=lambda span: -span[1]):
        texts[number] = f"{texts[number][:start]}* {texts[number][start:end]} *{texts[number][end:]}"
    return [f"{name}: a: {texts[0]} b: {texts[1]}"]
