"""Forward and backward of one pack of 8 corpora x 16 sentences, over 8 packs of one corpus each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from measures.asked import Asked, Cases
from measures.figure import Figure, at_most
from measures.glue import GLUE
from measures.timing import compare
from measures.whole_model import WholeModel

BATCHES = 4  # that a step goes through, so that lengths are not those of one batch
REACHES = {"skillnet_x_ffn_mha": at_most(1.0)}  # on the CPU; on a GPU both get faster, so no ratio is asked


def super_batch(asked: Asked, variant: str) -> Iterator[Figure]:
    """Gradients are added up by both."""
    whole = WholeModel(asked, variant)
    sentences = 2 if asked.tiny else 16
    drawn = [[whole.segment(corpus, sentences) for corpus in GLUE] for _ in range(BATCHES)]
    together = [whole.sample(segments) for segments in drawn]
    alone = [[whole.sample([segment]) for segment in segments] for segments in drawn]

    def packed() -> None:
        for sample in together:
            whole.optimizer.zero_grad()
            whole.backward(sample)

    def separate() -> None:
        for samples in alone:
            whole.optimizer.zero_grad()
            for sample in samples:
                whole.backward(sample)

    what = f"`{variant}`: one pack of 8 corpora over 8 batches of one"
    reach = None if whole.gpu else REACHES.get(variant)
    yield compare(packed, separate, asked.rounds_or(5), whole.clock).figure(what, reach, steps=BATCHES)


def cases(asked: Asked) -> Cases:
    return {f"super-batch/{variant}": partial(super_batch, asked, variant) for variant in ("dense", *REACHES)}
