"""Cuts a tokenizer together with its vocabulary to the pieces that occur in texts, and what any other text needs.

Axes: V symbols before, K symbols that stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError
from skill_plugin.text.span_corruption import find_sentinels
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TrimmedText:
    """A text encoder that lost pieces.

    Attributes:
        before: the text encoder that had them all.
        text: the text encoder of those that stay, in the same order.
        rows: int64 [K], their ids before, increasing.
        occurring: how many of them occur in the texts; the others spell what does not.
    """

    before: TextEncoder
    text: TextEncoder
    rows: npt.NDArray[np.int64]
    occurring: int


def trim_text(text: TextEncoder, occurring: npt.NDArray[np.bool_]) -> TrimmedText:
    """Cuts a text encoder.

    Texts of which all pieces stay are encoded as before. Any other text is spelled by the pieces that are left, all
    single characters among them, and has no unknown piece where it had none; but where unknown pieces occur, those that
    the tokenizer has and the vocabulary lacks stay too, and another text may have one where a longer piece was.

    Args:
        text: a text encoder.
        occurring: bool [V], whether a symbol occurs in the texts for which it is cut.

    Raises:
        InputError: there is no tokenizer, or it cannot lose pieces.
    """
    if text.tokenizer is None:
        raise InputError("--trim-vocabulary: there is no tokenizer, which says what pieces a text has")
    vocabulary = text.vocabulary
    try:
        state, kept = text.tokenizer.trim(occurring)
    except InputError as error:
        raise InputError(f"--trim-vocabulary: {error.message}") from None
    kept[[vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unk]] = True
    kept[find_sentinels(vocabulary)] = True
    if vocabulary.mask is not None:
        kept[vocabulary.mask] = True
    rows = np.flatnonzero(kept).astype(np.int64)
    cut = Vocabulary([vocabulary.symbols[i] for i in rows.tolist()])
    tokenizer = type(text.tokenizer).from_state(state, cut)
    return TrimmedText(text, TextEncoder(tokenizer, cut, text.template), rows, int((kept & occurring).sum()))
