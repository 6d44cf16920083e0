"""Fresh weights as BERT draws them."""

from __future__ import annotations

from torch import nn

STANDARD_DEVIATION = 0.02  # of BERT, RoBERTa and XLM-R


def initialise(module: nn.Module) -> None:
    """Draws every linear map and embedding of a module from N(0, 0.02), with biases at 0 and norms at the identity."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)
            nn.init.zeros_(part.bias)
        elif isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=STANDARD_DEVIATION)
