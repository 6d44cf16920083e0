"""Runs an exported folder as its user would: through ONNX Runtime, from raw texts, by the scripts that lie in it.

Axes: U units of an example, C outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from skill_plugin.export.exported import Exported
from skill_plugin.export.load_script import load_script
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.readers.example import Example
from skill_plugin.text.tokenizer import replace_surrogates


class OnnxFolder(Exported):
    """An exported folder. It reads all that the trained model does: the scripts cut texts as that does.

    Args:
        folder: the folder.
        task: what its head is.
    """

    def __init__(self, folder: Path, task: ExportTask) -> None:
        self._task, self._script = task, load_script(folder)

    def cut_out(self, example: Example) -> tuple[int, int] | None:
        if self._task.head is not ExportHead.SPAN:
            return None
        start, end, _ = self._script.answer(*example.texts)[0][0]
        return start, end

    def logits(self, example: Example) -> Tensor:
        return self._task.as_trained(torch.from_numpy(self._logits(example)))

    def outputs(self, sequences: Sequence[EncodedSequence]) -> Tensor:
        """What the head gives for all units of some sequences [U, C], float32, which are one batch; not for masks."""
        given = [(sequence.tokens.tolist(), sequence.token_types.tolist()) for sequence in sequences]
        units = [sequence.units for sequence in sequences]
        if self._task.head is ExportHead.WORDS:
            found = self._script.run(given, words=np.concatenate(units)[:, 1:])
        else:
            found = self._script.run(given)
            if found.ndim == 3:
                found = np.concatenate([rows[own] for rows, own in zip(found, units, strict=True)])
        return self._task.as_trained(torch.from_numpy(found))

    def _logits(self, example: Example) -> Any:
        texts = [replace_surrogates(text) for text in example.texts]
        match self._task.head:
            case ExportHead.TOKENS:
                return self._script.tag([texts[0][start:end] for start, end in example.words])[1]
            case ExportHead.SPAN:
                return self._script.answer(*texts)[1]
            case ExportHead.MASKED:
                return self._script.fill(texts[0])[1]
            case ExportHead.WORDS:
                return self._script.answer(texts, [place for _, *place in example.spans])[1]
        if example.candidates:
            return self._script.rank(texts, [replace_surrogates(one) for one in example.candidates])[1]
        return self._script.answer(*texts)[1]
