"""Makes a data folder of raw corpora. Everything is read and checked first; if there is a fault, nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from skill_plugin.errors import InputError, counted
from skill_plugin.options.max_length import MAX_LENGTH
from skill_plugin.readers.example import Fault, faults_to_tell
from skill_plugin.readers.read_corpus import CorpusData, CorpusReader
from skill_plugin.readers.split_data import SplitData
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.store.data_folder import NewData
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.encoder_faults import find_encoder_faults
from skill_plugin.store.write_corpus import PreparedSplit, write_corpus
from skill_plugin.text.text_encoder import TextEncoder

SHOWN = 20
Progress = Callable[[str, str, int, int], None]
Splits = Mapping[str, SplitData]


class FaultyCorporaError(InputError):
    """The raw data is at fault. Prints one line for each fault, at most 20."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(counted(len(faults), "fault"))

    def __str__(self) -> str:
        told = faults_to_tell(self.faults)
        lines = [str(fault) for fault in told[:SHOWN]]
        if len(told) > SHOWN:
            lines.append(f"and {len(told) - SHOWN:,} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type[FaultyCorporaError], tuple[tuple[Fault, ...]]]:  # type: ignore[override]
        return type(self), (self.faults,)


def prepare_corpora(
    spec: CorporaFile,
    data_bin: str | PathLike[str],
    text_encoder: TextEncoder,
    workers: int = 1,
    on_progress: Progress | None = None,
    on_data: Callable[[CorpusData], None] | None = None,
    on_reading: Callable[[str], None] | None = None,
) -> list[PreparedSplit]:
    """Reads, checks, encodes and stores the corpora of a corpora file.

    Args:
        spec: the corpora to prepare.
        data_bin: the data folder; one that exists and has the same vocabulary keeps its other corpora.
        text_encoder: tokenizer, vocabulary and template.
        workers: the number of processes that tokenise; it does not change the files.
        on_progress: called with corpus, split, the rows done since the last call, and all rows.
        on_reading: called with the name of each corpus, before it is read.
        on_data: called with the rows of each corpus, before they are encoded, as long as nothing is at fault.

    Returns:
        The counts of each split.

    Raises:
        FaultyCorporaError: the raw data is at fault; nothing was written.
        InputError: there is no tokenizer, or the data folder was prepared with another one.
    """
    if text_encoder.tokenizer is None:
        raise InputError("the encoder was imported without a tokenizer; name one with --tokenizer and --dict")
    faults: list[Fault] = []
    prepared: list[PreparedSplit] = []
    reader = CorpusReader(spec)
    with NewData(Path(data_bin), text_encoder) as new, EncodingPool(text_encoder, new.text_folder, workers) as pool:
        for corpus in spec.corpora.values():
            if on_reading is not None:
                on_reading(corpus.name)
            data = reader.read(corpus)
            faults += data.faults
            if not data.faults:
                faults += find_encoder_faults(data, text_encoder, corpus.max_length or MAX_LENGTH)
            if faults:
                continue  # the other corpora are still read, so that all faults are told at once
            if on_data is not None:
                on_data(data)

            def report(split: str, rows: int, name: str = corpus.name, splits: Splits = data.splits) -> None:
                if on_progress is not None:
                    on_progress(name, split, rows, len(splits[split].examples))

            folder = new.folder / corpus.name
            prepared += write_corpus(
                folder, new.text_folder / "dict.txt", corpus, data.splits, data.labels, pool, text_encoder, report
            )
        if faults:
            raise FaultyCorporaError(faults)
        new.publish(list(spec.corpora))
    return prepared
