"""Forward and backward of one pack of 8 corpora, 8 or on a GPU 16 sentences each, over 8 packs of one corpus each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from measures.asked import Asked, Cases
from measures.figure import Figure, at_most
from measures.glue import GLUE
from measures.timing import compare
from measures.whole_model import WholeModel

REACHES = {"skillnet_x_ffn_mha": at_most(1.0)}  # on the CPU; on a GPU both get faster, so no ratio is asked


def super_batch(asked: Asked, variant: str) -> Iterator[Figure]:
    """Gradients are added up by both."""
    whole = WholeModel(asked, variant)
    segments = [whole.segment(corpus, 2 if asked.tiny else 16 if whole.gpu else 8) for corpus in GLUE]
    together, alone = whole.sample(segments), [whole.sample([segment]) for segment in segments]

    def packed() -> None:
        whole.optimizer.zero_grad()
        whole.backward(together)

    def separate() -> None:
        whole.optimizer.zero_grad()
        for sample in alone:
            whole.backward(sample)

    what = f"`{variant}`: one pack of 8 corpora over 8 batches of one"
    reach = None if whole.gpu else REACHES.get(variant)
    yield compare(packed, separate, asked.comparisons, whole.clock).figure(what, reach)


def cases(asked: Asked) -> Cases:
    return {f"super-batch/{variant}": partial(super_batch, asked, variant) for variant in ("dense", *REACHES)}
