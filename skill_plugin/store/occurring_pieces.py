"""Finds which pieces of a vocabulary occur in corpora, or in the lines of a text file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skill_plugin.errors import InputError, reason_of
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Fault
from skill_plugin.readers.example_rows import BLOCK
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.readers.row import UnreadableError
from skill_plugin.readers.text_lines import read_lines
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.prepare import FaultyCorporaError, Progress
from skill_plugin.text.answer_targets import pieces_beside_texts
from skill_plugin.text.text_encoder import TextEncoder

Occurring = npt.NDArray[np.bool_]


def find_in_corpora(
    spec: CorporaFile,
    text_encoder: TextEncoder,
    workers: int = 1,
    on_progress: Progress | None = None,
    on_reading: Callable[[str], None] | None = None,
) -> Occurring:
    """Encodes all rows of all splits as ``prepare_corpora`` does.

    Args:
        spec: the corpora.
        text_encoder: tokenizer and vocabulary of V symbols.
        workers: the number of processes that tokenise.
        on_progress, on_reading: as for ``prepare_corpora``.

    Returns:
        bool [V], whether a symbol occurs.

    Raises:
        FaultyCorporaError: the raw data is at fault.
    """
    occurring = np.zeros(len(text_encoder.vocabulary), np.bool_)
    faults: list[Fault] = []
    reader = CorpusReader(spec)
    with tempfile.TemporaryDirectory() as folder:
        text_encoder.save(folder)
        with EncodingPool(text_encoder, Path(folder), workers) as pool:
            for corpus in spec.corpora.values():
                if on_reading is not None:
                    on_reading(corpus.name)
                data = reader.read(corpus)
                faults += data.faults
                if text_encoder.text_to_text and not faults:
                    facts = kind_named(corpus.kind).storage.facts(corpus, data.splits, data.labels)
                    occurring[pieces_beside_texts(corpus, data.labels or (), facts, text_encoder)] = True
                for name, split in () if faults else data.splits.items():
                    for examples, encoded in pool.encode(corpus, split.examples):
                        for ids in encoded.inputs:
                            occurring[ids.flat] = True
                        if on_progress is not None:
                            on_progress(corpus.name, name, len(examples), len(split.examples))
    if faults:
        raise FaultyCorporaError(faults)
    return occurring


def find_in_lines(path: Path, text_encoder: TextEncoder) -> Occurring:
    """Encodes the lines of a UTF-8 text file, each a text.

    Returns:
        bool [V], whether a symbol occurs.

    Raises:
        InputError: the file cannot be read, or is not UTF-8.
    """
    occurring = np.zeros(len(text_encoder.vocabulary), np.bool_)
    try:
        every = read_lines(path, "utf-8")
        while lines := list(islice(every, BLOCK)):
            for line in lines:
                if line.problem is not None:
                    raise InputError(line.problem[1], path, line.number)
            occurring[text_encoder.encode_ids([line.text for line in lines]).flat] = True
    except OSError as error:
        raise InputError(reason_of(error), path) from None
    except UnreadableError as error:
        raise InputError(error.message, path, error.line) from None
    return occurring
