"""Uncertainty sampling against a loop written from CA-MTL's algorithm 2, one example at a time."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from skill_plugin.errors import InputError
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.tasks.data_used import Announcements, DataUsed, read_announced
from skill_plugin.tasks.multi_corpus_dataset import Drawn
from skill_plugin.variants.catalogue import VARIANTS
from tests.every_kind import CORPORA
from tests.tasks.conftest import Run, gradients

MakeRun = Callable[..., Run]
CLASSES = ("one", "pair", "wic", "nsp")  # kinds for which the algorithm is written


@pytest.fixture(params=[*VARIANTS])
def variant(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def entropy_of_classes(logits: Tensor) -> tuple[float, float]:
    p = logits.double().softmax(-1).flatten().tolist()
    return -sum(x * math.log(x) for x in p), -sum(1 / len(p) * math.log(1 / len(p)) for _ in p)


def algorithm_2(run: Run, model: nn.Module, sample: dict[str, Any], b: int) -> tuple[dict[int, float], set[int]]:
    """The uncertainty of each candidate x_{t,i}, and B'."""
    model.eval()
    entropies: dict[int, list[float]] = {}
    greatest: dict[int, list[float]] = {}
    numbers: dict[int, list[int]] = {}
    for segment in sample["candidates"]:
        t = segment.corpus
        corpus = run.task.bundle.corpus(run.task.names[t])
        entropies[t], greatest[t], numbers[t] = [], [], segment.numbers.tolist()
        for number in segment.numbers:
            one = run.data.collater([run.data[Drawn(segment.numbers[segment.numbers == number], 1)]])
            with torch.no_grad():
                (outputs,) = model(PackedBatch(**one["net_input"])).answers
            if corpus.kind in ("classification", "word_in_context", "next_sentence"):
                h, most = entropy_of_classes(outputs)
            else:
                values, mosts = run.families[t].entropies(outputs, one["units"][0])
                h, most = float(values), float(mosts)
            entropies[t].append(h)
            greatest[t].append(most)
    highest = max(sum(values) / len(values) for values in entropies.values())
    uncertainty = {
        number: h / most / highest if most else 0.0
        for t in entropies
        for number, h, most in zip(numbers[t], entropies[t], greatest[t], strict=True)
    }
    return uncertainty, set(sorted(uncertainty, key=lambda number: -uncertainty[number])[:b])


def steps(run: Run, batch_size: int, max_tokens: int | None = None, count: int = 8) -> Iterator[dict[str, Any]]:
    for index, sample in enumerate(run.batches(batch_size, max_tokens).next_epoch_itr(shuffle=False)):
        if index == count:
            return
        yield sample


@pytest.mark.parametrize("max_tokens", [None, 150])
def test_the_same_samples_as_algorithm_2_while_the_model_learns(
    variant: str, max_tokens: int | None, make_run: MakeRun
) -> None:
    b = 5
    run = make_run(CLASSES, variant=variant, corpus_sampling="uncertainty")
    model = run.model()
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    for sample in steps(run, b, max_tokens):
        uncertainty, expected = algorithm_2(run, copy.deepcopy(model.model), sample, b)
        assert len(sample["packs"]) == 1 or max_tokens is not None
        model.train()
        _, found_uncertainty = run.task.epoch.uncertainty.uncertainty(model, sample)
        for segment, values in zip(sample["candidates"], found_uncertainty, strict=True):
            torch.testing.assert_close(
                values.tolist(), [uncertainty[number] for number in segment.numbers.tolist()], atol=1e-4, rtol=1e-4
            )
        chosen, log = run.task.epoch.uncertainty.choose(model, sample)
        assert model.training and model.model.encoder.training
        found = chosen["id"].tolist()
        if max_tokens is None:
            assert set(found) == expected
        else:  # the most uncertain, as far as the tokens go
            assert len(chosen["net_input"]["tokens"]) <= max_tokens
            order = sorted(uncertainty, key=lambda number: -uncertainty[number])
            assert set(found) == set(order[: len(found)])
        assert len(chosen["corpora"]) == len(set(chosen["corpora"]))
        assert log["chosen"].tolist() == [
            sum(int(run.data.offsets[t] <= number < run.data.offsets[t + 1]) for number in found)
            for t in range(len(CLASSES))
        ]
        optimizer.zero_grad()
        run.step(model, sample)
        optimizer.step()


@pytest.mark.parametrize("max_tokens", [None, 60])
def test_every_kind(max_tokens: int | None, make_run: MakeRun) -> None:
    """Logged entropies, and what is chosen, as if each example were alone; queries with all their candidates."""
    run = make_run(corpus_sampling="uncertainty")
    model = run.model()
    seen: set[str] = set()
    for sample in steps(run, 8, max_tokens):
        uncertainty, _ = algorithm_2(run, model.model, sample, 8)
        chosen, log = run.task.epoch.uncertainty.choose(model, sample)
        found = chosen["id"].tolist()
        least = min(uncertainty[number] for number in found)
        left = [value for number, value in uncertainty.items() if number not in found]
        sequences = [count for units in chosen["units"] for count in units]
        assert len(chosen["net_input"]["lengths"]) <= 8 or len(found) == 1
        assert max(left) <= least + 1e-5
        assert len(sequences) == len(found) == chosen["nsentences"]
        assert chosen["ntokens"] == len(chosen["net_input"]["tokens"])
        numbers = chosen["id"].split([len(units) for units in chosen["units"]])
        own = run.data.collater([run.data[Drawn(segment.numpy(), 1)] for segment in numbers])
        assert torch.equal(own["net_input"]["tokens"], chosen["net_input"]["tokens"])
        for mine, theirs in zip(own["targets"], chosen["targets"], strict=True):
            assert mine.keys() == theirs.keys()
            assert all(torch.equal(mine[name], theirs[name]) for name in mine)
        for t, segment in enumerate(sample["candidates"]):
            assert log["candidates"][t] == len(segment)
            (outputs,) = alone(run, model, segment)
            mean = float(run.families[t].entropies(outputs, segment.units).values.double().sum())
            assert float(log["entropy"][t]) == pytest.approx(mean, abs=1e-3)
        seen |= {run.task.names[t] for t in chosen["corpora"]}
        assert log["chosen"].sum() == len(found)
    assert len(seen) >= 4


