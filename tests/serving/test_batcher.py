"""Requests are read together and answered one by one: what is wrong with one is not another's."""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import replace

import numpy as np
import pytest
import torch

from skill_plugin import api
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.serving.batcher import Batcher
from skill_plugin.serving.limits import Limits
from skill_plugin.serving.meters import Meters
from skill_plugin.serving.question import PIECE, Question


def question(model: api.Model, name: str, texts: list[str]) -> Question:
    pieces = [[model.ask(name, texts[at : at + PIECE])] for at in range(0, len(texts), PIECE)]
    return Question([name], False, pieces, len(texts))


def batcher(model: api.Model, **limits: int) -> Batcher:
    return Batcher(model, replace(Limits(), **limits), Meters(lambda: 0))


def assert_right(model: api.Model, asked: Question, outputs: list[list[torch.Tensor]]) -> None:
    for piece, (own,) in zip(asked.pieces, outputs, strict=True):
        ((_, (alone,)),) = model.together([piece])
        torch.testing.assert_close(own, alone, rtol=0, atol=1e-4)


def test_what_waits_is_answered_before_it_ends(model: api.Model) -> None:
    desk = batcher(model)
    asked = [question(model, name, ["the cat sat"] * count) for count in (1, 40, 17) for name in ("one", "tags", "mlm")]
    futures = [desk.ask(one) for one in asked]
    assert desk.seconds_to_wait() == 0.0  # nothing is known of its speed
    desk.start()
    desk.stop()
    for one, future in zip(asked, futures, strict=True):
        assert_right(model, one, future.result(timeout=0))
    assert not desk.works


def test_long_requests_take_turns_with_others(model: api.Model) -> None:
    desk = batcher(model, batch=1)
    long, short = question(model, "one", ["the cat"] * 10 * PIECE), question(model, "one", ["a dog"])
    order: list[str] = []
    for name, one in (("long", long), ("short", short)):
        desk.ask(one).add_done_callback(lambda _, name=name: order.append(name))
    desk.start()
    desk.stop()
    assert order == ["short", "long"]


def test_what_was_given_up_is_not_read(model: api.Model) -> None:
    desk = batcher(model)
    given_up, kept = desk.ask(question(model, "one", ["a"] * 40)), desk.ask(question(model, "one", ["b"]))
    given_up.cancel()
    desk.start()
    desk.stop()
    with pytest.raises(CancelledError):
        given_up.result(timeout=0)
    assert len(kept.result(timeout=0)) == 1


@pytest.mark.filterwarnings("error")
def test_a_request_on_which_the_model_fails_fails_alone(model: api.Model, caplog: pytest.LogCaptureFixture) -> None:
    desk = batcher(model)
    bad = question(model, "one", ["the cat"])
    outside = EncodedSequence(np.array([0, 1 << 20, 2], np.int32), np.zeros(3, np.int32))  # no such piece
    ((asked,),) = bad.pieces
    bad = replace(bad, pieces=[[replace(asked, sequences=[[outside]])]])
    others = [question(model, name, ["the cat", "a dog"]) for name in ("one", "pair", "span")]
    futures = [desk.ask(one) for one in (others[0], bad, *others[1:])]
    desk.start()
    desk.stop()
    with pytest.raises(IndexError):
        futures.pop(1).result(timeout=0)
    for one, future in zip(others, futures, strict=True):
        assert_right(model, one, future.result(timeout=0))
    assert "the model failed" in caplog.text
