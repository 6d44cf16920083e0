"""Arrays of different lengths, end to end."""

from __future__ import annotations

import numpy as np
import pytest

from skill_plugin.text.ragged import Ragged


def test_numbers_of_any_whole_type_become_int32() -> None:
    found = Ragged.of([np.array([1, 2], np.int64), np.array([], np.int32), np.array([3], np.int16)])  # type: ignore[list-item]
    assert (found.flat.dtype, found.flat.tolist(), found.lengths.tolist()) == (np.int32, [1, 2, 3], [2, 0, 1])


def test_decimal_places_are_not_lost_unseen() -> None:
    scores = np.array([2.5, -0.1], np.float32)
    with pytest.raises(TypeError, match="float"):
        Ragged.of([scores])  # type: ignore[list-item]
    (bits,) = Ragged.of([scores.view(np.int32)]).split()
    assert np.array_equal(bits.view(np.float32), scores)
