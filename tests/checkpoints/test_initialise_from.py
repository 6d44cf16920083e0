"""DESIGN, invariant 4: every variant starts as the pretrained encoder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.checkpoints.origin import Origin
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.lora import add_lora
from skill_plugin.variants.lora_options import LoraOptions
from skill_plugin.variants.slots import Inventory
from tests.every_kind import make_head

SHAPE = EncoderShape(2, 16, 2, 32, vocabulary=30, positions=20, token_types=2, layer_norm_eps=1e-12)
# the published scale of mt_switch and mt_tag multiplies what the pretrained encoder gives by about 1 / experts
INVENTORY = Inventory(
    ("generic", "sentence", "interact"),
    ("en", "zh"),
    gates=("nli",),
    experts=ExpertOptions(scale="rescaled"),
    embeddings=("nli",),
)


def build(variant: str, seed: int) -> MultitaskModel:
    torch.manual_seed(seed)
    encoder = build_encoder(variant, SHAPE, INVENTORY)
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return MultitaskModel(encoder, {"nli": ClassificationHead(16, 3, 0.1)}).eval()


def pretrained() -> tuple[MultitaskModel, InitialWeights]:
    model = build("dense", 1)
    state = {f"encoder.{name}": tensor for name, tensor in model.encoder.state_dict().items()}
    return model, InitialWeights("pretrained.pt", SHAPE, None, {**state, "masked_lm.bias": torch.zeros(30)})


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_states_are_the_pretrained_encoders(variant: str) -> None:
    dense, initial = pretrained()
    model = build(variant, 2)
    lines = initialise_from(model, initial).lines
    if variant == "ca_mtl":  # starts near the pretrained encoder: see tests/variants/test_ca_mtl.py
        for name, parameter in model.named_parameters():
            if ".modulation." in name or ".matrix." in name or ".bottleneck.up." in name:
                torch.nn.init.zeros_(parameter)
            elif name == "encoder.alignment.weight":
                torch.nn.init.eye_(parameter)
    rng = np.random.default_rng(0)
    members = [EncodedSequence(rng.integers(0, 30, n), np.zeros(n, np.int64)) for n in (7, 3, 12)]
    batch = pack(
        [
            (ActiveSet(("generic", "interact"), "en", "nli", "nli"), "nli", members[:2]),
            (ActiveSet(("generic",), "zh", "nli", "nli"), "nli", members[2:]),
        ],
        token_types=True,
    )
    torch.testing.assert_close(model.encoder(batch).hidden, dense.encoder(batch).hidden, atol=1e-5, rtol=1e-5)
    report = "\n".join(lines)
    fresh = {
        "mt_tag": "encoder.feed_forward.gates.nli, ",
        "mt_switch": "encoder.feed_forward.gate, ",
        "moe_top2": "encoder.feed_forward.gate, ",
        "ca_mtl": "encoder.alignment, encoder.alignment.modulation, encoder.attention.matrix, "
        "encoder.attention.matrix.modulation, encoder.attention_norm.modulation, "
        "encoder.feed_forward.bottleneck.down, encoder.feed_forward.bottleneck.down.modulation, "
        "encoder.feed_forward.bottleneck.up, encoder.feed_forward.bottleneck.up.modulation, "
        "encoder.feed_forward_norm.modulation, encoder.task_embeddings.rows.nli, ",
    }
    assert f"fresh: {fresh.get(variant, '')}heads.nli" in report
    assert "left in the file: masked_lm" in report
    assert ("copies of the pretrained layers'" in report) == (variant not in ("dense", "ca_mtl"))


def test_a_missing_or_misshapen_tensor_stops_the_run() -> None:
    _, initial = pretrained()
    name = "encoder.layers.0.attention.output.weight"
    without = {key: value for key, value in initial.state.items() if key != name}
    with pytest.raises(InputError, match=f"pretrained.pt: the encoder's '{name}' is not in the file"):
        initialise_from(build("skillnet", 2), replace(initial, state=without))
    other = {**initial.state, name: torch.zeros(8, 8)}
    with pytest.raises(InputError, match=f"'{name}' is 8 x 8, expected 16 x 16"):
        initialise_from(build("skillnet", 2), replace(initial, state=other))


def test_adapters_are_left_as_they_are() -> None:
    model = build("mt_switch", 2)
    add_lora(model, LoraOptions(2, 2.0, 0.0, ("query", "value")))
    adapters = {name: tensor.clone() for name, tensor in model.state_dict().items() if ".lora_" in name}
    origin = initialise_from(model, pretrained()[1])
    lines = origin.lines
    assert "adapters: 2 beside encoder.attention, which stay as they are; at the start they add 0" in lines
    assert "fresh: encoder.feed_forward.gate, heads.nli" in lines
    assert origin.groups["adapters"] == {"fresh": ["encoder.attention"]}
    assert all(torch.equal(model.state_dict()[name], tensor) for name, tensor in adapters.items())


def test_a_head_with_other_classes_stays_fresh() -> None:
    _, initial = pretrained()
    heads = {"heads.nli.out_proj.weight": torch.zeros(2, 16), "heads.nli.dense.bias": torch.ones(16)}
    model = build("dense", 3)
    before = model.heads["nli"].out_proj.weight.clone()
    initialise_from(model, replace(initial, state={**initial.state, **heads}))
    assert torch.equal(model.heads["nli"].out_proj.weight, before)
    assert torch.equal(model.heads["nli"].dense.bias, torch.ones(16))


KINDS = ("classification", "multilabel", "regression", "ranking", "next_sentence", "word_in_context", "labelling")


def with_heads(seed: int, linear: bool = False) -> MultitaskModel:
    model = build("mt_tag", seed)
    return MultitaskModel(model.encoder, {kind: make_head(kind, 3).make(16, 0.1, linear=linear) for kind in KINDS})


def bert(next_sentence: bool = True) -> InitialWeights:
    """A plain encoder with BERT's pooler, and its next-sentence head."""
    _, initial = pretrained()
    state = {name: tensor for name, tensor in initial.state.items() if name.startswith("encoder.")}
    state |= {"pooler.dense.weight": torch.randn(16, 16), "pooler.dense.bias": torch.randn(16)}
    if next_sentence:
        state |= {"next_sentence.weight": torch.randn(2, 16), "next_sentence.bias": torch.randn(2)}
    return replace(initial, state=state)


