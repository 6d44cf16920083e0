"""From the examples of a batch's segments to the sample that fairseq hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from skill_plugin.data.segment_examples import SegmentExamples, take
from skill_plugin.kinds.items import join_targets
from skill_plugin.nn.packed_batch import PackedBatch, pack
from skill_plugin.sampling.passes import cut_batches


def collate(segments: Sequence[SegmentExamples], token_types: bool, scored: bool = False) -> dict[str, Any]:
    """A pack of segments, and what its outputs are compared with.

    Args:
        segments: at least one; two of the same corpus are two segments.
        token_types: whether the encoder reads token types.
        scored: the examples go along, to be scored.
    """
    batch = _pack(segments, token_types)
    sample = {
        "id": torch.from_numpy(np.concatenate([segment.numbers for segment in segments])),
        "net_input": batch.as_keywords(),
        "corpora": (corpora := [segment.corpus for segment in segments]),
        "corpus_numbers": torch.tensor(corpora),
        "targets": [join_targets([example.target for example in segment.examples]) for segment in segments],
        "units": [segment.units for segment in segments],
        "nsentences": sum(map(len, segments)),
        "ntokens": batch.size,
    }
    if scored:
        sample["examples"] = [segment.examples for segment in segments]
    return sample


def collate_candidates(
    segments: Sequence[SegmentExamples], token_types: bool, max_tokens: int | None
) -> dict[str, Any]:
    """Packs to ask a model about, and the examples themselves, of which the chosen ones are collated later.

    Args:
        segments: the candidates of each corpus.
        token_types: whether the encoder reads token types.
        max_tokens: real tokens in each of the packs; None for one pack.
    """
    asked = [segment.asked() for segment in segments]
    lengths = np.concatenate([segment.lengths for segment in asked])
    packs = []
    for chunk in cut_batches(np.arange(len(lengths)), lengths, len(lengths), max_tokens):
        members = take(asked, chunk)
        net_input = _pack(members, token_types).as_keywords()
        packs.append(
            {
                "net_input": net_input,
                "corpora": [segment.corpus for segment in members],
                "units": [segment.units for segment in members],
            }
        )
    return {"candidates": list(segments), "packs": packs}


def _pack(segments: Sequence[SegmentExamples], token_types: bool) -> PackedBatch:
    return pack(
        [
            (segment.active, segment.head, [sequence for example in segment.examples for sequence in example.sequences])
            for segment in segments
        ],
        token_types,
    )
