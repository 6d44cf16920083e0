from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.text.masking import count_masked, mask_tokens

MASK = 1000
PIECES = range(4, MASK)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(0, 60), st.sampled_from([0.0, 0.15, 0.5, 1.0]), st.integers(0, 99))
def test_chosen_tokens(length: int, share: float, seed: int) -> None:
    ids = rng(seed).integers(PIECES.start, PIECES.stop, length).astype(np.int32)
    before = ids.copy()
    masked = mask_tokens(ids, MASK, PIECES, share, rng=rng(seed))
    count = 0 if length == 0 else min(length, max(1, round(share * length)))
    assert (ids == before).all()
    assert [part.dtype for part in masked] == [np.int32] * 3
    assert len(masked.positions) == len(masked.targets) == count == count_masked([length], share)[0]
    assert (np.diff(masked.positions) > 0).all()
    assert (masked.targets == ids[masked.positions]).all()
    elsewhere = np.ones(length, bool)
    elsewhere[masked.positions] = False
    assert (masked.inputs[elsewhere] == ids[elsewhere]).all()
    assert set(masked.inputs.tolist()) <= {*PIECES, MASK}


def test_shares_of_a_large_text() -> None:
    ids = np.full(200_000, 7, np.int32)
    masked = mask_tokens(ids, MASK, PIECES, rng=rng())
    assert len(masked.positions) == 30_000
    seen = masked.inputs[masked.positions]
    assert np.mean(seen == MASK) == pytest.approx(0.8, abs=0.01)
    assert np.mean(seen == 7) == pytest.approx(0.1, abs=0.01)
    random = seen[(seen != MASK) & (seen != 7)]
    assert len(random) / len(seen) == pytest.approx(0.1, abs=0.01)
    assert len(set(random.tolist())) > 900
    assert masked.positions.mean() == pytest.approx(100_000, rel=0.02)


def test_the_generator_decides() -> None:
    ids = np.arange(4, 104, dtype=np.int32)
    one, same, other = (mask_tokens(ids, MASK, PIECES, rng=rng(seed)) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(one, same, strict=True))
    assert one.positions.tolist() != other.positions.tolist()
    generator = rng()
    epochs = [mask_tokens(ids, MASK, PIECES, rng=generator).positions.tolist() for _ in range(2)]
    assert epochs[0] != epochs[1]


def test_mask_among_the_pieces_is_never_drawn_at_random() -> None:
    ids = np.full(50_000, 4, np.int32)
    masked = mask_tokens(ids, 5, (4, 7), 1.0, rng=rng())
    assert set(masked.inputs.tolist()) == {4, 5, 6}
    # as many as are meant to be masked, none besides
    assert np.mean(masked.inputs == 5) == pytest.approx(0.8, abs=0.01)
    assert set(mask_tokens(ids, 5, (5, 7), 1.0, rng=rng()).inputs.tolist()) == {4, 5, 6}  # one ordinary id
    with pytest.raises(ValueError, match="no ordinary ids"):
        mask_tokens(ids, 5, (5, 6), rng=rng())
