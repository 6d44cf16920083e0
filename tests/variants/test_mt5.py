"""``mt5``: its sizes are the published ones, and it has no parts that other variants have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.checkpoints.adapter_file import extract_adapter, put_on_base, save_adapter
from skill_plugin.checkpoints.base_fingerprint import base_fingerprint
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint, save_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.report.description import describe_bundle
from skill_plugin.variants.catalogue import MODELS, MT5
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.freezing import freeze_parameters
from skill_plugin.variants.lora_options import TARGETS, LoraOptions
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


def test_it_is_described_by_what_it_has() -> None:
    found = describe_bundle(bundle())
    assert {tuple(one.skills) for one in found.corpora.values()} == {()}
    counts, corpora = found.tables()
    parts = list(counts.columns[0].cells)
    assert parts[:4] == ["total", "encoder", "decoder", "trainable"] and parts[4].startswith("encoder and decoder, ")
    assert [column.header for column in corpora.columns] == ["corpus", "language", "activated", "trainable"]


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


def learnt(targets: tuple[str, ...]) -> tuple[Bundle, TextToTextModel]:
    """With adapters that have learnt something."""
    made = bundle(lora=LoraOptions(rank=2, alpha=4.0, dropout=0.0, targets=targets))
    torch.manual_seed(0)
    model = build_model(made).eval()
    assert isinstance(model, TextToTextModel)
    for name, parameter in model.named_parameters():
        if name.endswith("lora_b"):
            torch.nn.init.normal_(parameter, std=0.3)
    return made, model


@pytest.mark.parametrize("targets", [("query", "value"), TARGETS])
def test_adapters_are_beside_both_attentions_and_merge_into_them(targets: tuple[str, ...]) -> None:
    made, model = learnt(targets)
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained == {name for name in model.state_dict() if ".lora_" in name}
    maps = {"attention.qkv", "cross_attention.query", "cross_attention.key_value"}
    more = {"attention.output", "cross_attention.output", "feed_forward.fc1", "feed_forward.fc2"}
    expected = {
        f"{stack}.layers.{layer}.{name}"
        for stack in ("encoder", "decoder")
        for layer in range(2)
        for name in (maps | more if targets == TARGETS else maps)
        if stack == "decoder" or "cross" not in name
    }
    assert {name.rpartition(".lora_")[0] for name in trained} == expected
    parts = {name: len(one.parts) for name, one in model.named_modules() if isinstance(one, LoraLinear)}
    every = targets == TARGETS  # a pair of matrices for each map that transformers has apart
    assert parts["decoder.layers.0.attention.qkv"] == (3 if every else 2)
    assert parts["decoder.layers.0.cross_attention.key_value"] == (2 if every else 1)
    assert not every or parts["encoder.layers.1.feed_forward.fc1"] == 2

    plain = Checkpoint(made, model.state_dict()).merged().model()
    assert isinstance(plain, TextToTextModel)
    assert not any(isinstance(one, LoraLinear) for one in plain.modules())
    fresh = build_model(made).eval()
    source = np.arange(4, 12)
    one = EncodedSequence(source, 0 * source, np.zeros(3, np.int64), (np.array([7, 9, 2]),))
    batch = pack([(ActiveSet((), "en"), "", [one])], token_types=False)
    (ours,), (merged,), (start,) = (found(batch).answers for found in (model, plain, fresh))
    torch.testing.assert_close(ours, merged, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(ours, start, atol=1e-2)
    assert model.generate(batch, 5)[0].tolist() == plain.generate(batch, 5)[0].tolist()


def test_what_adapters_learnt_is_a_file_of_its_own(tmp_path: Path) -> None:
    made, model = learnt(("query", "value"))
    base = build_model(bundle())
    base.load_state_dict({n: t for n, t in model.state_dict().items() if ".lora_" not in n})
    made = replace(made, base=base_fingerprint(base))
    trained, alone = Checkpoint(made, model.state_dict()), Checkpoint(bundle(), base.state_dict())
    save_checkpoint(alone, tmp_path / "base.pt")
    adapter = extract_adapter(trained, "trained.pt")
    assert adapter.state.keys() == {name for name in model.state_dict() if ".lora_" in name}
    save_adapter(adapter, tmp_path / "adapter.pt")
    again = put_on_base(tmp_path / "adapter.pt", tmp_path / "base.pt")
    assert all(torch.equal(tensor, again.state[name]) for name, tensor in model.state_dict().items())
