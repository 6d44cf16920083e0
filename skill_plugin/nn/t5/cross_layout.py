"""Attention of the targets of a pack to its sources.

The targets of one source lie end to end, and all of their tokens are queries to the same keys: these are never
repeated. On CUDA in half precision a variable-length kernel takes both packs as they are; elsewhere sources are laid
out in padded views by their lengths, each with its run of queries beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor

from skill_plugin.nn.attention_kernels import flash_takes, padded_attention, variable_length_cross_attention
from skill_plugin.nn.dropout import by_copy, current_copies
from skill_plugin.nn.gather_rows import gather_rows, take_rows
from skill_plugin.nn.on_device import on_device
from skill_plugin.nn.padded_view import members_of_views, tokens_of


class CrossLayout:
    """Where S runs of queries and the S sources that they read lie.

    Args:
        queries: tokens of each run; a source that nobody reads has none.
        keys: tokens of each source, at least one.
        device: device of both packs.
    """

    def __init__(self, queries: Sequence[int], keys: Sequence[int], device: torch.device) -> None:
        self.queries, self.keys, self.device = list(queries), list(keys), device
        self._first_copies: dict[int, CrossLayout] = {}

    def attend(self, q: Tensor, key_value: Tensor, heads: int, probability: float) -> Tensor:
        """Multi-head attention of every query to the keys of its source, without 1 / sqrt(d).

        Args:
            q: [M, H d].
            key_value: keys and values side by side [N, 2 H d].
            heads: H.
            probability: with which an attention weight is dropped, the same weights of each copy of ``share_masks``.

        Returns:
            [M, H d]
        """
        copies = current_copies()
        if probability > 0.0 and copies > 1:
            copy = self._first_copy(copies)
            return by_copy(lambda q, kv: copy._attend(q, kv, heads, probability), copies, q, key_value)
        return self._attend(q, key_value, heads, probability)

    def _attend(self, q: Tensor, key_value: Tensor, heads: int, probability: float) -> Tensor:
        if flash_takes(q, q.shape[1] // heads):
            longest = max(self.queries), max(self.keys)
            return variable_length_cross_attention(q, key_value, heads, self._offsets, longest, probability)
        views, order, inverse = self._views
        out = [view.attend(q, key_value, heads, probability) for view in views]
        return gather_rows(torch.cat(out), inverse, order)

    def _first_copy(self, copies: int) -> CrossLayout:
        if copies not in self._first_copies:
            runs = len(self.keys) // copies
            self._first_copies[copies] = CrossLayout(self.queries[:runs], self.keys[:runs], self.device)
        return self._first_copies[copies]

    @cached_property
    def _offsets(self) -> tuple[Tensor, Tensor]:
        """Where runs of queries and sources begin, and where the last ends, [S + 1] int32 each."""
        ends = (torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0) for lengths in (self.queries, self.keys))
        queries, keys = (on_device(one.to(torch.int32), self.device) for one in ends)
        return queries, keys

    @cached_property
    def _views(self) -> tuple[list[_PaddedPairs], Tensor, Tensor]:
        """Views that together hold all queries, the query at each place of their concatenation [M], and the place of
        each query [M]."""
        read = [number for number, queries in enumerate(self.queries) if queries]
        queries, keys = torch.tensor(self.queries), torch.tensor(self.keys)
        views, flat = [], []
        own_keys, own_queries = ([of[number] for number in read] for of in (self.keys, self.queries))
        for group in members_of_views(own_keys, self.device, own_queries):
            members = torch.tensor([read[number] for number in group])
            flat.append(tokens_of(queries, members))
            views.append(_PaddedPairs(_Rows(queries, members, self.device), _Rows(keys, members, self.device)))
        order = torch.cat(flat)
        return views, on_device(order, self.device), on_device(order.argsort(), self.device)


class _Rows:
    """Some runs of tokens, padded to the longest of them.

    Args:
        lengths: tokens of each run of the pack [S].
        members: numbers of the runs [s].
        device: device of the pack.
    """

    def __init__(self, lengths: Tensor, members: Tensor, device: torch.device) -> None:
        own = lengths[members]
        self.rows, self.columns = len(own), int(own.max())
        self.real = torch.arange(self.columns) < own[:, None]
        self.even = bool(self.real.all())
        self.tokens = on_device(tokens_of(lengths, members), device)
        self.slots = on_device(self.real.flatten().nonzero().squeeze(1), device)

    def pad(self, x: Tensor, heads: int) -> Tensor:
        """What a pack holds of these runs: [N, H d] -> [s, H, L, d], zeros for padding."""
        x = take_rows(x, self.tokens)
        if not self.even:
            x = x.new_zeros(self.rows * self.columns, x.shape[1]).index_copy_(0, self.slots, x)
        return x.view(self.rows, self.columns, heads, -1).transpose(1, 2)

    def flat(self, x: Tensor) -> Tensor:
        """The tokens of the runs end to end: [s, H, L, d] -> [n, H d]."""
        x = x.transpose(1, 2).reshape(self.rows * self.columns, -1)
        return x if self.even else take_rows(x, self.slots)


class _PaddedPairs:
    """Runs of queries beside the sources that they read, both padded."""

    def __init__(self, queries: _Rows, keys: _Rows) -> None:
        self._queries, self._keys = queries, keys
        self._padding: Tensor | None = None
        if not keys.even:
            hidden = torch.zeros(keys.real.shape).masked_fill(~keys.real, -torch.inf)[:, None, None, :]
            self._padding = on_device(hidden, keys.tokens.device)

    def attend(self, q: Tensor, key_value: Tensor, heads: int, probability: float) -> Tensor:
        """As ``CrossLayout.attend``, for these n queries: [M, H d], [N, 2 H d] -> [n, H d]."""
        queries = self._queries.pad(q, heads)
        k, v = self._keys.pad(key_value, 2 * heads).chunk(2, 1)
        padding = None if self._padding is None else self._padding.to(q.dtype)
        return self._queries.flat(padded_attention(queries, k, v, padding, probability, scale=1.0))
