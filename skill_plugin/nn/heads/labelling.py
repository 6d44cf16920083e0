"""One tag a word, read from the word's first sub-word."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout


class LabellingHead(nn.Module):
    """dropout, output: the shape of BERT's head for named entities (Devlin et al., 2019, section 5.3).

    Args:
        width: D.
        tags: C.
        dropout: before the linear map, while training.
        output: makes the linear map.
    """

    def __init__(self, width: int, tags: int, dropout: float, output: type[nn.Linear] = nn.Linear) -> None:
        super().__init__()
        self.out_proj = output(width, tags)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, units: Tensor, copies: int = 1) -> Tensor:
        """Logits [U, C] from hidden states [N, D] at the first sub-words ``units`` [U]."""
        return self.out_proj(self.dropout(hidden[units], copies))  # type: ignore[no-any-return]
