"""Scores a new corpus with every choice of task embedding, before any training on it."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from skill_plugin.analysis.transfer.measure import EmbeddingChoice, EmbeddingTransfer
from skill_plugin.api import Model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.reuse import find_head_misfit
from skill_plugin.errors import InputError, nearest
from skill_plugin.inference.evaluation import evaluate
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.nn.conditional.alignment import SeparateAlignment
from skill_plugin.nn.conditional.encoder import ConditionalEncoder
from skill_plugin.nn.conditional.task_embeddings import TaskEmbedding, TaskEmbeddings, draw_xavier
from skill_plugin.options.pack_size import PACK_SIZE
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.corpus_store import list_corpora, list_splits, read_corpus_facts, read_corpus_labels


def collect_transfer(
    model: Model,
    data_bin: str,
    corpora: str,
    corpus: str,
    head: str | None = None,
    split: str = "valid",
    seed: int = 1,
    batch_size: int = PACK_SIZE,
    progress: ProgressCallback | None = None,
) -> EmbeddingTransfer:
    """Every corpus's embedding, their average, a random one and a Xavier one, each with the same trained head.

    The model gets an embedding and a head for the new corpus, so that afterwards it answers for that as well.

    Args:
        model: a trained model of a conditional variant.
        data_bin: the data folder that has the new corpus.
        corpora: the corpora file that has it.
        corpus: its name.
        head: the corpus of the model whose head answers; None = what the file says by ``head_from`` or ``head``.
        split: train, valid or test.
        seed: seed of the embeddings that are drawn.
        batch_size: sequences in a forward pass.
        progress: told the choice, the number of its batches, and how many of them are done.

    Raises:
        InputError: the model has no task embeddings, or knows the corpus; no trained head with its labels; no such
            corpus or split.
    """
    encoder = model.model.encoder
    if not isinstance(encoder, ConditionalEncoder):
        raise InputError(f"this {model.bundle.variant} model has no task embeddings; expected a checkpoint of ca_mtl")
    if isinstance(encoder.alignment, SeparateAlignment):
        message = "each corpus of this model has an alignment of its own, which a new one has not; expected one for all"
        raise InputError(message)
    bundle, answering = _with_corpus(model.bundle, data_bin, corpora, corpus, head)
    if split not in list_splits(data_bin, corpus):
        raise InputError(f"corpus {corpus!r} has no {split} split", data_bin)
    table, width = encoder.task_embeddings, model.bundle.shape.width
    choices = _choices(table, width, seed)
    row = TaskEmbedding(width).to(model.device)
    table.rows[bundle.active_set(corpus).embedding] = row
    model.model.heads[bundle.corpus(corpus).head] = model.model.heads[model.bundle.corpus(answering).head]
    tried = Model(bundle, model.model, model.device)
    starts, n, metric = [], 0, bundle.corpus(corpus).metric
    for title, embedding_from, z in choices:
        with torch.no_grad():
            row.weight.copy_(z)

        def told(_: str, batches: int, done: int, title: str = title) -> None:
            if progress is not None:
                progress(title, batches, done)

        result = evaluate(tried, data_bin, split, batch_size, progress=told).results.corpora[corpus]
        starts.append(EmbeddingChoice(title, embedding_from, result.value))
        n = result.n
    (one,) = bundle.metrics()
    starts.sort(key=lambda start: -start.value if one.metric.higher_is_better else start.value)
    return EmbeddingTransfer(corpus, answering, split, metric, n, starts)


def _choices(table: TaskEmbeddings, width: int, seed: int) -> list[tuple[str, tuple[str, ...] | str, Tensor]]:
    """Title, ``embedding_from`` and z [D] of each choice, in the order of table 3.8."""
    known = {name: row.get_parameter("weight").detach().cpu().clone() for name, row in table.rows.items()}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        drawn = TaskEmbedding(width).weight.detach(), draw_xavier(len(known) + 1, width)
    choices: list[tuple[str, tuple[str, ...] | str, Tensor]] = [(name, (name,), z) for name, z in known.items()]
    if len(known) > 1:
        choices.append(("average of all", tuple(known), torch.stack(list(known.values())).mean(0)))
    return [*choices, ("random draw", "random", drawn[0]), ("Xavier draw", "xavier", drawn[1])]


def _with_corpus(trained: Bundle, data_bin: str, corpora: str, name: str, head: str | None) -> tuple[Bundle, str]:
    """A bundle of the new corpus alone, and the trained corpus whose head answers for it."""
    if name in trained.labels:
        raise InputError(f"the checkpoint has learned {name!r}; expected a corpus that is new to it")
    file = read_corpora_file(corpora, [name])
    corpus = file.corpora[name]
    if name not in list_corpora(data_bin):
        raise InputError(f"has no corpus {name!r}{nearest(name, list_corpora(data_bin))}", data_bin)
    if head is None and corpus.head_from is not None:
        head, *others = corpus.head_from.corpora
        if others:
            raise InputError(
                f"corpus {name!r}: head_from is a mean of several; name one with --head",
                file.path,
                corpus.head_from.line,
            )
    if head is None:
        head = next((other for other in trained.labels if trained.corpus(other).head == corpus.head), None)
    if head is None:
        raise InputError(
            f"corpus {name!r} has no trained head, and an untrained one would rank noise: name a corpus of the "
            "checkpoint with equal labels by --head or head_from",
            file.path,
            corpus.line,
        )
    bundle = replace(
        trained,
        corpora_text=file.text,
        corpora_path=str(file.path),
        labels={name: read_corpus_labels(data_bin, corpus)},
        facts={name: read_corpus_facts(data_bin, corpus)},
    )
    if fault := find_head_misfit(bundle, name, trained, head):
        raise InputError(f"--head {head}: the checkpoint has {fault}")
    return bundle, head
