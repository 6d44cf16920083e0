"""Outputs of a segment to what its corpus's metric counts: the one way in which training and `evaluate` score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from skill_plugin.data.corpus_examples import CorpusExample
from skill_plugin.kinds.items import Items


def score_examples(
    items: Items, outputs: Tensor, examples: Sequence[CorpusExample]
) -> tuple[list[Any], list[Any], list[int]]:
    """Answers, right answers and numbers of some examples of a corpus.

    Args:
        items: how rows of the corpus are read and answered.
        outputs: outputs of the head, reduced by ``items.reduce``, of all the units of the examples, float32 on the CPU.
        examples: in the order of the outputs, each with all its sequences.
    """
    counts = [sum(len(sequence.units) for sequence in example.sequences) for example in examples]
    answers, references = [], []
    for example, part in zip(examples, outputs.split(counts), strict=True):
        assert example.encoded is not None
        answer, reference = items.score(part, example.encoded, example.sequences, example.text)
        answers.append(answer)
        references.append(reference)
    return answers, references, [example.row for example in examples]
