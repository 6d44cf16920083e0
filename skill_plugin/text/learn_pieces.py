"""Learns a SentencePiece model from texts."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import whole_file

_TOO_FEW = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")  # the library's words
_LONGEST = 4192  # bytes of a sentence that the library learns from; longer ones it would leave out
_SENTENCES = 1_000_000  # of which it learns, drawn at random where there are more


def learn_pieces(texts: Iterable[str], out: Path, pieces: int) -> int:
    """Writes the model that ``learn_model`` gives, and returns how many pieces it has.

    Raises:
        InputError: there is no text, or the file cannot be written.
    """
    import sentencepiece

    model = learn_model(texts, pieces)
    with whole_file(out) as beside:
        beside.write_bytes(model)
    return int(sentencepiece.SentencePieceProcessor(model_proto=model).get_piece_size())


def learn_model(texts: Iterable[str], pieces: int) -> bytes:
    """A unigram model with byte pieces, so that no text has unknown characters.

    Args:
        texts: what it learns from.
        pieces: how many it has at most; few texts give fewer.

    Raises:
        InputError: there is no text; or what reading the texts raises.
    """
    import sentencepiece

    failed: list[Exception] = []  # while reading, which the library would tell as a failure of its own

    def read() -> Iterator[str]:
        try:
            yield from texts
        except Exception as error:
            failed.append(error)
            raise

    lines = (part for text in read() for line in text.splitlines() for part in _parts(line) if part)
    first = next(lines, None)
    if first is None:
        raise InputError("there are no training texts to learn pieces from")
    model = io.BytesIO()  # a model that the library writes to a file itself has the file's path in it
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=chain([first], lines),
            model_writer=model,
            vocab_size=pieces,
            hard_vocab_limit=False,
            byte_fallback=True,
            character_coverage=0.9995,
            input_sentence_size=_SENTENCES,
            shuffle_input_sentence=True,
            max_sentence_length=_LONGEST,
            minloglevel=2,
        )
    except RuntimeError as error:
        if failed:
            raise failed[0] from None
        if few := _TOO_FEW.search(str(error)):
            raise InputError(
                f"{pieces} pieces are too few: the texts' characters and bytes alone are {few[1]}"
            ) from None
        raise InputError(f"no pieces can be learned from these texts: {str(error).splitlines()[0]}") from None
    return model.getvalue()


def _parts(line: str) -> list[str]:
    """A line in parts that are short enough, cut between words where there are any."""
    line = line.strip()
    if len(line.encode()) <= _LONGEST:
        return [line]
    size = _LONGEST // 4  # a character has four bytes at most
    cut = line.rfind(" ", size // 2, size)
    cut = size if cut < 0 else cut
    return [line[:cut], *_parts(line[cut:])]
