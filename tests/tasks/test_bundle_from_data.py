"""What a new run takes from its corpora file, its data folder and what it starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.models.skill_encoder_config import SkillEncoderConfig
from skill_plugin.tasks.bundle_from_data import bundle_from_data
from skill_plugin.tasks.multilingual_multitask import MultilingualMultitaskConfig
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import World, examples, make_world


@pytest.fixture(scope="module")
def world(encoders: dict[str, TextEncoder], tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two tasks, and the first in a second language."""
    folder = tmp_path_factory.mktemp("data") / "bin"
    rows = {name: {"train": examples(name, 4), "valid": examples(name, 4)} for name in ("one", "pair")}
    made = make_world(folder, encoders["sentencepiece"], rows)
    text = made.bundle.corpora_text + "  other: {as: one, language: de, valid: one.valid}\n"
    (folder / "corpora.yaml").write_text(text)
    (folder / "other").symlink_to(folder / "one")
    return made


def bundle_of(world: World, names: Sequence[str], initial: Bundle | None = None, arch: str = "mt5_tiny") -> Bundle:
    path = str(Path(world.folder) / "corpora.yaml")
    task = MultilingualMultitaskConfig(
        data=str(world.folder), corpora=path, only_corpora=",".join(names), no_verify=True
    )
    weights = None if initial is None else InitialWeights("x.pt", initial.shape, initial.text_encoder, {}, initial)
    model = SkillEncoderConfig()
    found, _ = bundle_from_data(task, SimpleNamespace(**{**vars(model), "_name": arch}), weights)
    return found


def test_several_tasks_have_prefixes_and_languages_of_one_have_none(world: World) -> None:
    assert bundle_of(world, ["one", "pair", "other"]).prefixed
    assert not bundle_of(world, ["one", "other"]).prefixed
    assert not bundle_of(world, ["pair"]).prefixed


def test_what_starts_from_a_checkpoint_with_prefixes_has_them_too(world: World) -> None:
    several = bundle_of(world, ["one", "pair"])
    assert bundle_of(world, ["one"], several).prefixed
    assert not bundle_of(world, ["one"], replace(several, prefixed=False)).prefixed


def test_a_data_folder_is_read_as_models_of_the_sort_read(
    world: World, encoders: dict[str, TextEncoder], tmp_path: Path
) -> None:
    text = encoders["sentencepiece"]
    made = make_world(tmp_path / "bin", text.read_by(text_to_text=True), {"one": {"train": examples("one", 4)}})
    (tmp_path / "bin" / "corpora.yaml").write_text(made.bundle.corpora_text)
    for folder in (world, made):
        for arch, template in (("mt5_tiny", Template.of_text_to_text()), ("dense_tiny", text.template)):
            assert bundle_of(folder, ["one"], arch=arch).text_encoder.template == template
