"""Requests of several corpora that are read in the same packs, each sequence that they have in common once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from skill_plugin.data.request import Request, RequestPart, cut_by_length, in_order
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.pack_once import SequenceKey, pack_once, sequence_key
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch


class Reader(NamedTuple):
    """Who reads a request.

    Attributes:
        active: what its corpus activates; equal for corpora whose sequences have the same hidden states.
        head: name of its head.
        corpus: its name. Requests of one corpus are answered together.
    """

    active: ActiveSet
    head: str
    corpus: str


@dataclass(frozen=True, eq=False)
class SharedPack:
    """What one pack holds of some requests.

    Attributes:
        readers: the corpora that read the pack, those with equal active sets side by side.
        shares: for each of them the numbers of its requests, and what the pack holds of them.
    """

    readers: Sequence[Reader]
    shares: Sequence[Sequence[tuple[int, RequestPart]]]

    def of(self, chosen: Sequence[bool]) -> SharedPack:
        """The same for some of its readers."""
        return SharedPack(list(compress(self.readers, chosen)), list(compress(self.shares, chosen)))

    def pack(self, token_types: bool) -> PackedBatch:
        """The pack, with a segment for each reader.

        Args:
            token_types: whether the encoder reads token types.
        """
        sequences = [[one for _, part in shares for one in part.sequences] for shares in self.shares]
        named = [(reader.active, reader.head, own) for reader, own in zip(self.readers, sequences, strict=True)]
        return pack_once(named, token_types)


class SharedPass:
    """A forward pass that answers all readers of a pack, as one tensor, which a GPU copies to the host at once.

    Args:
        pack: what is read.
        run: the outputs of each reader of a pack.
    """

    def __init__(self, pack: SharedPack, run: Callable[[SharedPack], Sequence[Tensor]]) -> None:
        self.pack, self._run = pack, run
        self._shapes: list[torch.Size] = []

    def __call__(self) -> Tensor:
        """The outputs of all readers, end to end."""
        outputs = self._run(self.pack)
        self._shapes = [one.shape for one in outputs]
        return torch.cat([one.flatten() for one in outputs])

    def by_reader(self, flat: Tensor) -> list[Tensor]:
        """The outputs of each reader, from what the call gave."""
        parts = flat.split([shape.numel() for shape in self._shapes])
        return [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]


def cut_together(
    requests: Sequence[Request[Any]], readers: Sequence[Reader], batch_size: int | None, max_tokens: int
) -> list[SharedPack]:
    """Cuts requests into packs of similar lengths.

    Args:
        requests: one or more.
        readers: as many.
        batch_size, max_tokens: the most sequences and tokens of a pack, as for ``Request.parts``.
    """
    numbers: dict[SequenceKey, int] = {}
    different: list[EncodedSequence] = []
    read = []
    for request, reader in zip(requests, readers, strict=True):
        own = np.empty(len(request.sequences), np.int64)
        for i, sequence in enumerate(request.sequences):
            own[i] = numbers.setdefault(sequence_key(reader.active, sequence), len(different))
            if own[i] == len(different):
                different.append(sequence)
        read.append(own)
    pack_of = np.empty(len(different), np.int64)
    packs = cut_by_length([one.size for one in different], batch_size, max_tokens)
    for number, members in enumerate(packs):
        pack_of[members] = number
    shares: list[dict[Reader, list[tuple[int, RequestPart]]]] = [{} for _ in packs]
    sets = list(dict.fromkeys(reader.active for reader in readers))
    for number in sorted(range(len(requests)), key=lambda number: sets.index(readers[number].active)):
        places = pack_of[read[number]]
        for pack in np.unique(places).tolist():
            part = requests[number].part(np.flatnonzero(places == pack))
            shares[pack].setdefault(readers[number], []).append((number, part))
    return [SharedPack(list(those), list(those.values())) for those in shares]


def put_together(packs: Sequence[SharedPack], outputs: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """The outputs of each request [U, …], its units in their order.

    Args:
        packs: all that the requests were cut into.
        outputs: of each pack those of each reader [units, …].
    """
    found: dict[int, list[tuple[RequestPart, Tensor]]] = {}
    for pack, of_readers in zip(packs, outputs, strict=True):
        for shares, together in zip(pack.shares, of_readers, strict=True):
            for (number, part), own in zip(shares, together.split([len(p.units) for _, p in shares]), strict=True):
                found.setdefault(number, []).append((part, own))
    return [in_order(*map(list, zip(*found[number], strict=True))) for number in range(len(found))]
