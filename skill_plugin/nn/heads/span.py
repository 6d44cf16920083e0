"""Where an answer begins and ends."""

from __future__ import annotations

from torch import Tensor, nn

from skill_plugin.nn.dropout import Dropout


class SpanHead(nn.Module):
    """dropout, output: a score of beginning and one of ending for every position (Devlin et al., 2019, section 4.2).

    Args:
        width: D.
        dropout: before the linear map, while training.
        output: makes the linear map.
    """

    def __init__(self, width: int, dropout: float, output: type[nn.Linear] = nn.Linear) -> None:
        super().__init__()
        self.out_proj = output(width, 2)
        self.dropout = Dropout(dropout)

    def forward(self, hidden: Tensor, units: Tensor, copies: int = 1) -> Tensor:
        """Start and end logits [U, 2] from hidden states [N, D].

        Args:
            hidden: [N, D].
            units: every position that may begin or end an answer [U]; a sequence's first token is among them and
                stands for "no answer here".
            copies: of the same units, one after the other, as in ``Dropout``.
        """
        return self.out_proj(self.dropout(hidden[units], copies))  # type: ignore[no-any-return]
