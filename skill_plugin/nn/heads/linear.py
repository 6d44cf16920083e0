"""One linear map of what a head reads."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.heads.states_at import states_at
from skill_plugin.nn.linear import Linear


class LinearHead(nn.Module):
    """dropout, output: U h (MT-TaG, equations 7 and 8; BERT's heads: Devlin et al., 2019, sections 4.2 and 5.3).

    Args:
        width: D.
        classes: C.
        dropout: before the linear map, while training.
        tokens: how many states it reads side by side, as ``ClassificationHead``.
        output: makes the linear map.
    """

    def __init__(
        self, width: int, classes: int, dropout: float, tokens: int = 1, output: type[nn.Linear] = Linear
    ) -> None:
        super().__init__()
        self.out_proj = output(tokens * width, classes)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, units: Tensor | None = None) -> Tensor:
        """Outputs [U, C] from hidden states, as ``ClassificationHead.forward``."""
        return self.out_proj(self.dropout(states_at(hidden, units)))
