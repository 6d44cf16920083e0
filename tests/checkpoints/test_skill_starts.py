"""New skills and languages start from what the corpora file says: others, their mean, an encoder, or random numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.checkpoints.reuse import find_reuse
from skill_plugin.errors import InputError
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig, expected_sizes, save_encoder_file
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.variants.expert_options import ExpertOptions
from tests.checkpoints.test_reuse import TRAINED, section

SKILLS = "skills: {generic: on, token: words}\n"
GROWN = "skills: {generic: on, token: words, medical: texts of physicians}\n"


def bundle(head: str, variant: str = "skillnet_x_ffn_mha") -> Bundle:
    text = head + "corpora:\n" + section("a", ("yes", "no"), "skills: [generic]")
    parse_corpora_file(text, Path("corpora.yaml"))
    return replace(
        TRAINED,
        variant=variant,
        corpora_text=text,
        labels={"a": ("yes", "no")},
        facts={"a": {}},
        experts=ExpertOptions(),
    )


def start(
    new: str, variant: str = "skillnet_x_ffn_mha"
) -> tuple[MultitaskModel, dict[str, torch.Tensor], dict[str, torch.Tensor], list[str]]:
    """A new model, as it was drawn, the checkpoint's weights, and the report."""
    old = bundle("languages: [en, es]\n" + SKILLS, variant)
    torch.manual_seed(0)
    state = build_model(old).state_dict()
    now = bundle(new, variant)
    model = build_model(now)
    drawn = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    initial = InitialWeights("trained.pt", old.shape, None, state, old)
    return model, drawn, state, initialise_from(model, initial, find_reuse(now, old, "trained.pt")).lines


@pytest.mark.parametrize("variant", ["skillnet", "skillnet_x_ffn", "skillnet_x_ffn_mha"])
@pytest.mark.parametrize(("says", "of"), [("token", ["token"]), ("[generic, token]", ["generic", "token"])])
def test_a_skill_starts_from_named_ones(variant: str, says: str, of: list[str]) -> None:
    model, _, state, lines = start(f"languages: [en, es]\n{GROWN}skills_from: {{medical: {says}}}\n", variant)
    new = {name: tensor for name, tensor in model.state_dict().items() if ".medical." in name}
    assert len(new) == 2 * 4  # two layers, two maps with biases
    for name, tensor in new.items():
        mean = torch.stack([state[name.replace(".medical.", f".{other}.")] for other in of]).mean(0)
        assert torch.equal(tensor, mean)
    shown = "token" if len(of) == 1 else "the mean of generic, token"
    assert f"skills: medical starts from {shown}" in lines and "fresh: nothing" in lines


def test_a_language_starts_with_query_key_and_value() -> None:
    model, _, state, lines = start(f"languages: [en, es, fr]\n{SKILLS}languages_from: {{fr: es}}\n")
    new = {name: tensor for name, tensor in model.state_dict().items() if ".languages.fr." in name}
    assert any("qkv" in name for name in new)
    assert all(torch.equal(tensor, state[name.replace(".fr.", ".es.")]) for name, tensor in new.items())
    assert "languages: fr starts from es" in lines


def test_a_skill_starts_from_random_numbers() -> None:
    model, drawn, _, lines = start(f"languages: [en, es]\n{GROWN}skills_from: {{medical: random}}\n")
    for name, tensor in model.state_dict().items():
        assert ".medical." not in name or torch.equal(tensor, drawn[name])
    assert "skills: medical starts from random numbers" in lines


def test_a_skill_starts_from_an_encoder(tmp_path: Path) -> None:
    file = tmp_path / "encoder.pt"
    config = EncoderFileConfig(2, 16, 2, 32, len(TRAINED.text_encoder.vocabulary), 40, 0, 1e-5, "roberta")
    torch.manual_seed(1)
    weights = {name: torch.randn(size) for name, size in expected_sizes(config).items()}
    save_encoder_file(EncoderFile(config, TRAINED.text_encoder, weights), file)
    model, _, _, lines = start(f"languages: [en, es]\n{GROWN}skills_from: {{medical: {{encoder: {file}}}}}\n")
    for name, tensor in model.state_dict().items():
        if ".medical." in name:
            assert torch.equal(tensor, weights[name.removeprefix("encoder.").replace("task_skills.medical.", "")])
    assert f"skills: medical starts from {file}" in lines


@pytest.mark.parametrize(
    ("says", "line", "message"),
    [
        ("skills_from: {medicl: token}", 3, "skills_from: unknown skill 'medicl'; did you mean 'medical'?"),
        ("skills_from: {medical: tokn}", 3, "trained.pt has no skill 'tokn'; did you mean 'token'?"),
        ("languages_from: {fr: es}", 3, "languages_from: unknown language 'fr'"),
        ("skills_from: [medical]", 3, "skills_from: expected a mapping, as {new: [one, other]}"),
        ("skills_from: {medical: {file: x}}", 3, "expected {encoder: FILE}, a skill, a list or random"),
        ("skills_from: {medical: {encoder: nowhere.pt}}", 3, "skills_from: medical: encoder: no such file: "),
    ],
)
def test_faults_are_named_with_their_line(says: str, line: int | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        start(f"languages: [en, es]\n{GROWN}{says}\n")
    assert message in str(caught.value)
    assert line is None or str(caught.value).startswith(f"corpora.yaml:{line}: ")


def test_a_skill_that_is_there_goes_on_with_its_own() -> None:
    model, _, state, lines = start(f"languages: [en, es]\n{SKILLS}skills_from: {{token: generic}}\n")
    assert all(torch.equal(tensor, state[name]) for name, tensor in model.state_dict().items())
    assert not any("starts from" in line for line in lines)
