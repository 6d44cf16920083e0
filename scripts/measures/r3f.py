"""Forward and backward of ``multitask_r3f``, over those of ``multitask_cross_entropy`` on the same pack."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from measures.asked import Asked, Cases
from measures.figure import Figure
from measures.timing import compare
from measures.whole_model import WholeModel
from skill_plugin.variants.catalogue import VARIANTS


def r3f(asked: Asked, variant: str, sentences: int) -> Iterator[Figure]:
    """A pack of so many sentences of one corpus."""
    whole = WholeModel(asked, variant)
    noisy, sample = whole.r3f(), whole.sample([whole.segment("mnli", sentences)])

    def step(criterion: object) -> None:
        whole.optimizer.zero_grad()
        whole.backward(sample, criterion)

    what = f"`{variant}`: a step of R3F over a plain one, {sentences} sentences"
    yield compare(partial(step, noisy), partial(step, whole.criterion), asked.comparisons, whole.clock).figure(what)


def cases(asked: Asked) -> Cases:
    sentences = (2,) if asked.tiny else (16, 128) if asked.device == "cuda" else (16,)
    return {
        f"r3f/{variant}/{number}": partial(r3f, asked, variant, number)
        for variant in asked.variants or VARIANTS
        for number in sentences
    }
