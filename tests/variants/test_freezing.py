"""Which parameters each choice of ``--freeze`` leaves as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.freezing import FREEZES, find_new, freeze_parameters, frozen_layers
from skill_plugin.variants.slots import Inventory

INVENTORY = Inventory(
    ("s",), ("en",), gates=("a",), embeddings=("a",), conditional=ConditionalOptions(length=8, form="large")
)


def build(variant: str, layers: int = 8, inventory: Inventory = INVENTORY) -> MultitaskModel:
    shape = EncoderShape(layers, 16, 2, 32, vocabulary=9, positions=9)
    with torch.device("meta"):
        heads = {"a": ClassificationHead(16, 2, 0.1)}
        return MultitaskModel(build_encoder(variant, shape, inventory, layers), heads)


def frozen(variant: str, freeze: str, layers: int = 8) -> set[str]:
    model = build(variant, layers)
    freeze_parameters(model, freeze, layers)
    return {name for name, parameter in model.named_parameters() if not parameter.requires_grad}


@pytest.mark.parametrize(("freeze", "layers"), [("embeddings", 0), ("bottom-quarter", 2), ("bottom-half", 4)])
@pytest.mark.parametrize("variant", ["dense", "skillnet_x_ffn_mha", "mt_tag", "ca_mtl"])
def test_embeddings_and_layers_from_the_bottom(variant: str, freeze: str, layers: int) -> None:
    names = frozen(variant, freeze)
    assert {name.split(".")[1] for name in names} == ({"embeddings", "layers"} if layers else {"embeddings"})
    assert {int(name.split(".")[2]) for name in names if ".layers." in name} == set(range(layers))
    # what is not there before training is learned, wherever it sits
    assert not any(part in name for name in names for part in ("gates", "modulation", "matrix", "bottleneck", "heads"))
    dense = frozen("dense", freeze)
    if variant == "ca_mtl":
        assert names == dense
    if variant == "mt_tag" and layers:
        assert sum(".experts." in name for name in names) == 4 * 4 * layers


def test_none_freezes_nothing_and_parts_of_layers_are_rounded_down() -> None:
    assert frozen("ca_mtl", "none") == set()
    assert [[frozen_layers(freeze, n) for freeze in FREEZES] for n in (2, 6, 12, 24)] == [
        [0, 0, 0, 1], [0, 0, 1, 3], [0, 0, 3, 6], [0, 0, 6, 12],
    ]  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_old_trains_what_the_checkpoint_lacks_and_heads(variant: str) -> None:
    """A new skill, a new language with query, key and value, a new gate or embedding; nothing shared, nothing old."""
    known = build(variant).state_dict()
    more = replace(INVENTORY, skills=("s", "new"), languages=("en", "fr"), gates=("a", "b"), embeddings=("a", "b"))
    model = build(variant, inventory=more)
    freeze_parameters(model, "old", 8, new=find_new(dict(model.named_parameters()), known))
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    parts = {
        "skillnet": {"task_skills.new"},
        "skillnet_x_ffn": {"task_skills.new", "language_skills.fr"},
        "skillnet_x_ffn_mha": {"task_skills.new", "languages.fr"},
        "mt_tag": {"gates.b"},
        "ca_mtl": {"rows.b"},
    }.get(variant, set())
    for name in model.state_dict():
        expected = name.startswith("heads.") or any(f".{part}." in name for part in parts)
        assert (name in trained) == expected, name
    assert all(any(f".{part}." in name for name in trained) for part in parts)
    if variant == "skillnet_x_ffn_mha":
        assert any("attention" in name and ".languages.fr." in name for name in trained)


def test_old_beside_a_plain_encoder_trains_all_skills() -> None:
    known, model = build("dense").state_dict(), build("skillnet")
    new = find_new(dict(model.named_parameters()), known)
    assert new == tuple(name for name, _ in model.named_parameters() if ".task_skills." in name)