def alone(run: Run, model: Any, segment: Any) -> list[Tensor]:
    model.eval()
    with torch.no_grad():
        found: list[Tensor] = model.model(PackedBatch(**run.data.collater([segment])["net_input"])).answers
    model.train()
    return found


@pytest.mark.parametrize("autocast", ["none", "bf16"])
@pytest.mark.parametrize("average", ["corpus", "example"])
def test_the_step_is_that_of_the_chosen_batch(autocast: str, average: str, make_run: MakeRun) -> None:
    options = {"autocast": autocast, "loss_average": average}
    run, plain = make_run(corpus_sampling="uncertainty", **options), make_run(**options)
    plain.batches()  # a step is one of an epoch
    for sample in steps(run, 8, 100, count=3):
        one, other = run.model(), run.model()
        with run.task._autocast(sample["packs"][0]):
            chosen, _ = run.task.epoch.uncertainty.choose(other, sample)
        loss, size, log = run.step(one, sample)
        expected, expected_size, expected_log = plain.step(other, chosen)
        assert torch.equal(loss, expected)
        assert size == expected_size == (len(chosen["corpora"]) if average == "corpus" else size)
        for key in ("nsentences", "ntokens", "sample_size"):
            assert log[key] == expected_log[key]
        assert torch.equal(log["corpus_segments"], expected_log["corpus_segments"])
        mine, theirs = gradients(one), gradients(other)
        assert any(gradient is not None and gradient.any() for gradient in mine.values())
        for name, gradient in mine.items():
            assert (gradient is None) == (theirs[name] is None), name
            assert gradient is None or torch.equal(gradient, theirs[name]), name


def test_half_precision(make_run: MakeRun) -> None:
    run = make_run(corpus_sampling="uncertainty")
    model = run.model().half()
    for sample in steps(run, 8, count=2):
        loss, _, log = run.step(model, sample)
        assert torch.isfinite(loss)
        assert torch.isfinite(log["entropy"]).all()


def test_a_dummy_batch_changes_nothing(make_run: MakeRun) -> None:
    run = make_run(CLASSES, corpus_sampling="uncertainty")
    model, first = run.model(), run.batches().first_batch
    loss, _, _ = run.task.train_step(first, model, run.criterion(), _Optimizer(), 0, ignore_grad=True)
    assert float(loss.detach()) == 0.0
    assert not any(gradient.any() for gradient in gradients(model).values() if gradient is not None)
    assert run.data.candidates_collater([], None) == {}


class _Optimizer:
    def backward(self, loss: Tensor) -> None:
        loss.backward()


def test_dropout_is_off_while_choosing_and_draws_no_numbers(make_run: MakeRun) -> None:
    run = make_run(CLASSES, corpus_sampling="uncertainty")
    (sample,) = steps(run, 5, count=1)
    model = run.model()
    expected = run.task.epoch.uncertainty.choose(model, sample)[0]["id"].tolist()
    for module in model.modules():
        if isinstance(getattr(module, "probability", None), float):
            module.probability = 0.5  # type: ignore[assignment]
    before = torch.get_rng_state()
    model.train()
    assert run.task.epoch.uncertainty.choose(model, sample)[0]["id"].tolist() == expected
    assert torch.equal(torch.get_rng_state(), before)


def test_the_share_of_data_used_is_that_of_different_examples(make_run: MakeRun) -> None:
    run = make_run(tuple(CORPORA)[:4], corpus_sampling="uncertainty", update_freq=[2])
    used: set[int] = set()
    ranks = [make_run(tuple(CORPORA)[:4], corpus_sampling="uncertainty", update_freq=[2]) for _ in range(2)]
    iterators = [one.batches(5, num_shards=2, shard_id=i).next_epoch_itr(shuffle=False) for i, one in enumerate(ranks)]
    everything = DataUsed(len(run.data))
    for _ in range(4):
        announced = []
        for one, iterator in zip(ranks, iterators, strict=True):
            for _ in range(2):
                chosen, log = one.task.epoch.uncertainty.choose(one.model(), next(iterator))
                used |= set(chosen["id"].tolist())
                announced.append(log["trained_on"])
        everything.add(read_announced(torch.stack(announced).sum(0)))
        assert everything.share == pytest.approx(len(used) / len(run.data))
    again = DataUsed(len(run.data))
    again.load_state(everything.to_state())
    assert again.share == everything.share
    with pytest.raises(InputError, match="cannot resume: the training data has another number of examples"):
        DataUsed(len(run.data) + 9).load_state(everything.to_state())


def test_announcements_of_ranks_and_micro_batches_add_up() -> None:
    ranks = [Announcements(rank, ranks=3, frequency=2, width=4) for rank in range(3)]
    numbers = [[0], [7, 2, 9], [], [4, 0, 3, 8], [5], [6]]
    for _ in range(2):
        written = [one.write(torch.tensor(numbers[2 * rank + i], dtype=torch.int64).numpy())
                   for rank, one in enumerate(ranks) for i in range(2)]  # fmt: skip
        assert sorted(read_announced(torch.stack(written).sum(0)).tolist()) == sorted(itertools.chain(*numbers))
