"""Embeds the corpora of a data folder by their texts and by models that were trained on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from skill_plugin import api
from skill_plugin.analysis.relatedness.measure import TEXT, Vector
from skill_plugin.analysis.relatedness.task_embedding import task_embedding
from skill_plugin.analysis.relatedness.text_embedding import text_embedding
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.fit_to_data import fit_to_data
from skill_plugin.checkpoints.initial_encoder import build_initial_encoder
from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.data.corpus_examples import CorpusExamples, corpus_examples
from skill_plugin.errors import InputError
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.nn.encoder import Encoder
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.spec.corpus import Corpus
from skill_plugin.store.corpus_store import list_corpora, list_splits, read_corpus_facts, read_corpus_labels
from skill_plugin.store.train_part import count_part
from skill_plugin.trained_model import most_tokens
from skill_plugin.variants.catalogue import MT5
from skill_plugin.variants.t5_shape import T5Shape


@dataclass(frozen=True)
class Reading:
    """What is read of each corpus: rows of its train split.

    Attributes:
        data_bin: the data folder.
        file: the corpora file.
        limit: the most rows of a corpus, drawn as a part for training is; 0 for all.
        seed: of what is drawn.
    """

    data_bin: str
    file: CorporaFile
    limit: int
    seed: int

    def corpora(self) -> tuple[list[str], dict[str, str]]:
        """The corpora that can be read, and why the others cannot.

        Raises:
            InputError: no such folder, or fewer than two corpora can be read.
        """
        there = list_corpora(self.data_bin)
        left_out = {name: "not in the data folder" for name in self.file.corpora if name not in there}
        for name in self.file.corpora:
            if name in there and "train" not in list_splits(self.data_bin, name):
                left_out[name] = "no train split"
        names = [name for name in self.file.corpora if name not in left_out]
        if len(names) < 2:
            raise InputError(f"expected two corpora with a train split or more, found {len(names)}", self.data_bin)
        return names, left_out

    def examples(self, bundle: Bundle, name: str) -> CorpusExamples:
        """The examples of a corpus as a model was trained on them.

        Raises:
            InputError: nothing of it can be learned, or a file is at fault.
        """
        count = partial(self._count, self.file.corpora[name])
        found = corpus_examples(bundle, name, self.data_bin, "train", training=True, seed=self.seed, part=count)
        if found.left_out is not None:
            raise InputError(f"the train split of {name!r} {found.left_out}; leave it out", self.data_bin)
        return found

    def _count(self, corpus: Corpus, rows: int) -> int:
        kept = rows if corpus.train_rows is None else count_part(corpus, corpus.train_rows, rows)
        return min(kept, self.limit or kept)


@dataclass(frozen=True, eq=False)
class PretrainedReader:
    """A pretrained encoder, be it of an mT5, and how it reads the corpora of a data folder.

    Attributes:
        initial: what the file holds, with the data folder's pieces only.
        bundle: as a dense model, or an mT5, that starts from it would have it.
    """

    initial: InitialWeights
    bundle: Bundle

    def encoder(self, device: torch.device) -> Encoder:
        """The encoder in evaluation mode."""
        return build_initial_encoder(self.initial).to(device).eval()


def open_pretrained(file: str, reading: Reading, names: Sequence[str], max_length: int) -> PretrainedReader:
    """Reads the pretrained encoder.

    Raises:
        InputError: it is none, it does not fit the data folder, or has fewer positions than ``max_length``.
    """
    read = read_initial_weights(file)
    if read.bundle is not None:
        raise InputError("is a trained checkpoint; expected the pretrained encoder that models start from", file)
    text, initial = fit_to_data(reading.data_bin, names, read, verify=True)
    assert initial is not None
    if max_length > initial.shape.positions:
        raise InputError(f"--max-length {max_length}: it has positions for {initial.shape.positions} tokens", file)
    bundle = Bundle(
        variant=MT5 if isinstance(initial.shape, T5Shape) else "dense",
        shape=initial.shape,
        corpora_text=reading.file.text,
        corpora_path=str(reading.file.path),
        labels={name: read_corpus_labels(reading.data_bin, reading.file.corpora[name]) for name in names},
        facts={name: read_corpus_facts(reading.data_bin, reading.file.corpora[name]) for name in names},
        max_length=max_length,
        text=text.to_state(),
    )
    return PretrainedReader(initial, bundle)


def embed_texts(
    pretrained: PretrainedReader,
    reading: Reading,
    device: str,
    batch_size: int,
    progress: ProgressCallback,
) -> tuple[dict[str, dict[str, Vector]], dict[str, int]]:
    """TextEmb of each corpus of the bundle, and how many examples it is of; arguments as for ``text_embedding``."""
    place = api.find_device(device)
    encoder = pretrained.encoder(place)
    found: dict[str, dict[str, Vector]] = {}
    read: dict[str, int] = {}
    for name in pretrained.bundle.labels:
        examples = reading.examples(pretrained.bundle, name)
        read[name] = len(examples)
        found[name] = {TEXT: text_embedding(encoder, examples, place, batch_size, most_tokens(place), progress)}
    return found, read


def embed_tasks(
    models: Mapping[str, str], reading: Reading, device: str, progress: ProgressCallback
) -> tuple[dict[str, dict[str, Vector]], dict[str, int]]:
    """TaskEmb of each corpus, and how many examples it is of.

    Args:
        models: the checkpoint that was trained on each corpus.
        reading: what is read of it.
        device: where to run, in torch's words.
        progress: as for ``task_embedding``.

    Raises:
        InputError: a checkpoint is none, or has not learned its corpus.
    """
    found, read = {}, {}
    for name, checkpoint in models.items():
        model = api.load(checkpoint, device)
        if name not in model.corpora:
            raise InputError(f"has not learned {name!r}, only {', '.join(model.corpora)}", checkpoint)
        examples = reading.examples(model.bundle, name)
        read[name] = len(examples)
        found[name] = task_embedding(model, examples, progress)
    return found, read
