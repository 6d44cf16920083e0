"""Counts which experts of a trained model serve the corpora of a data folder.

Axes: L layers that have experts, E experts of a layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from skill_plugin.analysis.collected import Collected
from skill_plugin.analysis.usage.measure import CorpusUsage, ExpertUsage
from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.errors import InputError
from skill_plugin.inference.chosen_rows import count_chosen_rows
from skill_plugin.inference.common_splits import nothing_to
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.inference.read_packs import find_readable_splits, read_packs
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.experts.feed_forward import ExpertFeedForward
from skill_plugin.options.pack_size import PACK_SIZE
from skill_plugin.variants.catalogue import VARIANTS


def collect_usage(
    model: Model,
    data_bin: str,
    split: str = "valid",
    only: Sequence[str] | None = None,
    limit: int = 0,
    batch_size: int = PACK_SIZE,
    max_tokens: int | None = None,
    progress: ProgressCallback | None = None,
) -> Collected[ExpertUsage]:
    """Sends every corpus that has the split through the encoder, with its own gate, and counts the experts' tokens.

    A split without answers will do. Hidden tokens of a masked_lm corpus are those that ``evaluate`` hides.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        only: names of corpora; None for all of the model.
        limit: rows of a corpus, spread evenly over its split; 0 for all.
        batch_size, max_tokens: as for ``read_packs``.
        progress: told how far it is.

    Raises:
        InputError: the model has no experts or not such a corpus, no such folder, nothing to read, or a file of the
            folder is at fault.
    """
    layers = expert_layers(model)
    splits, left_out = find_readable_splits(model, data_bin, split, only)
    if not splits:
        raise nothing_to("count", left_out, data_bin)
    corpora = {
        name: _corpus_usage(model, list(layers.values()), examples, limit, batch_size, max_tokens, progress)
        for name, examples in splits.items()
    }
    per_token = next(iter(layers.values())).per_token
    return Collected(ExpertUsage(model.bundle.variant, split, tuple(layers), per_token, corpora), left_out)


def expert_layers(model: Model) -> dict[int, ExpertFeedForward]:
    """The layers that have experts, by their numbers from 0 at the bottom of the encoder.

    Raises:
        InputError: there are none.
    """
    slots = {index: layer.get_submodule("feed_forward") for index, layer in enumerate(_encoder(model).layers)}
    layers = {index: slot for index, slot in slots.items() if isinstance(slot, ExpertFeedForward)}
    if not layers:
        having = ", ".join(name for name, variant in VARIANTS.items() if variant.experts is not None)
        raise InputError(f"this {model.bundle.variant} model has no experts; expected a checkpoint of {having}")
    return layers


def _encoder(model: Model) -> Encoder:
    return model.model.encoder


@torch.no_grad()
def _corpus_usage(
    model: Model,
    layers: Sequence[ExpertFeedForward],
    examples: CorpusExamples,
    limit: int,
    batch_size: int,
    max_tokens: int | None,
    progress: ProgressCallback | None,
) -> CorpusUsage:
    counts = torch.zeros(len(layers), len(layers[0].experts), dtype=torch.int64, device=model.device)
    tokens = 0
    for batch in read_packs(model, examples, limit, batch_size, max_tokens, progress):
        encoded = _encoder(model)(batch)  # heads have no experts
        chosen = torch.stack([routing.experts.flatten() for routing in encoded.routings])
        counts.scatter_add_(1, chosen, torch.ones_like(chosen))
        tokens += len(batch.tokens)
    language = model.bundle.corpus(examples.name).language
    return CorpusUsage(language, count_chosen_rows(examples, limit), tokens, counts.cpu().numpy())
