"""From what a corpus asks for to the head that answers it."""

from __future__ import annotations

from torch import nn

from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.linear import LinearHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.next_sentence import NEXT_OR_OTHER, NextSentenceHead
from skill_plugin.nn.heads.spectral_linear import SpectralLinear

#: kinds whose head is the same with ``linear`` and without
ALWAYS_ALIKE = frozenset({"labelling", "span", "masked_lm"})
#: kinds whose head ends in the encoder's embedding table
TIED = frozenset({"masked_lm"})


def make_head(
    kind: str,
    width: int,
    classes: int,
    dropout: float,
    loss: str = "pointwise",
    layer_norm_eps: float = 1e-5,
    constrained: bool = False,
    linear: bool = False,
) -> nn.Module:
    """A head with fresh weights.

    Args:
        kind: what the corpus asks for.
        width: D.
        classes: labels or tags of the corpus, pieces of the vocabulary for ``masked_lm``, grades of a graded ranking;
            not looked at otherwise.
        dropout: inside the head, while training.
        loss: of ``ranking``: a candidate has two classes if ``pointwise``, one score if ``listwise``, its
            grades if ``graded``.
        layer_norm_eps: of ``masked_lm``, as the pretrained encoder has it.
        constrained: hold the last map to be 1-Lipschitz (R4F); that of ``masked_lm``, which is the encoder's embedding
            table, stays as it is.
        linear: one map, for kinds whose head has a dense one before it.

    Raises:
        ValueError: an unknown kind, or an unknown loss of ``ranking``.
    """
    output = SpectralLinear if constrained else nn.Linear
    make = LinearHead if linear else ClassificationHead
    match kind, loss:
        case (("classification" | "multilabel"), _):
            return make(width, classes, dropout, output=output)
        case "next_sentence", _:
            return (
                make(width, NEXT_OR_OTHER, dropout, output=output)
                if linear
                else NextSentenceHead(width, dropout, output)
            )
        case "regression", _:
            return make(width, 1, dropout, output=output)
        case "ranking", "pointwise":
            return make(width, 2, dropout, output=output)
        case "ranking", "graded":
            return make(width, classes, dropout, output=output)
        case "ranking", "listwise":
            return make(width, 1, dropout, output=output)
        case "labelling", _:  # of each word's first sub-word
            return LinearHead(width, classes, dropout, output=output)
        case "span", _:  # of every position, of which a sequence's first stands for "no answer here"
            return LinearHead(width, 2, dropout, output=output)
        case "word_in_context", _:
            return make(width, classes, dropout, tokens=3, output=output)
        case "masked_lm", _:
            return MaskedLmHead(width, classes, layer_norm_eps)
    raise ValueError(f"unknown kind {kind!r}, or unknown loss {loss!r} for it")
