"""Several corpora, many threads: each answer is the one that the corpus gives to the input alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from skill_plugin import api
from skill_plugin.errors import InputError
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, TEXT, World, examples, make_world, raw_input

OF_TEXTS = ["one", "pair", "topics", "score", "tags", "span", "mlm", "nsp"]  # take a text, or two
WORDS = TEXT.split()
TEXTS = st.lists(st.sampled_from([*WORDS, "<mask>"]), max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def model(world: World) -> api.Model:
    return world.model()


def near(one: Any, other: Any) -> bool:
    """Equal but for the rounding of numbers."""
    if isinstance(one, float):
        return bool(one == pytest.approx(other, abs=1e-4))
    if isinstance(one, dict):
        return list(one) == list(other) and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    return bool(one == other)


def packs_read(model: api.Model, monkeypatch: pytest.MonkeyPatch) -> list[PackedBatch]:
    """The packs that the encoder reads from now on."""
    found: list[PackedBatch] = []
    below = type(model.model.encoder).below_layers

    def record(encoder: Any, batch: PackedBatch, *more: Any) -> Any:
        found.append(batch)
        return below(encoder, batch, *more)

    monkeypatch.setattr(type(model.model.encoder), "below_layers", record)
    return found


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(OF_TEXTS), unique=True, min_size=1),
    st.lists(TEXTS, max_size=8),
    st.sampled_from([None, 3]),
)
def test_several_corpora_answer_as_each_alone(
    model: api.Model, names: list[str], texts: list[str], batch_size: int | None
) -> None:
    together = model.predict(names, texts, batch_size)
    assert list(together) == names
    for name, answers in together.items():
        alone = model.predict(name, texts)
        assert len(answers) == len(texts)
        assert all(near(one.to_json(), other.to_json()) for one, other in zip(answers, alone, strict=True))
    vectors, logits = model.embed(names, texts), model.logits(names, texts)
    for name in names:
        torch.testing.assert_close(vectors[name], model.embed(name, texts), rtol=0, atol=1e-4)
        for one, other in zip(logits[name], model.logits(name, texts), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("variant", "shared"),
    [
        ("skillnet_x_ffn_mha", [["one", "tags", "wsc"], ["mlm"]]),  # what English reads, and what German reads
        ("dense", [["one", "tags", "wsc", "mlm"]]),
        ("mt_switch", [["one", "tags", "wsc", "mlm"]]),
        ("mt_tag", [["one"], ["tags"], ["wsc"], ["mlm"]]),  # a gate each
        ("ca_mtl", [["one"], ["tags"], ["wsc"], ["mlm"]]),  # a task embedding each
    ],
)
def test_what_corpora_have_in_common_is_read_once(
    sentencepiece_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str, shared: list[list[str]]
) -> None:
    names = [name for group in shared for name in group]
    rows = {name: examples(name, 4) for name in names}
    layers = {} if variant == "skillnet_x_ffn_mha" else {"skill_layers": None}
    model = make_world(tmp_path, open_tokenizer(sentencepiece_model), rows, variant=variant, **layers).model()
    texts = ["the cat sat on the mat", "der Hund", "the cat sat on the mat", "cat " * 40]
    asked = [[{"text_a": text, "start_a": 0, "end_a": 3, "start_b": 1, "end_b": 2} for text in texts], texts]
    groups = [[model.ask(name, asked[name != "wsc"]) for name in names]]
    packs = packs_read(model, monkeypatch)
    ((_, outputs),) = model.together(groups, "logits")
    (pack_,) = packs
    distinct = {
        (number, tuple(sequence.tokens))
        for one in groups[0]
        for number, group in enumerate(shared)
        if one.corpus in group
        for sequence in one.request.sequences
    }
    assert len(pack_.lengths) == len(distinct)
    assert len(pack_.tokens) == sum(len(tokens) for _, tokens in distinct)
    for one, own in zip(groups[0], outputs, strict=True):
        torch.testing.assert_close(own, direct_logits(model, one.corpus, one.request.sequences), rtol=0, atol=1e-4)


@torch.no_grad()
def direct_logits(model: api.Model, name: str, sequences: Any) -> Tensor:
    """Each sequence in a forward pass of its own."""
    active, head = model.bundle.active_set(name), model.bundle.corpus(name).head
    answers = [model.model(pack([(active, head, [one])], False)).answers[0] for one in sequences]
    return torch.cat(answers)


@pytest.mark.parametrize("name", CORPORA)
def test_logits_and_vectors_of_every_kind(model: api.Model, name: str) -> None:
    inputs = [raw_input(name, made) for made in examples(name, 6, words=40)]
    if name == "mlm":
        inputs = [f"{text} <mask> {text}" for (text,) in inputs]
    asked = model.ask(name, inputs)
    logits = model.logits(name, inputs)
    assert len(logits) == len(inputs)
    first, mean = model.embed(name, inputs, "first"), model.embed(name, inputs)
    torch.testing.assert_close(model.embed(name, inputs, "both"), torch.cat([mean, first], 1), rtol=0, atol=1e-5)
    for number, sequences in enumerate(asked.sequences):
        torch.testing.assert_close(logits[number], direct_logits(model, name, sequences), rtol=0, atol=1e-4)
        states = [hidden_of(model, name, one) for one in sequences]
        torch.testing.assert_close(mean[number], torch.cat(states).mean(0), rtol=0, atol=1e-4)
        torch.testing.assert_close(first[number], torch.stack([one[0] for one in states]).mean(0), rtol=0, atol=1e-4)
    if name in ("tags", "signs"):
        assert [len(one) for one in logits] == [len(made["words"]) for made in inputs]


@torch.no_grad()
def hidden_of(model: api.Model, name: str, sequence: EncodedSequence) -> Tensor:
    batch = pack([(model.bundle.active_set(name), model.bundle.corpus(name).head, [sequence])], False)
    return model.model.encoder(batch).hidden


def test_nothing_asked(model: api.Model) -> None:
    assert model.predict([], ["a"]) == {}
    assert model.predict(["one", "pair"], []) == {"one": [], "pair": []}
    assert model.logits("one", []) == []
    assert model.embed("one", []).shape == (0, 16)
    assert model.embed("one", [], "both").shape == (0, 32)


def test_faults(model: api.Model) -> None:
    for ask in (model.predict, model.logits, model.embed):
        with pytest.raises(InputError, match="no corpus 'pairs'; did you mean 'pair'"):
            ask(["one", "pairs"], ["a"])  # type: ignore[operator]
    with pytest.raises(InputError, match="3 texts; the corpus 'one' has 1"):
        model.predict(["tags", "one"], [["a", "b", "c"]])
    with pytest.raises(ValueError, match="pooling is 'max'; expected one of: mean, first, both"):
        model.embed("one", ["a"], "max")  # type: ignore[call-overload]


def test_many_threads(world: World) -> None:
    """Of a model that nobody has asked before, so that what it makes when it is first asked is made by many at once."""
    random = np.random.default_rng(1)
    names = [name for name in CORPORA if name not in ("choice", "search", "grade", "wic", "wsc")]
    texts = [" ".join(random.choice(WORDS, int(random.integers(0, 60)))) for _ in range(12)]
    model, alone = world.model(), world.model()
    expected = {name: [one.to_json() for one in alone.predict(name, texts)] for name in names}
    vectors = alone.embed("one", texts)

    def ask(number: int) -> None:
        own = np.random.default_rng(number)
        for _ in range(4):
            chosen = own.permutation(len(texts))[: int(own.integers(1, len(texts)))].tolist()
            inputs, name = [texts[i] for i in chosen], str(own.choice(names))
            found = {name: model.predict(name, inputs)}
            found |= model.predict(own.permutation(names)[:3].tolist(), inputs)
            for corpus, answers in found.items():
                for i, answer in zip(chosen, answers, strict=True):
                    assert near(answer.to_json(), expected[corpus][i])
            torch.testing.assert_close(model.embed("one", inputs), vectors[chosen], rtol=0, atol=1e-4)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(16)))
