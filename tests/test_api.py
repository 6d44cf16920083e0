"""A trained model answers every input of every kind, in order, whatever is batched with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example as also
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin import api
from skill_plugin.errors import InputError
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.nn.packed_batch import pack
from skill_plugin.readers.example import Example
from tests.every_kind import CORPORA, World, examples, raw_input

LONG = "der Hund läuft über die Straße und bellt 北京 🙂 " * 213  # 10,000 characters
ANY = st.text(max_size=30) | st.text("ab 北🙂\u2028\r\t\u200b\u202e\u0301<mask>", max_size=30)


@pytest.fixture(scope="module")
def model(world: World) -> api.Model:
    return world.model()


def inputs_of(name: str, text: str, other: str) -> list[Any]:
    """Inputs of a corpus with a text and another."""
    match name:
        case "one" | "mlm":
            return [text, [other], []]
        case "choice":
            return [[text, other], {"text_a": text, "candidates": [other] * 3}, text]
        case "search":
            return [[text, other, text], {"text_a": text, "question": other, "candidates": [text]}]
        case "tags" | "signs":
            return [text, {"words": [text, other]}, []]
        case "span":
            return [[text, other], {"question": other, "context": text}, text]
        case "wic" | "wsc":
            around = {"text_a": f"{text}x{other}", "start_a": len(text), "end_a": len(text) + 1}
            second = {"text_b": "x", "start_b": 0, "end_b": 1} if name == "wic" else {"start_b": 0, "end_b": 1}
            return [{**around, **second}]
    return [[text, other], text, [text]]


@settings(max_examples=10)
@given(ANY, ANY, st.integers(1, 5))
@also("", "", 1)
@also(LONG, LONG, 64)
@also("\ud800", "\u2028\r\n", 3)
def test_any_text(model: api.Model, text: str, other: str, batch_size: int) -> None:
    for name in CORPORA:
        inputs = inputs_of(name, text, other)
        found = model.predict(name, inputs, batch_size)
        assert len(found) == len(inputs)
        for prediction in found:
            assert "\n" not in prediction.to_line()
            json.dumps(prediction.to_json(), allow_nan=False)


def same(one: Any, other: Any) -> bool:
    """Equal but for the rounding of numbers."""
    if isinstance(one, float):
        return bool(one == pytest.approx(other, abs=1e-4))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("name", CORPORA)
def test_batches_do_not_matter(model: api.Model, name: str) -> None:
    inputs = [raw_input(name, made) for made in examples(name, 12, words=30)]
    if name == "mlm":
        inputs = [f"{text} <mask> {text}" for (text,) in inputs]
    alone = [model.predict(name, [one])[0] for one in inputs]
    assert [len(alone), len(model.predict(name, []))] == [12, 0]
    for batch_size, max_tokens in ((1, 8192), (5, 8192), (64, 8192), (64, 50)):
        together = list(model.predict_stream(name, iter(inputs), batch_size, max_tokens))
        for one, other in zip(alone, together, strict=True):
            assert same(one.to_json(), other.to_json())
    assert len({prediction.to_line() for prediction in alone}) > 1


def test_many_inputs_come_back_in_order(model: api.Model) -> None:
    """More than are read at first, of all lengths, so that they are answered in another order."""
    inputs = [f"{number} " + "the cat sat " * (number * 37 % 11) for number in range(api.FIRST_PORTION * 7)]
    alone = [model.predict("one", [one])[0] for one in inputs]
    for one, other in zip(alone, model.predict_stream("one", iter(inputs)), strict=True):
        assert same(one.to_json(), other.to_json())


def outputs_of(model: api.Model, name: str, *texts: str) -> torch.Tensor:
    """Outputs for one sequence of texts, computed directly."""
    bundle = model.bundle
    encoder = bundle.text_encoder
    assembled = encoder.template.assemble([encoder.encode(text).ids for text in texts])
    (items,) = model.items(name).encode([Example(texts, None, "", 0)])
    sequence = model.items(name).sequences(items)[0]
    assert sequence.tokens.tolist() == assembled.tokens.tolist()
    with torch.no_grad():
        return model.model(pack([(bundle.active_set(name), name, [sequence])], False)).answers[0]


def test_probabilities_are_the_softmax_of_the_logits(model: api.Model) -> None:
    (found,) = model.predict("pair", [("the cat", "der Hund")])
    shares = outputs_of(model, "pair", "the cat", "der Hund")[0].softmax(-1).tolist()
    assert found.to_json()["probabilities"] == pytest.approx(dict(zip(("b", "a"), shares, strict=True)), abs=1e-5)


def test_a_piece_for_every_mask(model: api.Model) -> None:
    text = "the <mask> sat " * 30 + "<mask>"
    (found,) = model.predict("mlm", [text])
    fills = found.to_json()["fills"]
    assert len(fills) == 31
    for fill in fills:
        assert list(fill.values()) == sorted(fill.values(), reverse=True)
        assert len(fill) == 5


def test_answers_come_as_inputs_are_read(model: api.Model) -> None:
    read: list[int] = []

    def inputs() -> Any:
        for number in range(100):
            read.append(number)
            yield "the cat"

    stream = model.predict_stream("one", inputs(), batch_size=4)
    assert isinstance(next(stream), Prediction)
    assert read == [0, 1, 2, 3]


def test_faults(model: api.Model, tmp_path: Path) -> None:
    assert model.corpora == list(CORPORA)
    assert model.labels("one") == ("b", "a", "c")
    with pytest.raises(InputError, match="no corpus 'pairs'; did you mean 'pair'"):
        model.predict("pairs", ["a"])
    with pytest.raises(InputError, match="the word 'dog' is not in its text"):
        model.predict("wsc", [{"text_a": "the cat", "word_a": "dog", "word_b": "cat"}])
    for device in ("gpu", "meta"):
        with pytest.raises(InputError, match=f"cannot run on the device '{device}'"):
            api.load(str(tmp_path / "none.pt"), device=device)
    with pytest.raises(InputError, match="no such file"):
        api.load(str(tmp_path / "none.pt"))


def test_inputs_as_examples(model: api.Model) -> None:
    made = examples("span", 5)
    by_example = list(model.predict_examples("span", made, 2))
    assert by_example == model.predict("span", [raw_input("span", one) for one in made], 2)
    assert np.isfinite([one.to_json()["no_answer"] for one in by_example]).all()


def test_a_slice_answers_the_same_for_its_corpus_alone(model: api.Model) -> None:
    for whole in (model, model.activating({"one": "generic,other"})):
        sliced = whole.slice("one")
        assert (sliced.corpora, sliced.bundle.variant) == (["one"], "dense")
        ours, theirs = (torch.cat(one.logits("one", ["the cat", "北京"])) for one in (whole, sliced))
        torch.testing.assert_close(theirs, ours, atol=1e-5, rtol=1e-5)
    with pytest.raises(InputError, match="did you mean 'one'"):
        model.slice("onee")
