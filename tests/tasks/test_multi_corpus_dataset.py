"""A pack of several kinds computes what each corpus, and each item, computes alone."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.data.score_examples import score_examples
from skill_plugin.data.segment_examples import SegmentExamples, take
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.objectives.family import UnitLosses
from skill_plugin.objectives.loss_scaling import segment_loss
from skill_plugin.tasks.multi_corpus_dataset import Drawn, MultiCorpusDataset
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import CORPORA, World, examples, make_world

NAMES = list(CORPORA)


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, encoders["word_piece"], {name: examples(name, 8, words=20) for name in NAMES})


def dataset(world: World, planned: bool, names: list[str] = NAMES) -> MultiCorpusDataset:
    corpora = [(NAMES.index(name), world.examples(name, training=planned)) for name in names]
    return MultiCorpusDataset(corpora, token_types=True, planned=planned)


def some_segments(data: MultiCorpusDataset) -> list[SegmentExamples]:
    """A segment of every corpus, and a second one of some."""
    random = np.random.default_rng(0)
    segments = []
    for first, corpus in zip(data.offsets, data.corpora, strict=False):
        numbers = first + random.permutation(len(corpus))[:4]
        segments += (
            [data[Drawn(numbers, 1)]] if first % 2 else [data[Drawn(numbers[:1], 1)], data[Drawn(numbers[1:], 1)]]
        )
    return [segments[i] for i in random.permutation(len(segments))]


def run(world: World, sample: dict[str, Any]) -> list[tuple[torch.Tensor, UnitLosses]]:
    """Outputs and losses of each segment."""
    model = world.model()
    with torch.no_grad():
        outputs = model.model(PackedBatch(**sample["net_input"])).answers
    found = []
    for number, output, target in zip(sample["corpora"], outputs, sample["targets"], strict=True):
        found.append((output, world.bundle.family(NAMES[number]).losses(output, target)))
    return found


@pytest.mark.parametrize("planned", [False, True])
def test_a_pack_of_all_kinds(world: World, planned: bool) -> None:
    data = dataset(world, planned)
    segments = some_segments(data)
    sample = data.collater(segments)
    assert sorted(set(sample["corpora"])) == list(range(len(NAMES)))
    together = run(world, sample)
    for segment, (output, losses) in zip(segments, together, strict=True):
        ((alone, alone_losses),) = run(world, data.collater([segment]))
        torch.testing.assert_close(output, alone, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(losses.values, alone_losses.values, atol=1e-4, rtol=1e-4)
        scaled = [segment_loss(one, "log-classes") for one in (losses, alone_losses)]
        torch.testing.assert_close(*scaled, atol=1e-4, rtol=1e-4)
        single = [run(world, data.collater([segment.take(np.array([i]))]))[0] for i in range(len(segment))]
        torch.testing.assert_close(output, torch.cat([one for one, _ in single]), atol=1e-4, rtol=1e-4)
        values = torch.cat([one.values for _, one in single])
        torch.testing.assert_close(losses.values, values, atol=1e-4, rtol=1e-4)
    numbers = [number for segment in segments for number in segment.numbers.tolist()]
    assert sample["id"].tolist() == numbers
    assert sample["nsentences"] == len(numbers)
    assert (
        sample["ntokens"]
        == sum(int(segment.lengths.sum()) for segment in segments)
        == len(sample["net_input"]["tokens"])
    )
    for segment, units in zip(segments, sample["net_input"]["units"], strict=True):
        most = np.array([data.size(number) for number in segment.numbers])
        shorter = NAMES[segment.corpus] == "nsp"  # where what is drawn in place of the actual next sentences may be so
        assert (segment.lengths <= most).all() if shorter else segment.lengths.tolist() == most.tolist()
        assert sum(segment.units) == len(units)
    assert ("examples" in sample) == (not planned)
    if not planned:
        for number, (output, _), target, scored in zip(
            sample["corpora"], together, sample["targets"], sample["examples"], strict=True
        ):
            reader = world.items(NAMES[number])
            answers, references, rows = score_examples(reader, reader.reduce(output, target), scored)
            assert len(answers) == len(references) == len(scored)
            assert rows == [example.row for example in scored]


def test_every_item_once(world: World) -> None:
    data = dataset(world, planned=False)
    for batch_size, max_tokens in ((1, None), (5, None), (64, 100)):
        batches = data.ordered_batches(batch_size, max_tokens)
        assert sorted(int(i) for ((numbers, _),) in batches for i in numbers) == list(range(len(data)))
        for (drawn,) in batches:
            segment, numbers = data[drawn], drawn.numbers
            assert len(set(np.searchsorted(data.offsets, numbers, side="right"))) == 1
            assert len(segment) == 1 or (
                segment.sequences.sum() <= batch_size and (max_tokens is None or segment.lengths.sum() <= max_tokens)
            )


def test_epochs_hide_other_tokens_only_to_train(world: World) -> None:
    def first(data: MultiCorpusDataset, epoch: int) -> SegmentExamples:
        return data[Drawn(np.array([0]), epoch)]

    data = dataset(world, True, ["mlm"])
    one, two = (first(data, epoch).examples[0].sequences[0].tokens.tolist() for epoch in (1, 2))
    assert one != two
    assert all(drawn.epoch == 0 for batch in data.ordered_batches(4, None) for drawn in batch)


def test_nothing_is_an_empty_sample(world: World) -> None:
    assert dataset(world, planned=True).collater([]) == {}


def test_a_worker_process_can_have_it(world: World) -> None:
    data = dataset(world, planned=True)
    copied = pickle.loads(pickle.dumps(data))
    for index in range(0, len(data), 7):
        (mine,), (theirs,) = (one[Drawn(np.array([index]))].examples for one in (data, copied))
        assert [s.tokens.tolist() for s in mine.sequences] == [s.tokens.tolist() for s in theirs.sequences]


def test_some_of_parts_that_are_numbered_through(world: World) -> None:
    data = dataset(world, planned=True)
    segments = some_segments(data)
    numbers = np.concatenate([segment.numbers for segment in segments])
    random = np.random.default_rng(1)
    for count in (1, 5, len(numbers)):
        indices = np.sort(random.choice(len(numbers), count, replace=False))
        taken = take(segments, indices)
        assert np.concatenate([segment.numbers for segment in taken]).tolist() == numbers[indices].tolist()
        assert all(len(segment) for segment in taken)
        for segment in taken:
            same = data[Drawn(segment.numbers, 1)]
            assert (segment.corpus, segment.head) == (same.corpus, same.head)
            for mine, theirs in zip(segment.examples, same.examples, strict=True):
                assert [s.tokens.tolist() for s in mine.sequences] == [s.tokens.tolist() for s in theirs.sequences]


def test_candidates_are_packed_within_a_number_of_tokens(world: World) -> None:
    data = dataset(world, planned=True)
    segments = some_segments(data)
    whole = data.collater(segments)
    for max_tokens in (1, 100, None):
        sample = data.candidates_collater(segments, max_tokens)
        assert sample["candidates"] == segments
        tokens = [pack["net_input"]["tokens"] for pack in sample["packs"]]
        assert torch.equal(torch.cat(tokens), whole["net_input"]["tokens"])
        for pack in sample["packs"]:
            examples = sum(map(len, pack["units"]))
            assert examples == 1 or max_tokens is None or len(pack["net_input"]["tokens"]) <= max_tokens
            assert [sum(units) for units in pack["units"]] == [len(units) for units in pack["net_input"]["units"]]
