"""A step of uncertainty sampling, over what it cannot do without.

Of 16 candidates of each of 8 corpora 16 are trained on. The other is a plain step on 16 sentences and one forward pass,
without gradients, over the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch

from measures.asked import Asked, Cases
from measures.figure import Figure
from measures.glue import GLUE
from measures.timing import compare
from measures.whole_model import WholeModel
from skill_plugin.data.collate import collate_candidates
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.tasks.data_used import Announcements
from skill_plugin.tasks.uncertainty_sampling import UncertaintySampling


def uncertainty(asked: Asked) -> Iterator[Figure]:
    """Both train on the sentences that the step itself chooses."""
    whole = WholeModel(asked, "dense")
    sentences = 2 if asked.tiny else 16
    announcements = Announcements(0, 1, 1, sentences)
    sampling = UncertaintySampling(whole.criterion.families, sentences, None, False, announcements)
    segments = [whole.segment(corpus, sentences) for corpus in GLUE]
    sample = whole.to_device(collate_candidates(segments, False, None))
    with whole.autocast():
        plain, _ = sampling.choose(whole.model, sample)

    def choosing() -> None:
        with whole.autocast():
            chosen, _ = sampling.choose(whole.model, sample)
        whole.update(chosen)

    def parts() -> None:
        whole.model.eval()
        with torch.no_grad(), whole.autocast():
            for pack in sample["packs"]:
                whole.model.model(PackedBatch(**pack["net_input"]))
        whole.model.train()
        whole.update(plain)

    what = "a step of uncertainty sampling over a plain one and a forward pass over the candidates"
    yield compare(choosing, parts, asked.comparisons, whole.clock).figure(what)


def cases(asked: Asked) -> Cases:
    return {"sampling/uncertainty": partial(uncertainty, asked)}
