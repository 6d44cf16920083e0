"""A whole model with random weights, and batches of made sentences as the task would give them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from fairseq.utils import move_to_cuda

import skill_plugin.register  # noqa: F401
from measures.asked import Asked
from measures.glue import GLUE, draw_lengths
from measures.timing import clock_of
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.criterions.multitask_r3f import MultitaskR3F, MultitaskR3FConfig
from skill_plugin.data.collate import collate
from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.models.skill_encoder import SkillEncoderModel
from skill_plugin.nn.packed_batch import EncodedSequence
from skill_plugin.optim.skill_adam import SkillAdam, SkillAdamConfig
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape

LABELS = ("a", "b", "c")


class WholeModel:
    """A model of GLUE's corpora, in float32; on a GPU under autocast, as ``--autocast bf16`` trains.

    Args:
        asked: on which device, and how small.
        variant: of the published ones.
        skills: how many there are at least; corpora activate 5 of them.
        skill_layers: layers from the top that have them, or None for all.
    """

    def __init__(self, asked: Asked, variant: str, skills: int = 0, skill_layers: int | None = None) -> None:
        torch.manual_seed(0)
        self.gpu = asked.device == "cuda"
        self.device = torch.device(asked.device)
        self.clock = clock_of(asked.device)
        size = SIZES[asked.model_size]
        self.vocabulary = 500 if asked.tiny else 30_000
        shape = EncoderShape(size.layers, size.width, size.heads, size.inner, self.vocabulary)
        text = make_corpora_text(skills)
        labels, facts = dict.fromkeys(GLUE, LABELS), {name: {} for name in GLUE}
        self.bundle = Bundle(variant, shape, text, "corpora.yaml", labels, facts, 128, {}, skill_layers=skill_layers)
        self.model = SkillEncoderModel(build_model(self.bundle), shape.positions).to(self.device).train()
        options = SkillAdamConfig(lr=[1e-6])  # type: ignore[call-arg]
        self.optimizer = SkillAdam(options, [p for p in self.model.parameters() if p.requires_grad])
        self._task: Any = SimpleNamespace(
            bundle=self.bundle, names=list(GLUE), label_weights={}.get, cfg=SimpleNamespace(seed=1)
        )
        self.criterion = MultitaskCrossEntropy(MultitaskCrossEntropyConfig(), self._task)
        self._lengths, self._random = draw_lengths(), np.random.default_rng(1)

    def r3f(self) -> MultitaskR3F:
        """The criterion with noise."""
        return MultitaskR3F(MultitaskR3FConfig(), self._task)

    def segment(self, corpus: str, sentences: int) -> SegmentExamples:
        """Random sentences with the lengths of a corpus of GLUE."""
        examples = []
        for length in self._random.choice(self._lengths[corpus], sentences).tolist():
            tokens = self._random.integers(5, self.vocabulary, length)
            target = {"classes": self._random.integers(0, len(LABELS), 1)}
            sequences = [EncodedSequence(tokens, np.zeros_like(tokens))]
            examples.append(CorpusExample(sequences, target, 0, asked=sequences))
        active, number = self.bundle.active_set(corpus), list(GLUE).index(corpus)
        return SegmentExamples(number, active, corpus, np.arange(sentences), examples)

    def sample(self, segments: Sequence[SegmentExamples]) -> dict[str, Any]:
        """A pack of segments on the device, as fairseq hands it on."""
        return self.to_device(collate(segments, False))

    def to_device(self, sample: dict[str, Any]) -> dict[str, Any]:
        return move_to_cuda(sample) if self.gpu else sample  # type: ignore[no-any-return]

    def autocast(self) -> Any:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.gpu)

    def backward(self, sample: dict[str, Any], criterion: Any = None) -> None:
        """Forward and backward; gradients are added up."""
        with self.autocast():
            loss, _, _ = (criterion or self.criterion)(self.model, dict(sample))
        loss.backward()

    def update(self, sample: dict[str, Any]) -> None:
        """A training step without what fairseq does around it."""
        self.optimizer.zero_grad()
        self.backward(sample)
        self.optimizer.clip_grad_norm(1.0)
        self.optimizer.step()


def make_corpora_text(skills: int = 0) -> str:
    """A corpora file of GLUE's corpora, with at least so many skills."""
    named = list(dict.fromkeys(skill for one in GLUE.values() for skill in one.skills))
    named += [f"idle{number}" for number in range(skills - len(named))]
    lines = [
        f"  {name}: {{kind: classification, language: en, skills: [{', '.join(corpus.skills)}], labels: [a, b, c], "
        "format: tsv, columns: {text_a: a, label: l}, train: none}"
        for name, corpus in GLUE.items()
    ]
    return "\n".join(["languages: [en]", "skills:", *(f"  {name}: made" for name in named), "corpora:", *lines, ""])
