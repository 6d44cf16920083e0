"""An update is of the same sentences whatever the machine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.pipeline.update_batch import UpdateBatch, spread, tokens_that_fit
from skill_plugin.variants.encoder_shape import SIZES


@given(
    sentences=st.integers(1, 512), draws=st.integers(1, 8), passes=st.integers(1, 8), longest=st.integers(1, 512),
    tokens=st.integers(0, 100_000), gpus=st.integers(1, 16),
)  # fmt: skip
def test_no_sentence_is_lost_and_few_are_added(
    sentences: int, draws: int, passes: int, longest: int, tokens: int, gpus: int
) -> None:
    found = spread(UpdateBatch(sentences, draws, passes), longest, tokens, gpus)
    ours, asked = found.sentences * found.passes * gpus, sentences * passes
    assert found.draws == draws
    assert ours >= asked
    assert found.sentences == 1 or ours < 2 * asked + gpus * found.passes
    assert found.sentences == 1 or found.sentences * draws * longest <= tokens


def test_gpus_share_what_they_can() -> None:
    thesis = UpdateBatch(8, 4, 4)
    assert spread(thesis, 512, None, 1) == thesis
    assert spread(thesis, 512, None, 4) == UpdateBatch(8, 4, 1)
    assert spread(UpdateBatch(32, 1, 1), 128, None, 8) == UpdateBatch(4, 1, 1)
    assert spread(UpdateBatch(32, 1, 1), 128, 2048, 1) == UpdateBatch(16, 1, 2)


def test_more_memory_and_smaller_encoders_take_more_tokens() -> None:
    def fit(size: str, gib: int, parameters: int) -> int:
        sizes = SIZES[size]
        return tokens_that_fit(sizes.layers, sizes.width, parameters, gib << 30, bf16=True)

    base, large = 280_000_000, 560_000_000
    assert fit("base", 24, base) > 32 * 128  # an update of 32 sentences fits into one pass
    assert fit("base", 80, base) > fit("base", 24, base) > fit("large", 24, large) > fit("large", 8, large) == 0
    assert fit("base", 24, 2 * base) < fit("base", 24, base)
