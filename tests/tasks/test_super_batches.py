"""Batches of several corpora: what they hold, whoever reads them, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from skill_plugin.errors import InputError
from skill_plugin.tasks.multi_corpus_dataset import Drawn
from skill_plugin.tasks.resume import check_resume
from skill_plugin.variants.catalogue import VARIANTS
from tests.tasks.conftest import Run, gradients

MakeRun = Callable[..., Run]
FEW = ("one", "tags", "search", "score")


def read(iterator: Any) -> list[dict[str, Any]]:
    return list(iterator.next_epoch_itr(shuffle=False))


def shown(sample: dict[str, Any]) -> Any:
    """What a batch is, in values that can be compared."""
    if "candidates" in sample:
        packs = [pack["net_input"]["tokens"].tolist() for pack in sample["packs"]]
        return [(segment.corpus, segment.numbers.tolist()) for segment in sample["candidates"]], packs
    return sample["corpora"], sample["id"].tolist(), sample["net_input"]["tokens"].tolist()


@pytest.mark.parametrize("options", [{"corpora_per_batch": 3}, {"corpus_sampling": "uncertainty"}])
def test_the_same_batches_whatever_workers_and_ranks(options: dict[str, Any], make_run: MakeRun) -> None:
    run = make_run(FEW, **options)
    for epoch in (1, 2):
        alone = [shown(one) for one in read(run.batches(epoch=epoch))]
        with_workers = [shown(one) for one in read(run.batches(epoch=epoch, num_workers=2))]
        assert with_workers == alone
        ranks = [[shown(one) for one in read(run.batches(epoch=epoch, num_shards=2, shard_id=i))] for i in (0, 1)]
        dealt = [one for pair in zip(*ranks, strict=True) for one in pair]
        assert dealt[: len(alone)] == alone


def test_a_resumed_iterator_goes_on_where_it_stopped(make_run: MakeRun) -> None:
    run = make_run(FEW, corpora_per_batch=2)
    whole = [shown(one) for one in read(run.batches())]
    first = run.batches()
    taken = first.next_epoch_itr(shuffle=False)
    begun = [shown(next(taken)) for _ in range(3)]
    second = run.batches(epoch=first.state_dict()["epoch"])
    second.load_state_dict(first.state_dict())
    assert begun + [shown(one) for one in second.next_epoch_itr(shuffle=False)] == whole


def test_an_epoch_is_as_long_as_with_other_samplers(make_run: MakeRun) -> None:
    plain = len(make_run(FEW).batches())
    assert len(make_run(FEW, corpus_sampling="uncertainty").batches()) == plain
    assert len(make_run(FEW, corpora_per_batch=3).batches()) == -(-plain // 3)


def test_a_run_with_other_batches_is_no_resumed_run(make_run: MakeRun) -> None:
    def conditions(**options: Any) -> dict[str, Any]:
        found = make_run(FEW, **{"corpora_per_batch": 3, "batch_size": 8, **options}).task.get_checkpoint_dict()
        (state,) = found.values()
        return {key: value for key, value in state.items() if key != "data-used"}

    stopped = conditions()
    check_resume(stopped, conditions())
    check_resume(stopped, conditions(sampling_alpha="0.3"))  # which proportional sampling does not use
    check_resume({key: value for key, value in stopped.items() if key != "max-tokens"}, stopped)  # of an older version
    older = {key: value for key, value in stopped.items() if key != "joined-question"}
    check_resume(older, {**stopped, "joined-question": []})  # without a question there is nothing to join
    with pytest.raises(InputError, match="cannot resume: the run kept query and question apart, which are one text"):
        check_resume(older, {**stopped, "joined-question": ["copa"]})
    older = {key: value for key, value in stopped.items() if key != "head-options"}
    name = next(iter(stopped["labels"]))
    raw, graded = ({**stopped, "head-options": {name: one}} for one in ({"score_scale": "raw"}, {"loss": "graded"}))
    check_resume(older, stopped)
    check_resume(older, graded)  # of which an older version did not tell
    check_resume({**older, "score-scale": [name]}, raw)
    with pytest.raises(InputError, match=f"cannot resume: score_scale of '{name}' was normalised, now raw; "):
        check_resume(older, raw)
    with pytest.raises(InputError, match=f"cannot resume: loss of '{name}' was graded, now pointwise; "):
        check_resume(graded, {**stopped, "head-options": {name: {"loss": "pointwise"}}})
    for options, message in (
        ({"corpora_per_batch": 2}, "corpora-per-batch was 3, now 2"),
        ({"batch_size": 4}, "batch-size was 8, now 4"),
        ({"max_tokens": 900}, "max-tokens was not given, now 900"),
        ({"corpus_sampling": "temperature"}, "sampling was proportional, now temperature 0.5"),
        ({"corpus_sampling": "uncertainty"}, "sampling was proportional, now uncertainty"),
    ):
        with pytest.raises(InputError, match=f"cannot resume: {message}; "):
            check_resume(stopped, conditions(**options))


def test_draws_of_one_corpus_stay_apart(make_run: MakeRun) -> None:
    run = make_run(FEW[:2], corpora_per_batch=5)
    singles, supers = (read(made.batches()) for made in (make_run(FEW[:2]), run))
    numbers = [one["id"].tolist() for one in singles]
    for index, sample in enumerate(supers):
        assert len(sample["corpora"]) == len(sample["targets"]) == len(sample["units"]) == 5
        assert len(set(sample["corpora"])) < 5
        own = numbers[5 * index : 5 * index + 5]  # fewer at the end, where the last batch is filled up
        assert sample["id"].tolist()[: sum(map(len, own))] == [number for segment in own for number in segment]


@pytest.mark.parametrize("variant", VARIANTS)
def test_gradients_are_the_mean_of_single_batches(variant: str, make_run: MakeRun) -> None:
    together, alone = make_run(variant=variant, corpora_per_batch=6), make_run(variant=variant)
    supers, singles = read(together.batches())[:4], read(alone.batches())[:24]
    assert any(len(set(sample["corpora"])) < 6 for sample in supers)  # a corpus twice in a batch
    for index, sample in enumerate(supers):
        one, other = together.model(), alone.model()
        _, size, log = together.step(one, sample)
        assert size == log["sample_size"] == 6
        for single in singles[6 * index : 6 * index + 6]:
            _, size, _ = alone.step(other, single)
            assert size == 1
        assert_same(gradients(one), gradients(other))


def assert_same(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Sums of gradients, which the trainer divides by the same sample size."""
    for name, gradient in mine.items():
        if gradient is None or theirs[name] is None:
            assert gradient is theirs[name] is None, name
        else:
            scale = max(float(theirs[name].abs().max()), 1e-2)  # some are zero but for rounding: a bias before softmax
            torch.testing.assert_close(gradient, theirs[name], atol=1e-4 * scale, rtol=1e-3, msg=name)


@pytest.mark.parametrize("average", ["corpus", "example"])
def test_what_an_update_is_the_mean_of(average: str, make_run: MakeRun) -> None:
    """By example: of all its texts, queries and windows, wherever they lie; by corpus: of its segments."""
    run = make_run(corpora_per_batch=13, loss_average=average)
    sample = read(run.batches())[0]
    model = run.model()
    loss, size, _ = run.step(model, sample)
    losses, expected, number = [], 0.0, 0
    for numbers in sample["id"].split([len(units) for units in sample["units"]]):
        segment = run.data[Drawn(numbers.numpy(), 1)]
        for i in range(len(segment)) if average == "example" else [None]:
            one = segment if i is None else segment.take(numbers.new_tensor([i]).numpy())
            if sum(one.units):  # else it says nothing
                again, weight, _ = run.step(run.model(), run.data.collater([one]))
                losses.append(float(again.detach()))
                number += weight
            else:
                number += average == "corpus"
    expected = sum(losses)
    assert size == number
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)
    if average == "corpus":
        assert size == 13
    else:
        assert size > 13
