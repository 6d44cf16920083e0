"""Splits of a data folder as packs, for analyses that ask how a model reads them and not what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.inference.chosen_rows import choose_rows
from skill_plugin.inference.common_splits import find_common_splits
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.options.pack_size import PACK_SIZE
from skill_plugin.sampling.passes import cut_batches


def find_readable_splits(
    model: Model, data_bin: str, split: str, only: Sequence[str] | None = None
) -> tuple[dict[str, CorpusExamples], dict[str, str]]:
    """The corpora that model and folder have in common, with answers or without, and why others are left out.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        only: names of corpora; None for all of the model.

    Raises:
        InputError: the model has not such a corpus, no such folder, or a file of the folder is at fault.
    """
    return find_common_splits(
        model, data_bin, split, lambda found: None if found.lengths.any() else "holds nothing to read", only
    )


def read_packs(
    model: Model,
    examples: CorpusExamples,
    limit: int = 0,
    batch_size: int = PACK_SIZE,
    max_tokens: int | None = None,
    progress: ProgressCallback | None = None,
) -> Iterator[PackedBatch]:
    """The sequences of a split, similar lengths together. What a masked_lm corpus hides is hidden here too.

    Args:
        model: reads the packs, and has them on its device.
        examples: the examples of the split.
        limit: rows, spread evenly over the split; 0 for all.
        batch_size: the most sequences of a pack.
        max_tokens: the most tokens of one; None for what suits the device.
        progress: told the corpus, the number of its batches, and how many of them are done, after each pack.
    """
    rows = choose_rows(examples, limit)
    most = max_tokens or model.max_tokens
    batches = cut_batches(rows, examples.lengths, batch_size, most, examples.sequence_counts)
    for done, batch in enumerate(batches, 1):
        sequences = [sequence for row in batch for sequence in _sequences(examples, int(row))]
        lengths = np.array([len(sequence.tokens) for sequence in sequences], np.int64)
        for part in cut_batches(np.arange(len(sequences), dtype=np.int64), lengths, batch_size, most):
            members = [sequences[int(i)] for i in part]
            active = model.active_set(examples.name)
            packed = pack([(active, examples.head, members)], model.bundle.reads_token_types)
            yield packed.to(model.device)
            if progress is not None:
                progress(examples.name, len(batches), done)


def _sequences(examples: CorpusExamples, row: int) -> Sequence[EncodedSequence]:
    """The sequences of a row as ``examples.example`` gives them, without the answer, which it may not have."""
    sequences = examples.items.sequences(examples.split[row])
    masked = examples.items.masked(sequences, np.random.default_rng([examples.seed, 0, row]))
    return sequences if masked is None else masked[0]
