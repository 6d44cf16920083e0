"""Dynamic masking for masked language models (Devlin et al. 2018, section 3.1; SkillNet-X, section 3.4).

Of the chosen tokens 80 % become ``<mask>``, 10 % become a random piece and 10 % stay, drawn for each token alone.
Axes: T tokens of a text, M chosen tokens, n texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from skill_plugin.text.tokenizer import IntArray

MASKED_SHARE = 0.15
_MASKED = 0.8
_RANDOM = 0.1


class Masked(NamedTuple):
    """A text with masks.

    Attributes:
        inputs: int32 [T], the tokens that the encoder reads.
        positions: int32 [M], the positions of the tokens to predict, increasing.
        targets: int32 [M], the original tokens at these positions.
    """

    inputs: IntArray
    positions: IntArray
    targets: IntArray


def mask_tokens(
    ids: IntArray,
    mask: int,
    vocabulary: range | tuple[int, int],
    share: float = MASKED_SHARE,
    *,
    rng: np.random.Generator,
) -> Masked:
    """Chooses M = max(1, round(share * T)) tokens (none if the text is empty) and hides them.

    Args:
        ids: int32 [T], a text without the special tokens around it.
        mask: id of ``<mask>``.
        vocabulary: the first ordinary id and one past the last; ``mask`` is never drawn, even if it is among them.
        share: the share of tokens to choose, 0 to 1.
        rng: the only source of randomness: the same state gives the same masks.

    Raises:
        ValueError: there are no ordinary ids.
    """
    first, last = (vocabulary.start, vocabulary.stop) if isinstance(vocabulary, range) else vocabulary
    among = first <= mask < last
    if last - first - among < 1:
        raise ValueError(f"no ordinary ids from {first} to {last}")
    count = int(count_masked([len(ids)], share)[0])
    positions = np.sort(rng.choice(len(ids), count, replace=False)) if count else np.zeros(0, np.int64)
    fate = rng.random(count)
    drawn = rng.integers(first, last - among, count)
    if among:
        drawn += drawn >= mask
    targets = ids[positions]
    hidden = np.where(fate < _MASKED, mask, np.where(fate < _MASKED + _RANDOM, drawn, targets))
    inputs = ids.astype(np.int32)
    inputs[positions] = hidden
    return Masked(inputs, positions.astype(np.int32), targets.astype(np.int32))


def count_masked(lengths: npt.ArrayLike, share: float = MASKED_SHARE) -> npt.NDArray[np.int64]:
    """How many tokens of each text are chosen: M of every text, int64 [n], from their lengths [n]."""
    lengths = np.asarray(lengths, np.int64)
    counts: npt.NDArray[np.int64] = np.minimum(lengths, np.maximum(1, np.rint(share * lengths).astype(np.int64)))
    return counts
