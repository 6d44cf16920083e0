"""Uncertainty sampling: the model says which of the candidates it is trained on (CA-MTL, section 3.3.2).

The one place where what is trained on depends on the weights. Nothing is drawn here, and the candidates are a function
of seed and epoch, so that a run resumes exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from skill_plugin.data.collate import collate
from skill_plugin.data.sample import Sample
from skill_plugin.data.segment_examples import SegmentExamples, take
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.objectives.family import Family
from skill_plugin.sampling.uncertainty import Floats, choose_most_uncertain, uncertainties
from skill_plugin.tasks.data_used import Announcements


class UncertaintySampling:
    """Chooses the batch to train on, for each rank and micro-batch by itself.

    Args:
        families: family of the answers of each of the run's corpora.
        batch_size: b, the sequences to choose, as many as each corpus has candidates.
        max_tokens: real tokens of the chosen batch; None for no bound.
        token_types: whether the encoder reads token types.
        announcements: how ranks tell one another what they train on.
    """

    def __init__(
        self,
        families: Sequence[Family],
        batch_size: int,
        max_tokens: int | None,
        token_types: bool,
        announcements: Announcements,
    ) -> None:
        self.families, self.token_types, self.announcements = families, token_types, announcements
        self.batch_size, self.max_tokens = batch_size, max_tokens

    def choose(self, model: Any, sample: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, Tensor]]:
        """The step of algorithm 2 before the gradient step.

        Args:
            model: in training mode, and again afterwards; without dropout meanwhile.
            sample: what ``collate_candidates`` gave, on the model's device.

        Returns:
            The sample to train on, with a segment for each corpus of which something was chosen; and what to log, in
            float64: for each of the run's K corpora ``candidates`` and ``chosen``, numbers of examples [K], and
            ``entropy``, the sums of the candidates' entropies [K]; and ``trained_on``, the announcement.
        """
        segments: list[SegmentExamples] = sample["candidates"]
        entropies, uncertainty = self.uncertainty(model, sample)
        chosen = take(
            segments,
            choose_most_uncertain(
                np.concatenate(uncertainty),
                np.concatenate([segment.lengths for segment in segments]),
                self.batch_size,
                self.max_tokens,
                np.concatenate([segment.sequences for segment in segments]),
            ),
        )
        log = {
            "candidates": self._by_corpus(segments, [len(segment) for segment in segments]),
            "chosen": self._by_corpus(chosen, [len(segment) for segment in chosen]),
            "entropy": self._by_corpus(segments, [float(entropy.sum()) for entropy in entropies]),
            "trained_on": self.announcements.write(np.concatenate([segment.numbers for segment in chosen])),
        }
        device = sample["packs"][0]["net_input"]["tokens"].device
        return Sample.of(collate(chosen, self.token_types)).to(device), log

    def uncertainty(self, model: Any, sample: Mapping[str, Any]) -> tuple[list[Floats], list[Floats]]:
        """Entropy H and uncertainty U of each segment's candidates (equation 3.4), in their order.

        Args:
            model, sample: as in ``choose``.
        """
        model.eval()
        with torch.no_grad():
            found = [
                torch.stack(self.families[corpus].entropies(outputs, units))
                for pack in sample["packs"]
                # not through the wrapper that averages gradients: ranks may have different numbers of packs
                for corpus, outputs, units in zip(
                    pack["corpora"], model.model(PackedBatch(**pack["net_input"])).answers, pack["units"], strict=True
                )
            ]
            values, greatest = torch.cat(found, dim=1).double().cpu().numpy()  # the device is waited for once
        model.train()
        ends = np.cumsum([len(segment) for segment in sample["candidates"]])[:-1]
        entropies = np.split(values, ends)
        return entropies, uncertainties(entropies, np.split(greatest, ends))

    def _by_corpus(self, segments: Sequence[SegmentExamples], values: Sequence[float]) -> Tensor:
        found = torch.zeros(len(self.families), dtype=torch.float64)
        for segment, value in zip(segments, values, strict=True):
            found[segment.corpus] += value
        return found
