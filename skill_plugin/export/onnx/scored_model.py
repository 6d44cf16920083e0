"""A trained model whose outputs are those of its exported graph, so that it is scored as any model is."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from skill_plugin.api import Model
from skill_plugin.data.request import RequestPart
from skill_plugin.export.onnx.run import OnnxFolder
from skill_plugin.nn.multitask_model import MultitaskModel


class ScoredModel(Model):
    """The model.

    Args:
        trained: the trained model.
        folder: what was exported of it, for one corpus.
    """

    def __init__(self, trained: Model, folder: OnnxFolder) -> None:
        super().__init__(trained.bundle, trained.model, torch.device("cpu"), trained.shares)
        self._folder = folder

    def answer_part(self, model: MultitaskModel, corpus: str, part: RequestPart) -> Tensor:
        target: Any = part.target
        return self.items(corpus).reduce(self._folder.outputs(part.sequences), target).float()
