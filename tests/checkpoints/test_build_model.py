"""A model is built from its bundle: what variants share with one seed."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.variants.catalogue import VARIANTS
from tests.checkpoints.nli_and_topic import FILE, LABELS, SHAPE


def fresh_heads(variant: str, seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    bundle = Bundle(variant, SHAPE, FILE, "corpora.yaml", LABELS, {name: {} for name in LABELS}, 40, {})
    return build_model(bundle).heads.state_dict()


@pytest.mark.parametrize("variant", VARIANTS)
def test_fresh_heads_are_those_of_every_variant_with_one_seed(variant: str) -> None:
    ours, dense, others = fresh_heads(variant, 1), fresh_heads("dense", 1), fresh_heads(variant, 2)
    assert ours.keys() == dense.keys() and {name.split(".")[0] for name in ours} == {"nli", "topic"}
    for name, tensor in ours.items():
        torch.testing.assert_close(tensor, dense[name], rtol=0, atol=0)
        if name.endswith("weight") and "norm" not in name:
            assert not torch.equal(tensor, others[name])