def test_dense_maps_over_the_first_token_start_as_the_pooler() -> None:
    initial, model = bert(), with_heads(4)
    fresh = {name: tensor.clone() for name, tensor in model.state_dict().items() if name.startswith("heads.")}
    origin = initialise_from(model, initial)
    pooled = KINDS[:5]
    for name, tensor in model.state_dict().items():
        _, kind, rest = name.split(".", 2) if name.startswith("heads.") else ("", "", name)
        if kind in pooled and rest.startswith("dense."):
            assert torch.equal(tensor, initial.state[f"pooler.{rest}"])
        elif kind == "next_sentence":
            assert torch.equal(tensor, initial.state[rest.replace("out_proj", "next_sentence")])
        elif kind:
            assert torch.equal(tensor, fresh[name]), name
    assert origin.lines[-4:] == [
        "heads: heads.classification, heads.multilabel, heads.next_sentence, heads.ranking, heads.regression start "
        "with the pretrained pooler",
        "heads: heads.next_sentence start from the pretrained next-sentence head",
        "fresh: encoder.feed_forward.gates.nli, heads.classification.out_proj, heads.labelling, "
        "heads.multilabel.out_proj, heads.ranking.out_proj, heads.regression.out_proj, heads.word_in_context",
        "left in the file: nothing",
    ]
    heads = origin.groups["heads"]
    assert "heads.regression.dense" in heads["copied"] and "heads.regression.out_proj" in heads["fresh"]
    assert "heads.next_sentence" in heads["copied"]


