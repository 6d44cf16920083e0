"""From the parts of a batch to the sample that fairseq hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from skill_plugin.data.part import Part, take
from skill_plugin.kinds.items import join_targets
from skill_plugin.nn.packed_batch import PackedBatch, pack
from skill_plugin.sampling.passes import cut


def collate(parts: Sequence[Part], token_types: bool, scored: bool = False) -> dict[str, Any]:
    """A pack with a segment for each part, and what its outputs are compared with.

    Args:
        parts: at least one; two of the same corpus are two segments.
        token_types: whether the encoder reads token types.
        scored: the examples go along, to be scored.
    """
    batch = _pack(parts, token_types)
    sample = {
        "id": torch.from_numpy(np.concatenate([part.numbers for part in parts])),
        "net_input": batch.as_keywords(),
        "corpora": [part.corpus for part in parts],
        "targets": [join_targets([example.target for example in part.examples]) for part in parts],
        "units": [part.units for part in parts],
        "nsentences": sum(map(len, parts)),
        "ntokens": len(batch.tokens),
    }
    if scored:
        sample["examples"] = [part.examples for part in parts]
    return sample


def collate_candidates(parts: Sequence[Part], token_types: bool, max_tokens: int | None) -> dict[str, Any]:
    """Packs to ask a model about, and the examples themselves, of which the chosen ones are collated later.

    Args:
        parts: the candidates of each corpus.
        token_types: whether the encoder reads token types.
        max_tokens: real tokens in each of the packs; None for one pack.
    """
    lengths = np.concatenate([part.lengths for part in parts])
    packs = []
    for chunk in cut(np.arange(len(lengths)), lengths, len(lengths), max_tokens):
        members = take(parts, chunk)
        net_input = _pack(members, token_types).as_keywords()
        packs.append(
            {
                "net_input": net_input,
                "corpora": [part.corpus for part in members],
                "units": [part.units for part in members],
            }
        )
    return {"candidates": list(parts), "packs": packs}


def _pack(parts: Sequence[Part], token_types: bool) -> PackedBatch:
    return pack(
        [
            (part.active, part.head, [sequence for example in part.examples for sequence in example.sequences])
            for part in parts
        ],
        token_types,
    )
