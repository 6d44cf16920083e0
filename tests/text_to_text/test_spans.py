"""Raw text as a text-to-text model learns it: spans that are taken out, and masks of a person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from skill_plugin.data.collate import collate
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.errors import InputError
from skill_plugin.kinds.items import TextToText
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.readers.example import Example
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text_to_text.make_items import make_items
from tests.every_kind import World, examples, make_reading, make_world


@pytest.fixture(scope="module")
def sentinels(encoders: dict[str, TextEncoder]) -> TextEncoder:
    """The SentencePiece model, whose vocabulary has mT5's sentinels."""
    state = encoders["sentencepiece"].to_state()
    extra = [f"\u2581<extra_id_{number}>" for number in reversed(range(20))]
    return TextEncoder.from_state({**state, "symbols": "\n".join([*state["symbols"].split("\n"), *extra])})


@pytest.fixture(scope="module")
def world(sentinels: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    made = [*examples("mlm", 20, words=40), Example(("",), None, "", 0), Example(("the",), None, "", 0)]
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, sentinels, {"mlm": made}, {"mlm": "prefix: raw"}, 24, variant="mt5", prefixed=True)


def restored(source: list[int], target: list[int], first: int) -> list[int]:
    """The tokens of a source, with the spans of the target for its sentinels, which count down from the last id."""
    text: list[int] = []
    for token in source:
        if token < first:
            text.append(token)
            continue
        at = target.index(token) + 1
        while target[at] < first and target[at] != Vocabulary.eos:
            text.append(target[at])
            at += 1
    return text


@pytest.mark.parametrize("training", [False, True])
def test_sources_and_targets_hold_all_of_a_text_and_lengths_are_exact(world: World, training: bool) -> None:
    found = world.examples("mlm", training=training)
    first = len(world.bundle.text_encoder.vocabulary) - 20
    prefix = world.bundle.text_encoder.encode("raw:").ids.tolist()
    by_row: dict[int, list[int]] = {}
    for number in range(len(found)):
        example = found.example(number)
        assert found.lengths[number] == sum(one.size for one in example.sequences)
        flat: list[int] = []
        for one in example.sequences:
            source, (target,) = one.tokens.tolist(), one.targets
            assert source[: len(prefix)] == prefix
            assert source[-1] == target[-1] == Vocabulary.eos
            assert one.units.tolist() == [0] * len(target)
            assert len(source) <= 24
            flat += target.tolist()
            by_row.setdefault(example.row, []).extend(restored(source, target.tolist(), first)[len(prefix) : -1])
        assert example.target["classes"].tolist() == flat
        assert example.asked is example.sequences
    assert [by_row[row] for row in range(len(found.split))] == [
        found.split[row].texts[0].tolist() for row in range(len(found.split))
    ]
    assert world.examples("mlm", training=True).example(0, 1).sequences[0].tokens.tolist() != (
        world.examples("mlm", training=True).example(0, 2).sequences[0].tokens.tolist()
    )


def test_a_pack_scores_every_token_of_the_targets(world: World) -> None:
    found = world.examples("mlm")
    made = [found.example(number) for number in range(len(found))]
    sample = collate([SegmentExamples(0, found.active, found.head, np.arange(len(made)), made)], False, scored=True)
    targets = PackedBatch(**sample["net_input"]).targets
    assert targets is not None
    assert targets.tokens.tolist() == sample["targets"][0]["classes"].tolist()
    logits = torch.randn(len(targets.tokens), 200, generator=torch.Generator().manual_seed(0))
    reduced = found.items.reduce(logits, sample["targets"][0])
    first = reduced[: sample["units"][0][0]]
    assert made[0].encoded is not None
    answer, count = found.items.score(first, made[0].encoded, made[0].sequences, None)
    right = targets.tokens[:count]
    assert answer.loss == pytest.approx(-logits[:count].log_softmax(-1)[range(count), right].sum().item(), rel=1e-4)
    assert answer.right == int((logits[:count].argmax(-1) == right).sum())


def test_masks_of_a_person_are_sentinels_for_which_a_text_is_written(sentinels: TextEncoder) -> None:
    items = make_items(replace(make_reading("mlm", sentinels, 100), text_to_text=TextToText()))
    (row,) = items.encode([Example(("the <mask> sat on <mask> mat",), None, "", 0)])
    (sequence,) = items.sequences(row)
    symbols = [sentinels.vocabulary.symbols[token] for token in sequence.tokens]
    assert [one for one in symbols if "extra_id" in one] == ["\u2581<extra_id_0>", "\u2581<extra_id_1>"]
    assert sequence.targets == ()
    first, second = (sentinels.vocabulary.index(f"\u2581<extra_id_{number}>") for number in (0, 1))
    written = [first, *sentinels.encode("cat").ids, second, *sentinels.encode("the big").ids, Vocabulary.eos]
    outputs = torch.tensor([[*written, Vocabulary.pad]]).float()
    found = items.predict(outputs, row, [sequence], None)
    assert found.to_json() == {"fills": ["cat", "the big"]}
    assert found.to_line() == "cat\tthe big"
    nothing = items.predict(torch.tensor([[float(Vocabulary.eos)]]), row, [sequence], None)
    assert nothing.to_json() == {"fills": ["", ""]}


def test_masks_are_filled_in_the_window_that_knows_most_around_them(sentinels: TextEncoder) -> None:
    items = make_items(replace(make_reading("mlm", sentinels, 12, stride=4), text_to_text=TextToText()))
    (row,) = items.encode([Example(("the cat <mask> sat on <mask> mat and the <mask> dog looked",), None, "", 0)])
    sequences = items.sequences(row)
    extra = {sentinels.vocabulary.index(f"\u2581<extra_id_{n}>"): n for n in range(20)}
    word = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    rows = []
    for window, one in enumerate(sequences):  # each window writes its own number, and the number of the mask
        marks = [token for token in one.tokens.tolist() if token in extra]
        assert [extra[token] for token in marks] == list(range(len(marks)))
        rows.append([i for n, m in enumerate(marks) for i in (m, *sentinels.encode(f"{word[window]} {n}").ids)])
    width = max(map(len, rows)) + 1
    outputs = torch.tensor([[*one, *[Vocabulary.eos] * (width - len(one))] for one in rows]).float()
    fills = items.predict(outputs, row, sequences, None).to_json()["fills"]
    assert len(fills) == 3
    assert len(sequences) > 2
    assert all(fill.split()[1].isdigit() for fill in fills)


def test_a_vocabulary_without_sentinels_is_refused(encoders: dict[str, TextEncoder]) -> None:
    with pytest.raises(InputError, match=r"'mlm': span corruption needs mT5's pieces <extra_id_0>, .*lacks"):
        make_items(replace(make_reading("mlm", encoders["sentencepiece"]), text_to_text=TextToText()))


def test_more_masks_than_sentinels_get_an_answer_too(sentinels: TextEncoder) -> None:
    items = make_items(replace(make_reading("mlm", sentinels, 100), text_to_text=TextToText()))
    (row,) = items.encode([Example(("<mask> " * 21,), None, "", 0)])
    (sequence,) = items.sequences(row)
    last = sentinels.vocabulary.index("\u2581<extra_id_19>")
    assert (sequence.tokens == last).sum() == 2
    written = [last, *sentinels.encode("cat").ids, Vocabulary.eos]
    fills = items.predict(torch.tensor([written]).float(), row, [sequence], None).to_json()["fills"]
    assert fills == [*[""] * 19, "cat", ""]
