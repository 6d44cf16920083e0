"""A pack of several kinds computes what each corpus, and each item, computes alone."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.data.multi_corpus_dataset import Item, MultiCorpusDataset
from skill_plugin.data.score_examples import score_examples
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.objectives.loss_scaling import segment_loss
from skill_plugin.objectives.unit_losses import UnitLosses, unit_losses
from skill_plugin.text.text_encoder import TextEncoder
from tests.data.every_kind import CORPORA, World, examples, make_world

NAMES = list(CORPORA)


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("data") / "bin"
    return make_world(folder, encoders["word_piece"], {name: examples(name, 8, words=20) for name in NAMES})


def dataset(world: World, planned: bool, names: list[str] = NAMES) -> MultiCorpusDataset:
    corpora = [(NAMES.index(name), world.examples(name, training=planned)) for name in names]
    return MultiCorpusDataset(corpora, token_types=True, planned=planned)


def run(world: World, sample: dict[str, Any]) -> list[tuple[torch.Tensor, UnitLosses]]:
    """Outputs and losses of each segment."""
    model = world.model()
    outputs = model.forward(PackedBatch(**sample["net_input"]))
    found = []
    for number, output, target in zip(sample["corpora"], outputs, sample["targets"], strict=True):
        corpus = world.bundle.corpus(NAMES[number])
        found.append((output, unit_losses(corpus.kind, corpus.loss, output, target)))
    return found


@pytest.mark.parametrize("planned", [False, True])
def test_a_pack_of_all_kinds(world: World, planned: bool) -> None:
    data = dataset(world, planned)
    random = np.random.default_rng(0)
    chosen = random.permutation(
        [int(i) + int(first) for first, examples in zip(data.offsets, data.corpora, strict=False)
         for i in random.choice(len(examples), 4, replace=False)]
    )  # fmt: skip
    items = [data[int(i)] for i in chosen]
    sample = data.collater(items)
    assert sorted(sample["corpora"]) == list(range(len(NAMES)))
    together = run(world, sample)
    for number, (output, losses) in zip(sample["corpora"], together, strict=True):
        own = [item for item in items if data.numbers[item.corpus] == number]
        ((alone, alone_losses),) = run(world, data.collater(own))
        torch.testing.assert_close(output, alone, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(losses.values, alone_losses.values, atol=1e-4, rtol=1e-4)
        scaled = [segment_loss(one, "log-classes") for one in (losses, alone_losses)]
        torch.testing.assert_close(*scaled, atol=1e-4, rtol=1e-4)
        single = [run(world, data.collater([item]))[0] for item in own]
        torch.testing.assert_close(output, torch.cat([one for one, _ in single]), atol=1e-4, rtol=1e-4)
        values = torch.cat([one.values for _, one in single])
        torch.testing.assert_close(losses.values, values, atol=1e-4, rtol=1e-4)
    order = [item for number in sample["corpora"] for item in items if data.numbers[item.corpus] == number]
    assert sample["id"].tolist() == [item.number for item in order]
    assert sample["nsentences"] == len(items)
    assert (
        sample["ntokens"] == sum(data.num_tokens(item.number) for item in items) == len(sample["net_input"]["tokens"])
    )
    assert ("examples" in sample) == (not planned)
    if not planned:
        for number, (output, _), target, scored in zip(
            sample["corpora"], together, sample["targets"], sample["examples"], strict=True
        ):
            reader = world.items(NAMES[number])
            answers, references, rows = score_examples(reader, reader.reduce(output, target), scored)
            assert len(answers) == len(references) == 4
            assert rows == [example.row for example in scored]


def test_every_item_once(world: World) -> None:
    data = dataset(world, planned=False)
    for batch_size, max_tokens in ((1, None), (5, None), (64, 100)):
        batches = data.ordered_batches(batch_size, max_tokens)
        assert sorted(int(i) for batch in batches for i in batch) == list(range(len(data)))
        for batch in batches:
            assert len({data[int(i)].corpus for i in batch}) == 1
            sequences = sum(len(data[int(i)].example.sequences) for i in batch)
            tokens = sum(data.size(int(i)) for i in batch)
            assert len(batch) == 1 or (sequences <= batch_size and tokens <= (max_tokens or tokens))


def test_epochs_hide_other_tokens_only_to_train(world: World) -> None:
    def first(data: MultiCorpusDataset, epoch: int) -> Item:
        data.set_epoch(epoch)
        return data[0]

    for planned in (True, False):
        data = dataset(world, planned, ["mlm"])
        one, two = (first(data, epoch).example.sequences[0].tokens.tolist() for epoch in (1, 2))
        assert (one != two) == planned


def test_nothing_is_an_empty_sample(world: World) -> None:
    assert dataset(world, planned=True).collater([]) == {}


def test_a_worker_process_can_have_it(world: World) -> None:
    data = dataset(world, planned=True)
    copied = pickle.loads(pickle.dumps(data))
    for index in range(0, len(data), 7):
        mine, theirs = data[index].example, copied[index].example
        assert [s.tokens.tolist() for s in mine.sequences] == [s.tokens.tolist() for s in theirs.sequences]
