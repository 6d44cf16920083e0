"""One multilingual encoder for many NLU corpora at once, trained with fairseq.

Importing the package loads neither torch nor fairseq: ``fairseq-train --user-dir skill_plugin`` registers everything by
itself, and other programs do it with ``import skill_plugin.register``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skill_plugin.api import Model
    from skill_plugin.options.decoding import Decoding

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def load(
    checkpoint: str, device: str = "cpu", adapter: str | None = None, decode: "Decoding" = "constrained"
) -> "Model":
    """The trained model of a checkpoint, ready to predict.

    Args:
        checkpoint: path of a file that ``fairseq-train`` wrote, e.g. ``ckpt/checkpoint_best.pt``.
        device: where to run it, in torch's words (``cpu``, ``cuda``, ``cuda:1``).
        adapter: file of an adapter that ``checkpoint``, a pretrained encoder or a trained model, is the base of.
        decode: how a text-to-text model answers: ``constrained`` chooses among the texts of all answers, by their
            probabilities; ``greedy`` writes the likeliest token after the other, and what is no answer is unreadable.

    Raises:
        InputError: no such file, or not a checkpoint of this plugin, or not the adapter's base; a model with heads that
            is to write.
    """
    from skill_plugin import api

    return api.load(checkpoint, device, adapter, decode)
