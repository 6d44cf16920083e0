"""From what a corpus asks for to the head that answers it."""

from __future__ import annotations

from torch import nn

from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.labelling import LabellingHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.span import SpanHead


def make_head(
    kind: str, width: int, classes: int, dropout: float, loss: str = "pointwise", layer_norm_eps: float = 1e-5
) -> nn.Module:
    """A head with fresh weights.

    Args:
        kind: what the corpus asks for.
        width: D.
        classes: labels or tags of the corpus, pieces of the vocabulary for ``masked_lm``; not looked at otherwise.
        dropout: inside the head, while training.
        loss: of ``ranking``: a candidate has two classes if ``pointwise``, one score if ``listwise``.
        layer_norm_eps: of ``masked_lm``, as the pretrained encoder has it.

    Raises:
        ValueError: an unknown kind, or an unknown loss of ``ranking``.
    """
    match kind, loss:
        case (("classification" | "multilabel"), _):
            return ClassificationHead(width, classes, dropout)
        case "next_sentence", _:
            return ClassificationHead(width, 2, dropout)
        case "regression", _:
            return ClassificationHead(width, 1, dropout)
        case "ranking", "pointwise":
            return ClassificationHead(width, 2, dropout)
        case "ranking", "listwise":
            return ClassificationHead(width, 1, dropout)
        case "labelling", _:
            return LabellingHead(width, classes, dropout)
        case "span", _:
            return SpanHead(width, dropout)
        case "word_in_context", _:
            return ClassificationHead(width, classes, dropout, tokens=3)
        case "masked_lm", _:
            return MaskedLmHead(width, classes, layer_norm_eps)
    raise ValueError(f"unknown kind {kind!r}, or unknown loss {loss!r} for it")
