"""The task over a corpus of every kind, in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import skill_plugin.register  # noqa: F401
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.models.skill_encoder import SkillEncoderModel
from skill_plugin.tasks.multilingual_multitask import MultilingualMultitaskConfig, MultilingualMultitaskTask
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, World, examples, make_world


@pytest.fixture(scope="session")
def make_run(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """make_run(corpus_sampling=…, names=[…], variant=…): options of the task, corpora, fields of the bundle."""
    encoder = open_tokenizer(sentencepiece_model)
    worlds: dict[tuple[str, tuple[str, ...]], World] = {}

    def make(names: Sequence[str] = tuple(CORPORA), variant: str = "skillnet_x_ffn_mha", **options: Any) -> Run:
        key = variant, tuple(names)
        if key not in worlds:
            worlds[key] = _world(tmp_path_factory.mktemp("task") / "bin", encoder, *key)
        return Run(worlds[key], options)

    return make


def _world(folder: Path, encoder: TextEncoder, variant: str, names: tuple[str, ...]) -> World:
    rows = {name: {"train": examples(name, 14 + 5 * i, words=16)} for i, name in enumerate(names)}
    return make_world(folder, encoder, rows, variant=variant)


class Run:
    """A task with its training data, a model with random weights and a criterion, as fairseq's trainer has them."""

    def __init__(self, world: World, options: dict[str, Any]) -> None:
        settings = {"update_freq": [1], "seed": 1, "batch_size": None, "max_tokens": None, **options}
        self.scaling = settings.pop("loss_scaling", "log-classes")
        self.average = settings.pop("loss_average", "corpus")
        self.world = world
        self.task = MultilingualMultitaskTask(MultilingualMultitaskConfig(data=str(world.folder), **settings))
        self.task.bundle = world.bundle
        self.task.load_dataset("train", data_selector=None)
        self.data = self.task.datasets["train"]
        self.families = [world.bundle.family(name) for name in self.task.names]

    def batches(self, batch_size: int | None = 4, max_tokens: int | None = None, **more: Any) -> Any:
        """The iterator of an epoch, by default the first on one rank."""
        return self.task.get_batch_iterator(self.data, max_tokens, batch_size, **{"num_shards": 1, **more})

    def model(self, seed: int = 0) -> SkillEncoderModel:
        """Without dropout; answers differ from input to input."""
        torch.manual_seed(seed)
        model = build_model(self.world.bundle, 0.0)
        for module in model.modules():
            for name in ("probability", "dropout"):
                if isinstance(getattr(module, name, None), float):
                    setattr(module, name, 0.0)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=1.5 / parameter.shape[1] ** 0.5)
        return SkillEncoderModel(model, 600)

    def criterion(self) -> MultitaskCrossEntropy:
        cfg = MultitaskCrossEntropyConfig(loss_scaling=self.scaling, loss_average=self.average)
        return MultitaskCrossEntropy(cfg, self.task)

    def step(self, model: SkillEncoderModel, sample: dict[str, Any]) -> tuple[Tensor, int, dict[str, Any]]:
        """The task's step, which adds to the gradients."""
        loss: tuple[Tensor, int, dict[str, Any]] = self.task.train_step(sample, model, self.criterion(), Backward(), 0)
        return loss


class Backward:
    """What the step asks of the optimizer."""

    def backward(self, loss: Tensor) -> None:
        loss.backward()


def gradients(model: torch.nn.Module) -> dict[str, Tensor | None]:
    return {name: None if p.grad is None else p.grad.clone() for name, p in model.named_parameters()}
