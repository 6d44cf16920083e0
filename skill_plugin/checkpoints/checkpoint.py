"""Checkpoints that a training run wrote, read without fairseq's task machinery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.run_state import TASK, check_run_state
from skill_plugin.errors import InputError
from skill_plugin.nn.adapters.adapt import merge
from skill_plugin.nn.heads.spectral_linear import limit_spectral_norm
from skill_plugin.nn.initialise import NoFreshWeights
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.variants.lora_options import LoraOptions
from skill_plugin.variants.parameter_names import is_last_map
from skill_plugin.weights.torch_file import load_torch_file, write_torch_file
from skill_plugin.weights.undamaged import checked_weights, damage_named

ADAPTER_FORMAT = "skill_plugin.adapter"
_PREFIX = "model."  # of the weights inside the fairseq model


@dataclass(frozen=True)
class Checkpoint:
    """A trained checkpoint.

    Attributes:
        bundle: the model's structure, corpora, labels and tokenizer.
        state: weights by the names of ``MultitaskModel.state_dict``.
        shares: what the run had trained on when it was saved; None in a checkpoint that does not say.
    """

    bundle: Bundle
    state: Mapping[str, Tensor]
    shares: TrainingShares | None = None

    @property
    def parameters(self) -> int:
        """How many numbers its weights are."""
        return sum(tensor.numel() for tensor in self.state.values())

    def model(self) -> MultitaskModel:
        """The model in evaluation mode, float32.

        Raises:
            InputError: the weights are not those of such a model.
        """
        with damage_named(self.bundle.file):
            with NoFreshWeights():
                model = build_model(self.bundle)
            model.load_state_dict({name: tensor.float() for name, tensor in self.state.items()})
        return model.eval()

    def plain_state(self) -> dict[str, Tensor]:
        """Weights with which a model without constraints (R4F) gives the same answers."""
        if not self.bundle.r4f:
            return dict(self.state)
        maps = {name for name in self.state if is_last_map(name) and name.endswith(".weight")}
        return {name: limit_spectral_norm(tensor) if name in maps else tensor for name, tensor in self.state.items()}

    def plain(self) -> Checkpoint:
        """The same model without adapters and constraints."""
        merged = self.merged()
        return replace(merged, bundle=replace(merged.bundle, r4f=False), state=merged.plain_state())

    def merged(self) -> Checkpoint:
        """The same model without adapters: they are added to the maps that they adapt, float32."""
        if not self.bundle.lora.rank:
            return self
        model = self.model()
        merge(model)
        origin = self.bundle.origin
        if origin is not None:
            origin = replace(origin, lines=[*origin.lines, "adapters: merged into what they adapted since"])
        bundle = replace(self.bundle, lora=LoraOptions(), base="", origin=origin)
        return replace(self, bundle=bundle, state=model.state_dict())


def is_checkpoint(content: Any) -> bool:
    """Whether what a file holds is a checkpoint of this plugin."""
    task_state = content.get("task_state") if isinstance(content, dict) else None
    return isinstance(task_state, Mapping) and "bundle" in task_state


def read_checkpoint(file: str | Path) -> Checkpoint:
    """The bundle and weights of a checkpoint.

    Raises:
        InputError: no such file, or not a checkpoint of this plugin.
    """
    return parse_checkpoint(load_torch_file(Path(file)), file)


def parse_checkpoint(content: Any, file: str | Path) -> Checkpoint:
    """``read_checkpoint`` of what a file holds.

    Raises:
        InputError: not a checkpoint of this plugin.
    """
    if isinstance(content, dict) and content.get("format") == ADAPTER_FORMAT:
        raise InputError("an adapter: name its base, and this file with --adapter", file)
    if not is_checkpoint(content):
        raise InputError("not a checkpoint of skill_plugin: it carries no corpora and labels", file)
    check_run_state(content, file)
    with damage_named(file):
        weights = checked_weights(content["model"], file)
        state = {name.removeprefix(_PREFIX): tensor for name, tensor in weights.items()}
        trained = (content.get("extra_state") or {}).get(TASK) or {}
        shares = TrainingShares.from_state(trained["shares"]) if "shares" in trained else None
        if shares is not None and "data-used" in trained:
            shares.chosen = int(np.unpackbits(trained["data-used"].numpy()).sum())  # a bit an example
        if shares is not None and "train-rows" in trained:
            shares.parts = dict(part.split("=", 1) for part in trained["train-rows"])
        return Checkpoint(Bundle.from_state(content["task_state"]["bundle"], str(file)), state, shares)


def save_checkpoint(trained: Checkpoint, path: str | PathLike[str]) -> None:
    """Writes what ``read_checkpoint`` reads; the file is whole or absent.

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    weights = {f"{_PREFIX}{name}": tensor for name, tensor in trained.state.items()}
    content: dict[str, Any] = {"task_state": {"bundle": trained.bundle.to_state()}, "model": weights}
    if trained.shares is not None:
        content["extra_state"] = {TASK: {"shares": trained.shares.to_state()}}
    write_torch_file(content, Path(path))
