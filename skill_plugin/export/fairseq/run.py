"""Runs an exported folder as its user would: through fairseq's hub interface, from raw texts.

Axes: U units of an example, C outputs.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.export.exported import Exported, texts_of
from skill_plugin.kinds.export_task import ExportTask
from skill_plugin.readers.example import Example

MODEL = "model.pt"


class FairseqFolder(Exported):
    """An exported folder.

    Args:
        folder: the folder.
        head: name of its head.
        options: what the interface must be told of the tokenizer.
        task: what the head is.
        longest: tokens of the longest sequence.
        joined: whether the texts of a query are one, with a space between.

    Raises:
        InputError: fairseq is not installed.
    """

    def __init__(
        self, folder: Path, head: str, options: dict[str, str], task: ExportTask, longest: int, joined: bool
    ) -> None:
        paths = {name: str(folder / file) for name, file in options.items() if name != "bpe"}
        with _without_its_log():
            try:
                # by its name: nothing of this side of the package needs fairseq, but to see that it reads what was
                # written
                roberta = importlib.import_module("fairseq.models.roberta")
            except ImportError:
                raise InputError(
                    "the check that fairseq reads what is written needs it: pip install 'skill_plugin[train]'"
                ) from None
            found = roberta.RobertaModel.from_pretrained(str(folder), MODEL, bpe=options["bpe"], **paths)
        self._model: Any = found.eval()
        self._head, self._task, self._longest, self._joined = head, task, longest, joined

    def reads(self, example: Example) -> bool:
        return all(len(tokens) <= self._longest for tokens in self._encoded(example))

    def logits(self, example: Example) -> Tensor:
        with torch.no_grad():
            rows = [self._model.predict(self._head, one, return_logits=True) for one in self._encoded(example)]
        return self._task.as_trained(torch.cat(rows))

    def _encoded(self, example: Example) -> list[Tensor]:
        return [self._model.encode(*texts) for texts in texts_of(example, self._joined)]


@contextmanager
def _without_its_log() -> Iterator[None]:
    """fairseq tells of each file that it loads, with the whole configuration."""
    logger = logging.getLogger("fairseq")
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)
