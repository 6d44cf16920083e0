"""The auxiliary loss that spreads tokens over experts."""

from __future__ import annotations

import torch
from torch import Tensor

from skill_plugin.nn.experts.routing import Routing


def balance_loss(routing: Routing) -> Tensor:
    """E sum_i f_i P_i of one layer (Switch Transformers, equations 4 to 6), a scalar; 1 where all experts are alike.

    f_i is the share of the rows that expert i got, P_i its mean probability. Both run over all tokens of the pack,
    whichever gate routed them: with a gate per corpus the experts are kept busy together, and each corpus may still
    prefer its own. It is the one value that depends on which sequences are packed together.
    """
    experts = routing.logits.shape[-1]
    rows = torch.zeros(experts, device=routing.logits.device)
    rows.index_add_(0, routing.experts.flatten(), torch.ones(routing.experts.numel(), device=rows.device))
    return experts * torch.dot(rows / routing.experts.numel(), routing.logits.softmax(-1).mean(0))
