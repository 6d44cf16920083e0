"""Which corpora of a checkpoint a new run leaves as they are: those that use nothing that it trains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torch import nn

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.origin import list_modules
from skill_plugin.checkpoints.reuse import find_head_misfit
from skill_plugin.variants.parameter_names import head_of, is_active


def find_untrained(bundle: Bundle, name: str, trained: Bundle) -> str | None:
    """Why a checkpoint cannot answer for one of its corpora that a new run does not train on; None where it can.

    What is returned completes a message such as "<file> has …".

    Args:
        bundle: bundle of the new run.
        name: a corpus of both.
        trained: bundle of the checkpoint.
    """
    if bundle.variant != trained.variant:
        return f"the variant {trained.variant}"
    if trained.corpus(name).head != bundle.corpus(name).head:
        return f"{name!r} with the head {trained.corpus(name).head!r}"
    ours, theirs = bundle.active_set(name), trained.active_set(name)
    if (ours.gate, ours.embedding) != (theirs.gate, theirs.embedding):
        return f"{name!r} with the gate or task embedding of {theirs.gate!r}"
    return find_head_misfit(bundle, name, trained, name)


def find_moved(model: nn.Module, bundle: Bundle, trained: Iterable[str], old: Bundle) -> dict[str, list[str]]:
    """Each corpus of a checkpoint, and the modules of the encoder, or its head, that it uses and the run trains.

    Args:
        model: the ``MultitaskModel`` of the new run, whose frozen parameters have no gradient.
        bundle: its bundle.
        trained: corpora that the run trains on.
        old: bundle of the checkpoint, of the same variant.
    """
    uses = [(bundle.active_set(name), bundle.corpus(name).head) for name in trained]
    moved = [
        name
        for name, parameter in model.named_parameters()
        if parameter.requires_grad and any(is_active(name, active, head) for active, head in uses)
    ]
    return {
        corpus: list_modules([n for n in moved if is_active(n, old.active_set(corpus), old.corpus(corpus).head)])
        for corpus in old.labels
    }


def moved_lines(moved: Mapping[str, list[str]]) -> list[str]:
    """What of it is to be told."""
    kept = [corpus for corpus, modules in moved.items() if not modules]
    lines = [
        f"corpora of the file of which nothing is trained, so that they stay bit by bit: {', '.join(kept) or 'none'}"
    ]
    if others := [corpus for corpus, modules in moved.items() if modules]:
        shared = sorted({module for corpus in others for module in moved[corpus]})
        heads = [module for module in shared if head_of(f"{module}.")]
        shown = [module for module in shared if module not in heads][:3] + heads
        more = "" if len(shown) == len(shared) else ", …"
        lines.append(f"corpora of the file that change: {', '.join(others)} (trained: {', '.join(shown)}{more})")
    return lines