def test_without_a_pooler_heads_are_fresh_and_it_is_said() -> None:
    initial, model = bert(), with_heads(4)
    state = {name: tensor for name, tensor in initial.state.items() if name.startswith("encoder.")}
    fresh = {name: tensor.clone() for name, tensor in model.state_dict().items() if name.startswith("heads.")}
    lines = initialise_from(model, replace(initial, state=state)).lines
    assert all(torch.equal(model.state_dict()[name], tensor) for name, tensor in fresh.items())
    assert (
        "heads: the file has no pooler, with which heads.classification, heads.multilabel, heads.next_sentence, "
        "heads.ranking, heads.regression could start"
    ) in lines


def test_linear_heads_leave_the_pooler() -> None:
    """What reads the pooler has no meaning without it."""
    origin = initialise_from(with_heads(4, linear=True), bert())
    assert origin.left == ["next_sentence", "pooler"]
    assert set(origin.groups["heads"]) == {"fresh"}


@pytest.mark.parametrize("linear", [False, True])
def test_a_head_of_other_maps_does_not_go_on(linear: bool) -> None:
    """The last map of one reads what the other's does not."""
    trained, model = with_heads(5, linear=not linear), with_heads(6, linear=linear)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    initialise_from(model, InitialWeights("trained.pt", SHAPE, None, trained.state_dict()))
    for name, tensor in model.state_dict().items():
        taken = not name.startswith("heads.") or "labelling" in name
        assert torch.equal(tensor, (trained.state_dict() if taken else before)[name]), name


def with_masked_lm(seed: int) -> MultitaskModel:
    model = build("skillnet", seed)
    heads = {name: MaskedLmHead(16, 30) for name in ("mlm-en", "mlm-zh")}
    return MultitaskModel(model.encoder, {**model.heads, **heads})


def test_masked_lm_heads_are_copies_of_the_pretrained_one() -> None:
    _, initial = pretrained()
    sizes = {name: tensor.shape for name, tensor in MaskedLmHead(16, 30).state_dict().items()}
    head = {f"masked_lm.{name}": torch.randn(size) for name, size in sizes.items()}
    model = with_masked_lm(4)
    lines = initialise_from(model, replace(initial, state={**initial.state, **head})).lines
    for name in ("mlm-en", "mlm-zh"):
        for part, tensor in model.heads[name].state_dict().items():
            assert torch.equal(tensor, head[f"masked_lm.{part}"])
    assert "heads: heads.mlm-en, heads.mlm-zh start from the pretrained masked-LM head" in lines
    assert lines[-2:] == ["fresh: heads.nli", "left in the file: nothing"]


def test_masked_lm_heads_without_a_pretrained_one_are_fresh() -> None:
    _, initial = pretrained()
    state = {name: tensor for name, tensor in initial.state.items() if name.startswith("encoder.")}
    model = with_masked_lm(5)
    lines = initialise_from(model, replace(initial, state=state)).lines
    assert lines[-2:] == ["fresh: heads.mlm-en, heads.mlm-zh, heads.nli", "left in the file: nothing"]


def test_a_trained_masked_lm_head_is_matched_by_name() -> None:
    trained, model = with_masked_lm(6), with_masked_lm(7)
    torch.nn.init.normal_(trained.heads["mlm-zh"].bias)
    lines = initialise_from(model, InitialWeights("trained.pt", SHAPE, None, trained.state_dict())).lines
    assert all(torch.equal(tensor, model.state_dict()[name]) for name, tensor in trained.state_dict().items())
    assert lines[1:] == ["fresh: nothing", "left in the file: nothing"]


def with_inventory(variant: str, seed: int, skills: tuple[str, ...], languages: tuple[str, ...]) -> MultitaskModel:
    torch.manual_seed(seed)
    encoder = build_encoder(variant, SHAPE, replace(INVENTORY, skills=skills, languages=languages))
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return MultitaskModel(encoder, {"nli": ClassificationHead(16, 3, 0.1)}).eval()


