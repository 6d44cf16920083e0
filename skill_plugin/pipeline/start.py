"""What ``--encoder`` names: where a run starts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skill_plugin.errors import InputError
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.variants.catalogue import MT5
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape
from skill_plugin.variants.named_sizes import name_of
from skill_plugin.variants.t5_shape import T5_SIZES, T5Shape

if TYPE_CHECKING:
    from skill_plugin.checkpoints.bundle import Bundle

NONE = "none"  # random weights
_RANDOM = EncoderShape(**vars(SIZES["tiny"]), vocabulary=8000)  # where nothing says otherwise


@dataclass(frozen=True)
class Start:
    """An encoder, or random weights.

    Attributes:
        path: the file or folder; None for random weights.
        size: one of the names of ``encoder_shape.SIZES``.
        positions: how many tokens a sequence may have at most.
        vocabulary: how many pieces the vocabulary has.
        variant: of a trained checkpoint, or of mT5; None for a plain encoder.
        text: its tokenizer; None where it has none.
        bundle: of a trained checkpoint.
    """

    path: Path | None
    size: str
    positions: int
    vocabulary: int
    variant: str | None = None
    text: TextEncoder | None = None
    bundle: Bundle | None = None

    @property
    def corpora(self) -> Collection[str]:
        """Those of a trained checkpoint."""
        return () if self.bundle is None else self.bundle.labels

    @property
    def is_imported_first(self) -> bool:
        """Whether it is a folder, of Hugging Face's or fairseq's."""
        return self.path is not None and self.path.is_dir()


def read_start(encoder: Path) -> Start:
    """Looks at an encoder, without its weights where that is possible.

    Raises:
        InputError: no such file or folder, none that can be read, or no size that has a name.
    """
    if not encoder.exists():
        raise InputError("--encoder: no such file or folder", encoder)
    if encoder.is_dir() and not (encoder / "model.pt").is_file():
        from skill_plugin.pretrained import huggingface, mt5
        from skill_plugin.pretrained.hub_config import HubConfig

        config = encoder / "config.json"
        if not config.is_file():
            raise InputError("expected a Hugging Face folder, with config.json, weights and a tokenizer", encoder)
        hub = HubConfig(config)
        if hub.is_mt5:
            text, _ = mt5.read_text(encoder, hub.t5_shape(), hub)
            return _t5_start(hub.t5_shape(), encoder, text)
        found, _ = hub.encoder_config()
        text, _ = huggingface.read_text(encoder, found, hub)
        return Start(encoder, _named(found.shape.size, SIZES, encoder), found.positions, found.vocabulary, text=text)
    from skill_plugin.checkpoints.initial_weights import read_initial_weights

    initial = read_initial_weights(str(encoder))
    shape, bundle = initial.shape, initial.bundle
    if isinstance(shape, T5Shape):
        return _t5_start(shape, encoder, initial.text, bundle)
    variant = None if bundle is None else bundle.variant
    name = _named(shape.size, SIZES, encoder)
    return Start(encoder, name, shape.positions, shape.vocabulary, variant, initial.text, bundle)


def random_start(given: Mapping[str, Sequence[str]]) -> Start:
    """Random weights, of the size that ``--arch`` names among options of ``fairseq-train``, else a tiny model's."""
    named = "".join(given.get("--arch", ())).rpartition("_")[2]
    size = named if named in SIZES else name_of(_RANDOM.size, SIZES)
    assert size is not None
    return Start(None, size, _RANDOM.positions, _RANDOM.vocabulary)


def _named(size: object, names: Mapping[str, object], encoder: Path) -> str:
    name = name_of(size, names)
    if name is None:
        raise InputError(f"has {size}, which is none of the sizes that architectures have", encoder)
    return name


def _t5_start(shape: T5Shape, encoder: Path, text: TextEncoder | None, bundle: Bundle | None = None) -> Start:
    size = _named(shape.size, T5_SIZES, encoder)
    return Start(encoder, size, shape.positions, shape.vocabulary, MT5, text, bundle)
