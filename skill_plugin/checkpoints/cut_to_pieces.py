"""Cuts what a model may start from to the pieces of a data folder whose vocabulary was trimmed, by name."""

from __future__ import annotations

from dataclasses import replace

import torch

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import VOCABULARY_ROWS, name_in_model
from skill_plugin.text.text_encoder import TextEncoder


def cut_to_pieces(initial: InitialWeights, text: TextEncoder, owner: str) -> InitialWeights:
    """The same weights with the rows of another text encoder's pieces only.

    Args:
        initial: an encoder or checkpoint that brings its vocabulary.
        text: a text encoder whose vocabulary is that one, or was cut out of it, with its tokenizer.
        owner: what the text encoder is from, for messages.

    Raises:
        InputError: it has pieces that the weights lack, or the same in another order, or fewer and no tokenizer.
    """
    assert initial.text is not None
    if initial.text.vocabulary == text.vocabulary:
        return initial
    rows = initial.text.vocabulary.rows_of(text.vocabulary)
    if rows is None or text.tokenizer is None:
        raise InputError(_mismatch(initial, text), owner)
    index, names = torch.tensor(rows), _names_of_rows(initial.bundle)
    state = {name: tensor[index] if name in names else tensor for name, tensor in initial.state.items()}
    shape = replace(initial.shape, vocabulary=len(rows))
    bundle = initial.bundle
    if bundle is not None:
        bundle = replace(bundle, shape=shape, text=text.to_state())
    return replace(initial, shape=shape, text=text, state=state, bundle=bundle)


def _names_of_rows(bundle: Bundle | None) -> set[str]:
    """The weights that have a row for each symbol: the embedding table, and the bias of masked-LM heads."""
    names = set(map(name_in_model, VOCABULARY_ROWS))
    heads = {} if bundle is None else bundle.heads()
    return names | {f"heads.{name}.bias" for name, spec in heads.items() if not spec.has_last_map}


def _mismatch(initial: InitialWeights, text: TextEncoder) -> str:
    assert initial.text is not None
    theirs = initial.text.vocabulary
    lacking = [symbol for symbol in text.vocabulary.symbols if symbol not in theirs]
    told = f", which lacks {len(lacking):,} of its pieces, such as {lacking[0]!r}" if lacking else ""
    return (
        f"prepared with another vocabulary than that of {initial.file}{told}: prepare it with --encoder {initial.file}"
    )
