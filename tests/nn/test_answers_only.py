"""What is left out for tokens that no head reads changes no answer and no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.nn.answers_only import answers_only
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.variants.catalogue import VARIANTS
from tests.nn.test_packing import NLI_EN, TOPIC_ZH, model, sequence


def read_at(seed: int, length: int, *units: int) -> EncodedSequence:
    made = sequence(seed, length)
    return EncodedSequence(made.tokens, made.token_types, np.array(units, np.int64))


FIRST = [read_at(i, n, 0) for i, n in enumerate((3, 9, 1, 30))]
PACKS = {
    "first tokens": [(NLI_EN, "nli", FIRST), (TOPIC_ZH, "topic", [sequence(9, 7), sequence(8, 2)])],
    "a corpus without": [(NLI_EN, "nli", [read_at(1, 12)]), (TOPIC_ZH, "topic", FIRST)],
    "none": [(NLI_EN, "nli", [read_at(1, 12)])],
    "most": [(NLI_EN, "nli", [read_at(1, 12, *range(12)), read_at(2, 3, 2)])],
    "out of order and twice": [(NLI_EN, "nli", [read_at(1, 12, 7, 2, 7)]), (TOPIC_ZH, "topic", FIRST)],
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("members", PACKS.values(), ids=PACKS)
def test_answers_are_the_same(variant: str, members: Any) -> None:
    whole = model(variant).eval()
    names = list(whole.state_dict())
    with torch.no_grad():
        batch = pack(members, token_types=True)
        expected = whole(batch).answers
        found = answers_only(whole)(batch).answers
        again = whole(batch).answers
    _assert_same_gradients(whole, batch)
    for one, other, unchanged in zip(expected, found, again, strict=True):
        torch.testing.assert_close(other, one, atol=1e-5, rtol=1e-5)
        assert torch.equal(one, unchanged)
    assert list(whole.state_dict()) == names


def _assert_same_gradients(whole: Any, batch: PackedBatch) -> None:
    """Also by which parameters have one: experts may get gradients of zeros."""
    found = []
    for one in (whole, answers_only(whole)):
        one.zero_grad()
        sum(out.square().sum() for out in one(batch).answers).backward()
        found.append({name: p.grad for name, p in whole.named_parameters() if p.grad is not None and p.grad.any()})
    expected, ours = found
    assert expected.keys() == ours.keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(ours[name], gradient, atol=1e-4, rtol=1e-4, msg=name)
