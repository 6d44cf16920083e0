"""``--trim-vocabulary``: what ``import`` and ``prepare`` share."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skill_plugin.spec.corpora_file import CorporaFile
    from skill_plugin.text.text_encoder import TextEncoder
    from skill_plugin.text.trimming.trim_text import TrimmedText

_CORPORA = (".yaml", ".yml")
_SHORTEST = 4  # letters of a word that is shown
_SHOWN = 5


def trim_to_corpora(spec: CorporaFile, text: TextEncoder, workers: int = 1) -> TrimmedText:
    """Cuts a text encoder to the pieces of corpora.

    Raises:
        InputError: the raw data is at fault, or the tokenizer cannot lose pieces.
    """
    from skill_plugin.cli.progress import EncodingProgress
    from skill_plugin.store.occurring_pieces import find_in_corpora
    from skill_plugin.text.trimming.trim_text import trim_text

    with (progress := EncodingProgress()):
        return trim_text(text, find_in_corpora(spec, text, workers, progress.report, progress.reading))


def trim_to_files(files: Sequence[Path], text: TextEncoder) -> TrimmedText:
    """Cuts a text encoder to the pieces of files: corpora files, or text files of a text a line.

    Raises:
        InputError: a file is at fault, or the tokenizer cannot lose pieces.
    """
    import numpy as np

    from skill_plugin.cli.progress import EncodingProgress
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.store.occurring_pieces import find_in_corpora, find_in_lines
    from skill_plugin.text.trimming.trim_text import trim_text

    progress = EncodingProgress()
    occurring = np.zeros(len(text.vocabulary), np.bool_)
    with progress:
        for file in files:
            if file.suffix in _CORPORA:
                found = find_in_corpora(
                    read_corpora_file(file), text, on_progress=progress.report, on_reading=progress.reading
                )
            else:
                progress.reading(str(file))
                found = find_in_lines(file, text)
            occurring |= found
    return trim_text(text, occurring)


def describe_trimming(trimmed: TrimmedText, width: int | None) -> list[str]:
    """What stayed, what that saves, and how words are spelled whose pieces are gone, a line each.

    Args:
        trimmed: what stayed.
        width: D of the encoder; None if it is not known.
    """
    before, after = len(trimmed.before.vocabulary), len(trimmed.text.vocabulary)
    saved = "" if width is None else f"; the embedding table is {(before - after) * width * 4 / 1e6:,.0f} MB smaller"
    lines = [
        f"trimmed: {after:,} of {before:,} symbols stay ({after / before:.1%}), of which {trimmed.occurring:,} occur in"
        f" the texts and the others spell what does not{saved}"
    ]
    if examples := _respelled(trimmed):
        lines.append(f"in other texts, words are now more pieces, such as {', '.join(examples)}")
    return lines


def _respelled(trimmed: TrimmedText) -> list[str]:
    """Words that were one piece, with those that now spell them; the first of the vocabulary, which are frequent."""
    before, after = trimmed.before, trimmed.text
    assert before.tokenizer is not None
    shown: list[str] = []
    for i, symbol in enumerate(before.vocabulary.symbols):
        if symbol in after.vocabulary or not (word := before.tokenizer.word_of(symbol)):
            continue
        if len(word) < _SHORTEST or not word.isalpha() or before.encode(word).ids.tolist() != [i]:
            continue
        starts = dict.fromkeys(start for start, end in after.encode(word).offsets.tolist() if start < end)
        pieces = [word[start:end] for start, end in itertools.pairwise([*starts, len(word)])]
        shown.append("·".join(pieces))
        if len(shown) == _SHOWN:
            break
    return shown
