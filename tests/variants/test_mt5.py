"""``mt5``: its sizes are the published ones, and it has no parts that other variants have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint, save_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.report.description import describe_bundle
from skill_plugin.variants.catalogue import MODELS, MT5
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.freezing import freeze_parameters
from skill_plugin.variants.model_shape import fit_to_pretrained
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5_SIZES, T5Shape
from skill_plugin.variants.training_options import TrainingOptions
from tests.checkpoints.test_bundle import BUNDLE

SHAPE = T5Shape(**vars(T5_SIZES["tiny"]), vocabulary=20, dropout=0.0, attention_dropout=0.0)


def bundle(**changes: Any) -> Bundle:
    return replace(BUNDLE, variant=MT5, shape=SHAPE, skill_layers=None, **changes)


# with its table of 250,112 rows mT5-small has 300,176,768 parameters and mT5-base 582,401,280 (as transformers counts)
@pytest.mark.parametrize(("size", "expected"), [("small", 300_176_768), ("base", 582_401_280)])
def test_as_many_parameters_as_published(size: str, expected: int) -> None:
    with torch.device("meta"), NoFreshWeights():
        model = build_mt5(T5Shape(**vars(T5_SIZES[size]), vocabulary=250_112))
    assert sum(one.numel() for one in model.parameters()) == expected


def test_a_checkpoint_holds_it(tmp_path: Any) -> None:
    made = bundle()
    model = build_model(made).eval()
    assert isinstance(model, TextToTextModel) and made.is_text_to_text and not made.heads()
    save_checkpoint(Checkpoint(made, model.state_dict()), tmp_path / "model.pt")
    again = read_checkpoint(tmp_path / "model.pt")
    assert again.bundle == made
    for name, tensor in again.model().state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name]), name
    assert made.length_of("nli-en") == 512  # as its corpus says: positions are relative, and set no bound


def test_parameters_are_the_encoders_and_the_decoders() -> None:
    counts = describe_bundle(bundle()).parameters
    encoder, decoder = counts["encoder"], counts["decoder"]
    assert encoder + decoder == counts["total"] == counts["trainable"]
    width, heads = 64, 3 * 16
    layer = 4 * width * heads + 3 * width * 128
    assert encoder == 20 * width + 32 * 3 + 2 * (layer + 2 * width) + width
    assert decoder == 20 * width + 32 * 3 + 2 * (layer + 4 * width * heads + 3 * width) + width
    corpus = describe_bundle(bundle()).corpora["nli-en"]
    assert corpus.activated == corpus.per_token == corpus.trainable == counts["total"]
    assert corpus.head == "" and not corpus.linear


@pytest.mark.parametrize(("freeze", "layers"), [("embeddings", 0), ("bottom-half", 1)])
def test_what_is_frozen_is_the_encoders(freeze: str, layers: int) -> None:
    model = build_mt5(SHAPE)
    freeze_parameters(model, freeze, SHAPE.layers)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    assert {"encoder.embeddings.tokens.weight", "encoder.embeddings.positions.weight"} <= frozen
    assert {name.split(".")[2] for name in frozen if ".layers." in name} == set(map(str, range(layers)))
    assert all(name.startswith("encoder.") for name in frozen)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"skill_layers": 1}, "--skill-layers 1: mt5 has no layers with skills"),
        ({"r4f": True}, "--r4f: mt5 has no heads, its answers are texts"),
        ({"linear_heads": True}, "--head linear: mt5 has no heads, its answers are texts"),
        ({"freeze": "old"}, "--freeze old: mt5 has no parts that belong to corpora"),
        ({"experts": ExpertOptions(number=2)}, "mt5 has no experts"),
        ({"conditional": ConditionalOptions(modules=("bottleneck",))}, "mt5 has no conditional modules"),
    ],
)
def test_what_it_does_not_have_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_model(replace(bundle(), **changes))


def test_options_of_heads_are_refused() -> None:
    with pytest.raises(InputError, match=r"--head-dropout 0.3: mt5 has no heads"):
        TrainingOptions(head_dropout=0.3).check(MT5, MODELS[MT5], ExpertOptions())
    with pytest.raises(InputError, match=r"--head-lr-factor 2.0: mt5 has no heads"):
        TrainingOptions(head_lr_factor=2.0).check(MT5, MODELS[MT5], ExpertOptions())
    TrainingOptions().check(MT5, MODELS[MT5], ExpertOptions())


def test_a_pretrained_model_decides_what_an_architecture_does_not() -> None:
    pretrained = replace(SHAPE, vocabulary=33, tied=True, buckets=16, distance=64, eps=1e-5, dropout=0.5)
    fitted = fit_to_pretrained(SHAPE, pretrained, "mt5_tiny", "file.pt")
    assert fitted == replace(pretrained, dropout=0.0, attention_dropout=0.0)
    small = T5Shape(**vars(T5_SIZES["small"]), vocabulary=33)
    with pytest.raises(InputError, match=r"6 heads of 64 and feed-forward 1024.*did you mean --arch mt5_small\?"):
        fit_to_pretrained(SHAPE, small, "mt5_tiny", "file.pt")
    encoder = EncoderShape(2, 64, 2, 128, vocabulary=33)
    with pytest.raises(InputError, match=r"an encoder alone: --arch mt5_tiny starts from mT5"):
        fit_to_pretrained(SHAPE, encoder, "mt5_tiny", "file.pt")
    with pytest.raises(InputError, match=r"--arch dense_tiny starts from an encoder"):
        fit_to_pretrained(encoder, SHAPE, "dense_tiny", "file.pt")
