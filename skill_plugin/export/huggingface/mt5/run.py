"""Runs an exported mT5 as its user would: through transformers, from raw texts.

Axes: S sequences of an example, C answers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from skill_plugin.export.exported import Exported, texts_of
from skill_plugin.export.huggingface.run import load_transformers
from skill_plugin.readers.example import Example

SETTINGS = "text_to_text"  # of config.json: what stands before each text, and the text of each answer


class Mt5Folder(Exported):
    """An exported folder.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        transformers = load_transformers()
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))[SETTINGS]
        self.before, self.answers = tuple(settings["before"]), tuple(settings["answers"])
        self._largest = 0.0
        self._model = transformers.MT5ForConditionalGeneration.from_pretrained(folder).eval()
        self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)

    def sources(self, example: Example) -> list[str]:
        """What is read for an example, names and texts by turns: one, or one for each candidate."""
        return [
            " ".join(part for pair in zip(self.before, texts, strict=True) for part in pair if part)
            for texts in texts_of(example, joined=False)
        ]

    def write(self, source: str, most: int) -> list[int]:
        """The ids that the model writes, without ``</s>``; no more than ``most``."""
        options = {"max_new_tokens": most, "do_sample": False, "num_beams": 1}
        ids: list[int] = self._model.generate(**self._tokenizer(source, return_tensors="pt"), **options)[0].tolist()
        end = self._tokenizer.eos_token_id
        return ids[1 : ids.index(end)] if end in ids else ids[1:]

    def reads(self, example: Example) -> bool:
        """Whether no text is cut: transformers would cut the last one, and not name by name."""
        longest = self._tokenizer.model_max_length
        return all(len(self._tokenizer(source)["input_ids"]) <= longest for source in self.sources(example))

    def logits(self, example: Example) -> Tensor:
        """The log-likelihood of each answer [S, C], float32."""
        self._largest = 0.0
        with torch.no_grad():
            return torch.stack([self._likelihoods(source) for source in self.sources(example)])

    def rounded_by(self) -> float:
        """The largest score of a piece, many times a log-likelihood."""
        return self._largest

    def _likelihoods(self, source: str) -> Tensor:
        read = self._tokenizer(source, return_tensors="pt")
        found = []
        for answer in self.answers:
            labels = self._tokenizer(answer, return_tensors="pt")["input_ids"]
            scores = self._model(**read, labels=labels).logits[0].float()
            self._largest = max(self._largest, float(scores.abs().max()))
            found.append(scores.log_softmax(1).gather(1, labels[0, :, None]).sum())
        return torch.stack(found)
