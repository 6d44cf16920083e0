"""Many linear maps at once, adapted ones too: the base's product, and two thin ones of the adapters beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from skill_plugin.nn.adapters.lora import LoraLinear
from skill_plugin.nn.dropout import current_copies
from skill_plugin.nn.gather_rows import gather_rows
from skill_plugin.nn.grouped.dispatch import MULTIPLE, Dispatch, dispatch_tokens


def grouped_projections(maps: Sequence[nn.Linear], x: Tensor, dispatch: Dispatch) -> Tensor:
    """Each token by the one map that it chose: [N, I] -> [N, O]."""
    return gather_rows(map_rows(dispatch_tokens(x, dispatch), maps, dispatch), dispatch.rows, dispatch.tokens)


def map_rows(rows: Tensor, maps: Sequence[nn.Linear], dispatch: Dispatch) -> Tensor:
    """Each row by the map that it is of: [M, I] -> [M, O]. A base that does not train has no gradient computed."""
    ends = dispatch.ends
    biases = torch.stack([one.bias for one in maps]).to(rows.dtype)
    y: Tensor = _AddBiases.apply(_product(rows, [one.weight for one in maps], ends), biases, dispatch)
    adapted = [one for one in maps if isinstance(one, LoraLinear)]
    if not adapted:
        return y
    low = _product(_dropped(adapted[0], rows, dispatch), [one.lora_a for one in adapted], ends, padded=0)
    return y + _product(low * adapted[0].scale, [one.up() for one in adapted], ends, padded=1)


def _dropped(one: LoraLinear, rows: Tensor, dispatch: Dispatch) -> Tensor:
    """The adapters' dropout of the rows of all maps [M, I]."""
    if current_copies() == 1:
        return one.dropped(rows)
    # the copies of a pack come one after the other in the order of the tokens, not in that of the maps
    return rows * one.dropped(torch.ones_like(rows)).index_select(0, dispatch.order)


def _product(rows: Tensor, matrices: Sequence[Tensor], ends: Tensor, padded: int | None = None) -> Tensor:
    """Rows [M, I] by the matrix [O, I] of their map; the rank, which is axis ``padded``, may be any number."""
    stack = torch.stack(list(matrices)).to(rows.dtype)  # [E, O, I]
    stack = stack if padded is None else _padded(stack, padded + 1)
    return torch._grouped_mm(rows, stack.transpose(1, 2), offs=ends)


def _padded(x: Tensor, axis: int) -> Tensor:
    """Zeros up to a multiple of 8."""
    missing = -x.shape[axis] % MULTIPLE
    return F.pad(x, (0, 0) * (x.dim() - 1 - axis) + (0, missing)) if missing else x


class _AddBiases(torch.autograd.Function):
    """Adds to each row [M, O] the bias of its map, one of [E, O]."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, biases: Tensor, dispatch: Dispatch) -> Tensor:
        ctx.dispatch = dispatch
        return torch.addmm(rows, dispatch.one_hot(rows.dtype), _padded(biases, 0))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor | None, None]:
        return grad, ctx.dispatch.sum_rows(grad) if ctx.needs_input_grad[1] else None, None
