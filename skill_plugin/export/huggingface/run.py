"""Runs an exported folder as its user would: through transformers, from raw texts.

Axes: U units of an example, C outputs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.errors import InputError
from skill_plugin.export.exported import Exported, texts_of
from skill_plugin.export.huggingface.classes import CLASSES, SCRIPTED
from skill_plugin.export.load_script import load_script
from skill_plugin.kinds.export_task import ExportHead, ExportTask
from skill_plugin.readers.example import Example
from skill_plugin.text.vocabulary import MASK


class HubFolder(Exported):
    """An exported folder.

    Args:
        folder: the folder.
        task: what its head is.
        vocabulary: V of the slice; masks are scored over these.
        joined: whether the texts of a query are one, with a space between.

    Attributes:
        truncation: how the tokenizer is to cut texts that are too long together.
    """

    def __init__(self, folder: Path, task: ExportTask, vocabulary: int, joined: bool) -> None:
        transformers = load_transformers()
        self.truncation: str = json.loads((folder / "config.json").read_text(encoding="utf-8"))["truncation"]
        self._task, self._vocabulary, self._joined = task, vocabulary, joined
        self._script = load_script(folder) if task.head in SCRIPTED else None
        if self._script is None:
            self._model = getattr(transformers, f"AutoModel{CLASSES[task.head]}").from_pretrained(folder).eval()
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)

    def reads(self, example: Example) -> bool:
        if self._script is not None:
            return True
        texts = self._texts(example)
        alone = all(len(one) == 1 for one in texts) and self._task.head is not ExportHead.MASKED  # which has windows
        if alone or (self.truncation == "longest_first" and len(example.texts) + bool(example.candidates) < 3):
            return True
        room = self._tokenizer.model_max_length
        return all(self._encode(*one, truncation="do_not_truncate")["input_ids"].numel() <= room for one in texts)

    def logits(self, example: Example) -> Tensor:
        with torch.no_grad():
            return self._task.as_trained(self._logits(example))

    def cut_out(self, example: Example) -> tuple[int, int] | None:
        if self._task.head is not ExportHead.SPAN or self._script is None:
            return None
        start, end, _ = self._script.answer(*example.texts)[0][0]
        return start, end

    def _logits(self, example: Example) -> Tensor:
        if self._script is not None and self._task.head is ExportHead.TOKENS:
            words = [example.texts[0][start:end] for start, end in example.words]
            return torch.tensor(self._script.tag(words)[1])
        if self._script is not None:
            return torch.tensor(self._script.answer(*example.texts)[1])
        encoded = [self._encode(*texts, truncation=self.truncation) for texts in self._texts(example)]
        if self._task.head is ExportHead.MASKED:
            places = encoded[0]["input_ids"][0] == self._tokenizer.mask_token_id
            return self._run(encoded[0])[0][places, : self._vocabulary]
        if self._task.head is ExportHead.CHOICE:  # a choice of one each, so that nothing is padded
            encoded = [{name: part[None] for name, part in one.items()} for one in encoded]
        return torch.cat([self._run(one) for one in encoded])

    def _texts(self, example: Example) -> list[tuple[str, ...]]:
        """The texts of each sequence."""
        if self._task.head is ExportHead.MASKED:
            return [(example.texts[0].replace(MASK, self._tokenizer.mask_token),)]
        return texts_of(example, self._joined)

    def _encode(self, first: str, *second: str, truncation: str) -> dict[str, Tensor]:
        pair = [text or " " for text in second]  # transformers takes an empty second text for none
        return dict(self._tokenizer(first, *pair, truncation=truncation, return_tensors="pt"))

    def _run(self, encoded: dict[str, Tensor]) -> Tensor:
        found: Tensor = self._model(**encoded).logits
        return found


def load_transformers() -> Any:
    """transformers, which tells of nothing but errors.

    Raises:
        InputError: it is not installed.
    """
    try:
        import transformers
    except ImportError:
        raise InputError("needs transformers: pip install 'skill_plugin[export]'") from None
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers
