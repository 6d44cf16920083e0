"""A model is built from its bundle: what variants share with one seed."""

from __future__ import annotations

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape

FILE = """\
languages: [en, zh]
skills: {generic: always on, sentence: single texts, interact: pairs}
corpora:
  nli: {kind: classification, language: en, skills: [generic, interact], labels: [a, b, c], format: tsv,
        columns: {text_a: 0, label: 1}, header: false, train: t.tsv}
  names: {kind: labelling, language: zh, skills: [generic, sentence], labels: [O, B-X, I-X], format: conll,
          columns: {token: 0, tag: 1}, train: t.conll}
"""


def fresh_heads(variant: str, seed: int) -> dict[str, torch.Tensor]:
    shape = EncoderShape(2, 16, 2, 32, vocabulary=50, positions=40, token_types=2)
    labels = {"nli": ("a", "b", "c"), "names": ("O", "B-X", "I-X")}
    torch.manual_seed(seed)
    return build_model(
        Bundle(variant, shape, FILE, "corpora.yaml", labels, {name: {} for name in labels}, 40, {})
    ).heads.state_dict()


@pytest.mark.parametrize("variant", VARIANTS)
def test_fresh_heads_are_those_of_every_variant_with_one_seed(variant: str) -> None:
    ours, dense, others = fresh_heads(variant, 1), fresh_heads("dense", 1), fresh_heads(variant, 2)
    assert ours.keys() == dense.keys() and {name.split(".")[0] for name in ours} == {"nli", "names"}
    for name, tensor in ours.items():
        torch.testing.assert_close(tensor, dense[name], rtol=0, atol=0)
        if name.endswith("weight") and "norm" not in name:
            assert not torch.equal(tensor, others[name])
