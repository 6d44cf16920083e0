"""Raw corpora -> data folder: everything is read and checked, and only if nothing is at fault anything is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.readers.example import Fault, Split
from skill_plugin.readers.read_split import corpus_labels, read_split
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.spec.corpus import SPLITS, Corpus
from skill_plugin.spec.kinds import require_implemented
from skill_plugin.store.corpus_store import corpus_labels_of
from skill_plugin.store.data_folder import NewData
from skill_plugin.store.encode import EncodingPool
from skill_plugin.store.write_corpus import PreparedSplit, write_corpus
from skill_plugin.text.text_encoder import TextEncoder

SHOWN = 20
Progress = Callable[[str, str, int, int], None]


class FaultyCorporaError(InputError):
    """The raw data is at fault; prints as one line a fault, at most 20."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(f"{len(faults)} faults")

    def __str__(self) -> str:
        lines = [str(fault) for fault in self.faults[:SHOWN]]
        if len(self.faults) > SHOWN:
            lines.append(f"and {len(self.faults) - SHOWN:,} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type[FaultyCorporaError], tuple[tuple[Fault, ...]]]:  # type: ignore[override]
        return type(self), (self.faults,)


def prepare_corpora(
    spec: CorporaFile,
    data_bin: str | PathLike[str],
    text_encoder: TextEncoder,
    workers: int = 1,
    on_progress: Progress | None = None,
) -> list[PreparedSplit]:
    """Reads, checks, encodes and stores the corpora of a corpora file.

    Args:
        spec: the corpora to prepare.
        data_bin: the data folder; one that exists and has the same vocabulary keeps its other corpora.
        text_encoder: tokenizer, vocabulary and template.
        workers: processes that tokenise; the files are the same whatever their number.
        on_progress: called with corpus, split, rows done since the last call, and rows in all.

    Returns:
        Counts of each split.

    Raises:
        FaultyCorporaError: the raw data is at fault; nothing was written.
        InputError: a kind of corpus that cannot be prepared, or a data folder that does not fit.
    """
    require_implemented(spec)
    if text_encoder.tokenizer is None:
        raise InputError("the encoder was imported without a tokenizer; name one with --tokenizer and --dict")
    faults: list[Fault] = []
    prepared: list[PreparedSplit] = []
    labels_of: dict[str, tuple[str, ...]] = {}
    with NewData(Path(data_bin), text_encoder) as new, EncodingPool(text_encoder, workers) as pool:
        # corpora that borrow another's labels come after it
        for corpus in sorted(spec.corpora.values(), key=lambda corpus: corpus.shares is not None):
            splits, labels, found = _read(corpus, labels_of, Path(data_bin))
            _check_head(spec, corpus, labels_of, found)
            if not found:
                _check_length(corpus, splits, text_encoder, found)
            faults += found
            if faults:
                continue  # the other corpora are still read, so that all faults are told at once

            def report(split: str, rows: int, name: str = corpus.name, splits: Mapping[str, Split] = splits) -> None:
                if on_progress is not None:
                    on_progress(name, split, rows, len(splits[split].examples))

            folder = new.folder / corpus.name
            prepared += write_corpus(folder, new.dictionary, corpus, splits, labels, pool, text_encoder, report)
        if faults:
            raise FaultyCorporaError(faults)
        new.publish(list(spec.corpora))
    order = list(spec.corpora)
    return sorted(prepared, key=lambda counts: order.index(counts.corpus))


def _read(
    corpus: Corpus, labels_of: dict[str, tuple[str, ...]], data_bin: Path
) -> tuple[dict[str, Split], tuple[str, ...] | None, list[Fault]]:
    """Rows and labels of a corpus; train comes first, since it may be where the labels are from."""
    splits: dict[str, Split] = {}
    labels = corpus.labels
    faults: list[Fault] = []
    for name in sorted(corpus.sources, key=SPLITS.index):
        try:
            if labels is None and name != "train" and "train" not in corpus.sources:
                labels = _borrowed_labels(corpus, labels_of, data_bin)
            splits[name] = read_split(corpus, name, labels)
            if labels is None and name == "train":
                labels = corpus_labels(corpus, splits[name]) or None
        except InputError as error:
            faults.append(Fault(error.file or str(corpus.file), error.line, error.message))
            continue
        faults += splits[name].faults
    if not corpus.sources:
        faults.append(Fault(str(corpus.file), corpus.line, f"corpus {corpus.name!r} has no split"))
    if labels is not None:
        labels_of[corpus.name] = labels
    return splits, labels, faults


def _borrowed_labels(corpus: Corpus, labels_of: Mapping[str, tuple[str, ...]], data_bin: Path) -> tuple[str, ...]:
    """The labels of the corpus with which a corpus without train shares its head, in this run or in the folder."""
    if corpus.shares is not None and corpus.shares in labels_of:
        return labels_of[corpus.shares]
    try:
        return corpus_labels_of(data_bin, corpus)
    except InputError:
        wanted = "name them" if corpus.shares is None else f"name them, or prepare {corpus.shares!r} as well"
        raise InputError(f"corpus {corpus.name!r} has no labels; {wanted}", corpus.file, corpus.line) from None


def _check_head(
    spec: CorporaFile, corpus: Corpus, labels_of: Mapping[str, tuple[str, ...]], faults: list[Fault]
) -> None:
    """Corpora that share a head must have the same labels; those that are read from train are known only here."""
    mine = labels_of.get(corpus.name)
    for name, theirs in labels_of.items():
        if name != corpus.name and mine is not None and spec.corpora[name].head == corpus.head and theirs != mine:
            message = f"corpus {corpus.name!r} shares the head {corpus.head!r} with {name!r}, but has other labels: "
            differing = sorted(set(mine) ^ set(theirs))
            message += ", ".join(differing[:5]) if differing else "another order"
            faults.append(Fault(str(corpus.file), corpus.line, message))
            return


def _check_length(corpus: Corpus, splits: Mapping[str, Split], text_encoder: TextEncoder, faults: list[Fault]) -> None:
    texts = len(next(iter(splits.values())).examples[0].texts)
    special = text_encoder.template.special_tokens(texts)
    if corpus.max_length is not None and corpus.max_length < special:
        message = f"corpus {corpus.name!r}: max_length {corpus.max_length} is less than its {special} special tokens"
        faults.append(Fault(str(corpus.file), corpus.line, message))
