"""Collects covariances at the input of an encoder's first layer, over the corpora of a data folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from skill_plugin.analysis.collected import Collected
from skill_plugin.analysis.covariance.measure import CovarianceComparison, CovarianceSimilarity, Matrix
from skill_plugin.api import Model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.cut_to_pieces import cut_to_pieces
from skill_plugin.checkpoints.initial_encoder import build_initial_encoder
from skill_plugin.checkpoints.initial_weights import read_initial_weights
from skill_plugin.errors import InputError
from skill_plugin.inference.common_splits import join_reasons
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.inference.read_packs import find_readable_splits, read_packs
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.options.pack_size import PACK_SIZE


@dataclass(frozen=True)
class _Source:
    """An encoder, and the bundle that says what a corpus activates in it; None for a plain one, where nothing does."""

    file: str
    encoder: Encoder
    bundle: Bundle | None

    @property
    def width(self) -> int:
        """D."""
        return int(self.encoder.get_parameter("embeddings.tokens.weight").shape[1])

    def has(self, corpus: str) -> bool:
        """Whether it can read the corpus."""
        return self.bundle is None or corpus in self.bundle.labels

    def gram(self, corpus: str, batch: PackedBatch) -> Matrix:
        """X^T X [D, D] of a batch of the corpus."""
        if self.bundle is not None:
            active = self.bundle.active_set(corpus)
            batch = replace(batch, segments=[replace(segment, active=active) for segment in batch.segments])
        x = self.encoder.below_layers(batch).hidden.double()
        return np.asarray((x.T @ x).cpu().numpy(), np.float64)


def collect_covariance(
    model: Model,
    file: str,
    data_bin: str,
    before: str | None = None,
    single: Mapping[str, str] | None = None,
    split: str = "valid",
    only: Sequence[str] | None = None,
    limit: int = 0,
    batch_size: int = PACK_SIZE,
    progress: ProgressCallback | None = None,
) -> Collected[CovarianceComparison]:
    """Sends every corpus that has the split to the first layer's input: embeddings, and alignment where there is one.

    Every token is a row of X: it is one of the layer's inputs. A split without answers will do.

    Args:
        model: the trained model.
        file: its name, to be shown.
        data_bin: a data folder.
        before: an encoder file or a checkpoint to compare with, over the same sequences; None for none.
        single: corpus -> checkpoint of a model that was trained on it alone, for all corpora that are read: each is
            sent through its own (CA-MTL, section 3.5.2). None for no such comparison.
        split: train, valid or test.
        only: names of corpora; None for all of the model.
        limit: rows of a corpus, spread evenly over its split; 0 for all.
        batch_size: as for ``read_packs``.
        progress: told how far it is.

    Raises:
        InputError: models or folder are at fault or do not fit one another, or fewer than two corpora are left.
    """
    shared = {"after": _Source(file, model.model.encoder, model.bundle)}
    if before is not None:
        shared = {"before": _other(before, model), **shared}
    splits, left_out = find_readable_splits(model, data_bin, split, only)
    for name in list(splits):
        if any(not source.has(name) for source in shared.values()):
            left_out[name] = f"not a corpus of {before}"
            del splits[name]
        elif single and name not in single:
            left_out[name] = "no model of it alone was named"
            del splits[name]
    if len(splits) < 2:
        why = f"; {join_reasons(left_out)}" if left_out else ""
        raise InputError(f"expected two corpora or more to compare, found {len(splits)}{why}", data_bin)
    files = {title: source.file for title, source in shared.items()}
    if single:
        files = {"single": "each corpus by its own model", **files}
    tokens: dict[str, int] = {}
    grams: dict[str, list[Matrix]] = {title: [] for title in files}
    for name, examples in splits.items():
        sources = {"single": _alone(single[name], name, model), **shared} if single else shared
        packs = read_packs(model, examples, limit, batch_size, progress=progress)
        tokens[name], found = _sum_grams(sources, name, packs)
        for title, gram in found.items():
            grams[title].append(gram)
    models = {title: CovarianceSimilarity.of(file, grams[title]) for title, file in files.items()}
    return Collected(CovarianceComparison(split, tokens, models), left_out)


def _alone(file: str, corpus: str, model: Model) -> _Source:
    """The model that was trained on one corpus.

    Raises:
        InputError: it was not, or as ``_other``.
    """
    found = _other(file, model)
    if not found.has(corpus):
        raise InputError(f"was not trained on {corpus}", file)
    return found


def _other(file: str, model: Model) -> _Source:
    """An encoder to compare with, on the model's device.

    Raises:
        InputError: it reads other pieces, or shorter sequences.
    """
    initial = read_initial_weights(file)
    ours = model.bundle.text_encoder
    try:
        initial = initial if initial.text is None else cut_to_pieces(initial, ours, "the trained model")
    except InputError:
        raise InputError("its vocabulary is not that of the trained model", file) from None
    if initial.shape.vocabulary != len(ours.vocabulary):
        raise InputError("its vocabulary is not that of the trained model", file)
    if initial.shape.positions < model.bundle.shape.positions:
        raise InputError(
            f"it has {initial.shape.positions} positions, the trained model {model.bundle.shape.positions}", file
        )
    encoder = build_initial_encoder(initial).to(model.device).eval()
    return _Source(file, encoder, initial.bundle)


@torch.no_grad()
def _sum_grams(
    sources: Mapping[str, _Source], corpus: str, packs: Iterable[PackedBatch]
) -> tuple[int, dict[str, Matrix]]:
    """How many tokens a corpus has, and their X^T X [D, D] for each encoder."""
    tokens, sums = 0, {title: np.zeros((source.width, source.width)) for title, source in sources.items()}
    for batch in packs:
        tokens += len(batch.tokens)
        for title, source in sources.items():
            sums[title] += source.gram(corpus, batch)
    return tokens, sums
