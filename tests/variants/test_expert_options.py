"""Options of experts that do not fit are named in one line."""

from __future__ import annotations

import pytest

from skill_plugin.errors import InputError
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions, read_layers
from skill_plugin.variants.experts import Experts
from skill_plugin.variants.moe_top2 import PUBLISHED
from skill_plugin.variants.slots import Inventory


def test_layers_are_numbers_from_0() -> None:
    assert read_layers("") is None
    assert read_layers("5, 1,3,1") == (1, 3, 5)
    with pytest.raises(InputError, match="--expert-layers 1;2: expected numbers from 0, separated by commas"):
        read_layers("1;2")


@pytest.mark.parametrize(
    ("variant", "options", "skill_layers", "message"),
    [
        ("skillnet", ExpertOptions(number=4), None, "skillnet has no experts: .* are for moe_top2, mt_switch, mt_tag"),
        ("dense", ExpertOptions(scale="rescaled"), None, "dense has no experts"),
        ("mt_tag", ExpertOptions(per_token=5), None, "--experts-per-token 5: expected 1 to 4"),
        ("mt_tag", ExpertOptions(per_token=0), None, "--experts-per-token 0: expected 1 to 4"),
        ("mt_tag", ExpertOptions(scale="renormalised"), None, "weight is always 1, and the gate would not learn"),
        ("moe_top2", ExpertOptions(per_token=1), None, "weight is always 1, and the gate would not learn"),
        ("mt_tag", ExpertOptions(layers=(0, 6)), None, "--expert-layers 6: expected numbers from 0 to 5"),
        ("mt_tag", ExpertOptions(layers=(0,)), 2, "give one of them"),
        ("mt_tag", ExpertOptions(noise=True), None, "mt_tag has a gate for each corpus; it is for moe_top2, mt_switch"),
        ("moe_top2", ExpertOptions(number=2, noise=True), None, "every token goes to all 2 experts"),
        ("dense", ExpertOptions(noise=True), None, "dense has no experts"),
    ],
)
def test_options_that_do_not_fit(variant: str, options: ExpertOptions, skill_layers: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        options.check(variant, VARIANTS, 6, skill_layers)


def test_options_over_what_was_published() -> None:
    assert PUBLISHED.with_options(ExpertOptions()) == PUBLISHED
    assert PUBLISHED.with_options(ExpertOptions(number=1)) == Experts(1, 1, "renormalised")
    ExpertOptions(number=1).check("moe_top2", VARIANTS, 6, None)
    options = ExpertOptions(number=6, per_token=2, scale="renormalised", layers=(5,))
    options.check("mt_tag", VARIANTS, 6, None)


def test_only_the_named_layers_have_experts() -> None:
    shape = EncoderShape(3, 8, 2, 16, vocabulary=9, positions=9)
    names = build_encoder("mt_tag", shape, Inventory((), (), ("a",), ExpertOptions(layers=(0, 2)))).state_dict()
    assert {name.split(".")[1] for name in names if ".experts." in name} == {"0", "2"}
    assert {name.split(".")[1] for name in names if ".gates.a." in name} == {"0", "2"}
    assert "layers.1.feed_forward.fc1.weight" in names
