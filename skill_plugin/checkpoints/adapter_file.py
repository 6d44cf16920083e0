"""The file of an adapter: what a run with ``--lora-rank`` has trained, to be put on its base again.

It holds the adapters, the heads and whatever else trained (gates), and of the base no more than its fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from torch import Tensor

from skill_plugin.checkpoints.base_fingerprint import base_fingerprint
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import ADAPTER_FORMAT, Checkpoint
from skill_plugin.checkpoints.cut_to_pieces import cut_to_pieces
from skill_plugin.checkpoints.initial_weights import InitialWeights, read_initial_weights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.errors import InputError
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.parameter_names import is_base
from skill_plugin.weights.torch_file import load_torch_file, write_torch_file
from skill_plugin.weights.undamaged import checked_weights, damage_named

VERSION = 1


@dataclass(frozen=True)
class Adapter:
    """An adapter without its base.

    Attributes:
        bundle: bundle of the run; without tokenizer and vocabulary where the base is to bring them.
        text: fingerprint of the run's tokenizer and vocabulary.
        state: all that trained, by the names of ``MultitaskModel.state_dict``.
        shares: what the run had trained on; None where that is not known.
    """

    bundle: Bundle
    text: str
    state: Mapping[str, Tensor]
    shares: TrainingShares | None = None


def extract_adapter(trained: Checkpoint, file: str | PathLike[str], with_tokenizer: bool = False) -> Adapter:
    """Takes the adapter out of a checkpoint.

    Args:
        trained: what the checkpoint holds.
        file: the checkpoint, for messages.
        with_tokenizer: keep tokenizer and vocabulary, for a base that has none or others.

    Raises:
        InputError: it has no adapter.
    """
    bundle = trained.bundle
    if not bundle.lora.rank:
        raise InputError("has no adapter: trained without --lora-rank, or merged", file)
    state = {name: tensor.clone() for name, tensor in trained.state.items() if not is_base(name)}
    return Adapter(
        bundle=bundle if with_tokenizer else replace(bundle, text={}),
        text=bundle.text_encoder.fingerprint(),
        state=state,
        shares=trained.shares,
    )


def save_adapter(adapter: Adapter, path: str | PathLike[str]) -> None:
    """Writes an adapter's file; it is whole or absent.

    Raises:
        InputError: the folder does not exist or cannot be written.
    """
    content = {
        "format": ADAPTER_FORMAT,
        "version": VERSION,
        "bundle": adapter.bundle.to_state(),
        "text": adapter.text,
        "model": dict(adapter.state),
        **({} if adapter.shares is None else {"shares": adapter.shares.to_state()}),
    }
    write_torch_file(content, Path(path))


def read_adapter(file: str | PathLike[str]) -> Adapter:
    """What ``save_adapter`` wrote.

    Raises:
        InputError: no such file, or something else.
    """
    content: Any = load_torch_file(Path(file))
    if not isinstance(content, dict) or content.get("format") != ADAPTER_FORMAT:
        raise InputError("not an adapter: `skill-plugin adapter extract` writes one", file)
    if content.get("version") != VERSION:
        raise InputError(f"written by another version of skill_plugin (adapter {content.get('version')})", file)
    with damage_named(file):
        state = checked_weights(content["model"], file)
        shares = TrainingShares.from_state(content["shares"]) if "shares" in content else None
        return Adapter(Bundle.from_state(content["bundle"], str(file)), content["text"], state, shares)


def put_on_base(file: str | PathLike[str], base: str | PathLike[str]) -> Checkpoint:
    """Puts an adapter on its base, which gives the model as the run that trained the adapter had it.

    Args:
        file: the adapter's.
        base: what the run had as ``--init-from``: a pretrained encoder or a checkpoint.

    Raises:
        InputError: a file is at fault, or it is another base.
    """
    adapter = read_adapter(file)
    if not Path(base).exists():
        raise InputError("no such file", base)
    initial = read_initial_weights(str(base))
    if adapter.bundle.text and initial.text is not None and _is_cut(own := adapter.bundle.text_encoder, initial.text):
        initial = cut_to_pieces(initial, own, str(file))
    bundle = replace(adapter.bundle, text=adapter.bundle.text or _text_of(initial, adapter, file))
    model = build_model(bundle)
    try:
        initialise_from(model, initial)
    except InputError as error:
        raise InputError(f"not the base of {file}: {error.message}", base) from None
    if base_fingerprint(model) != bundle.base:
        raise InputError(f"not the base of {file}: its weights are not those that the adapter was trained beside", base)
    return Checkpoint(bundle, {**model.state_dict(), **adapter.state}, adapter.shares)


def _is_cut(text: TextEncoder, of: TextEncoder) -> bool:
    """Whether the vocabulary of a run on trimmed data was cut out of another."""
    return len(text.vocabulary) < len(of.vocabulary) and of.vocabulary.rows_of(text.vocabulary) is not None


def _text_of(initial: InitialWeights, adapter: Adapter, file: str | PathLike[str]) -> Mapping[str, Any]:
    """Tokenizer and vocabulary of the base."""
    hint = "`skill-plugin adapter extract --with-tokenizer` keeps the adapter's own"
    if initial.text is None:
        raise InputError(f"brings no tokenizer for {file}: {hint}", initial.file)
    if initial.text.fingerprint() != adapter.text:
        raise InputError(f"has another tokenizer or vocabulary than {file} was trained with: {hint}", initial.file)
    return initial.text.to_state()