@pytest.mark.parametrize("variant", ["skillnet", "skillnet_x_ffn", "skillnet_x_ffn_mha"])
def test_a_skill_that_a_checkpoint_lacks_is_the_mean_of_its_skills_of_that_kind(variant: str) -> None:
    trained = with_inventory(variant, 8, ("generic", "token"), ("en", "zh", "es"))
    state = trained.state_dict()
    model = with_inventory(variant, 9, ("sentiment", "generic"), ("zh", "de"))
    origin = initialise_from(model, InitialWeights("trained.pt", SHAPE, None, state))
    for name, tensor in model.state_dict().items():
        of = {"sentiment": ("generic", "token"), "de": ("en", "zh", "es")}
        new = next((skill for skill in of if f".{skill}." in name), None)
        if new is None:
            assert torch.equal(tensor, state[name]), name
        else:
            expected = torch.stack([state[name.replace(f".{new}.", f".{other}.")] for other in of[new]]).mean(0)
            torch.testing.assert_close(tensor, expected, msg=name)
    place = "encoder.feed_forward.task_skills"
    assert f"{place}.sentiment starts from the mean of {place}.generic, {place}.token" in origin.lines
    assert origin.lines[-2] == "fresh: nothing"
    skills = origin.groups["skills"]
    assert f"{place}.sentiment" in skills["averaged"] and f"{place}.generic" in skills["taken"]
    assert "encoder.embeddings.tokens" in origin.groups["encoder"]["taken"]
    assert origin.left == []  # all that is not taken is part of a mean


def test_language_skills_in_feed_forward_start_from_task_skills_where_there_are_no_others() -> None:
    trained = with_inventory("skillnet", 10, ("generic",), ("en",))
    model = with_inventory("skillnet_x_ffn", 11, ("generic", "token"), ("en",))
    origin = initialise_from(model, InitialWeights("trained.pt", SHAPE, None, trained.state_dict()))
    place, generic = "encoder.feed_forward", "encoder.feed_forward.task_skills.generic"
    assert f"{place}.language_skills.en starts from {generic}" in origin.lines
    for part in ("language_skills.en", "task_skills.token"):
        found = model.get_parameter(f"encoder.layers.0.feed_forward.{part}.fc1.weight")
        assert torch.equal(found, trained.get_parameter("encoder.layers.0.feed_forward.task_skills.generic.fc1.weight"))


def test_experts_start_from_skills_and_a_dense_model_does_not() -> None:
    state = with_inventory("skillnet", 12, ("generic", "token"), ("en",)).state_dict()
    model = with_inventory("mt_tag", 13, (), ())
    origin = initialise_from(model, InitialWeights("trained.pt", SHAPE, None, state))
    place = "encoder.layers.1.feed_forward"
    mean = sum(state[f"{place}.task_skills.{skill}.fc1.weight"] for skill in ("generic", "token")) / 2
    for expert in range(4):
        torch.testing.assert_close(model.state_dict()[f"{place}.experts.{expert}.fc1.weight"], mean)
    assert origin.groups["experts"] == {"averaged": ["encoder.feed_forward.experts"]}
    with pytest.raises(InputError, match=r"fc1\.weight' is not in the file"):
        initialise_from(with_inventory("dense", 14, (), ()), InitialWeights("trained.pt", SHAPE, None, state))


def test_what_is_remembered_of_the_origin() -> None:
    model, (_, initial) = build("skillnet", 15), pretrained()
    origin = initialise_from(model, initial)
    assert origin.file == "pretrained.pt" and origin.left == ["masked_lm"]
    assert origin.groups["heads"] == {"fresh": ["heads.nli"]}
    assert set(origin.groups["skills"]) == {"copied"} and set(origin.groups["encoder"]) == {"taken"}
    later = replace(origin, file="trained.pt", before=origin)
    assert Origin.from_state(later.to_state()) == later
    assert Origin.from_state(None) is None
    assert [one["file"] for one in later.to_json()] == ["trained.pt", "pretrained.pt"]
