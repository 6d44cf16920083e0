"""What a model starts from, with the vocabulary of the data folder that it will read."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from skill_plugin.checkpoints.cut_to_pieces import cut_to_pieces
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.errors import InputError
from skill_plugin.store.corpus_store import read_text_encoder
from skill_plugin.text.text_encoder import TextEncoder

logger = logging.getLogger(__name__)


def fit_to_data(
    data: str, names: Sequence[str], initial: InitialWeights | None, verify: bool
) -> tuple[TextEncoder, InitialWeights | None]:
    """The data folder's tokenizer, and what the model starts from: the encoder, or its rows of a trimmed vocabulary.

    Raises:
        InputError: the data folder's vocabulary is neither the encoder's nor was cut out of it.
    """
    text = read_text_encoder(data, names, verify)
    if initial is None:
        return text, None
    if initial.text is None:
        if len(text.vocabulary) != initial.shape.vocabulary:
            raise InputError(
                f"the data folder's vocabulary has {len(text.vocabulary)} pieces, {initial.file} has "
                f"{initial.shape.vocabulary}: prepare it with this encoder's tokenizer",
                data,
            )
        return text, initial
    cut = cut_to_pieces(initial, text, data)
    if cut is not initial:
        told = f"{len(text.vocabulary):,} of its {len(initial.text.vocabulary):,} symbols, by name"
        logger.info(f"--init-from {initial.file}: takes the rows of {told}: the data folder has no others")
    # a folder of fairseq-preprocess has a vocabulary but no tokenizer
    return (initial.text if text.tokenizer is None else text), cut
