"""What ``--init-from`` names: weights of a pretrained encoder or of a trained checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import is_checkpoint, parse_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import name_in_model
from skill_plugin.pretrained.load_encoder import load_encoder_file, parse_encoder
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.model_shape import ModelShape
from skill_plugin.weights.torch_file import load_torch_file


@dataclass(frozen=True)
class InitialWeights:
    """What a model may start from.

    Attributes:
        file: where it was read.
        shape: sizes of its model.
        text: its tokenizer and vocabulary, where the file has them.
        state: weights by the names of ``MultitaskModel.state_dict``, dense layers where the file holds a plain encoder,
            adapters merged into what they adapt; beside it a plain encoder's masked-LM head under ``masked_lm.``, whose
            parts are named as in ``MaskedLmHead``, its pooler and its next-sentence head (``encoder_file.HEADS``).
        bundle: the bundle of a trained checkpoint; None for a plain encoder.
    """

    file: str
    shape: ModelShape
    text: TextEncoder | None
    state: Mapping[str, Tensor]
    bundle: Bundle | None = None


def read_initial_weights(file: str) -> InitialWeights:
    """Reads an imported encoder, fairseq's RoBERTa or XLM-R ``model.pt``, or a checkpoint of this plugin.

    Raises:
        InputError: no such file, or none of these.
    """
    if not Path(file).exists():
        raise InputError("no such file", file)
    path = Path(file)
    content = load_torch_file(path) if path.is_file() else None
    if is_checkpoint(content):
        trained = parse_checkpoint(content, file).merged()
        bundle: Bundle = trained.bundle
        return InitialWeights(file, bundle.shape, bundle.text_encoder, trained.plain_state(), bundle)
    encoder = load_encoder_file(file) if content is None else parse_encoder(content, path)
    state = {name_in_model(name): tensor for name, tensor in encoder.state.items()}
    return InitialWeights(file, encoder.shape, encoder.text, state)
