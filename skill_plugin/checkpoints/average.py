"""The mean of checkpoints of one run, or of runs of one model: weights that are often better than any of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint
from skill_plugin.errors import InputError, counted

_NUMBERED = re.compile(r"checkpoint(?:_\d+_)?(\d+)\.pt")  # checkpoint_EPOCH_UPDATE.pt, checkpointEPOCH.pt


def average_checkpoints(files: Sequence[Path]) -> Checkpoint:
    """The mean of the weights of trained checkpoints (Izmailov et al., 2018), each read alone.

    Sums are float64, so that what is the same in all of them, such as what was frozen, stays bit by bit. Calibrations
    are of other weights, and are left out. What was trained on is told of the one that was trained most.

    Args:
        files: two or more, of one model: the same variant, options, corpora, labels and vocabulary.

    Raises:
        InputError: a file is no checkpoint, or another model's.
    """
    first = read_checkpoint(files[0])
    total, shares = {name: tensor.double() for name, tensor in first.state.items()}, [first.shares]
    for file in files[1:]:
        other = read_checkpoint(file)
        if reason := _misfit(first, other):
            raise InputError(f"is not of the same model as {files[0]}: {reason}", file)
        for name, tensor in other.state.items():
            total[name] += tensor
        shares.append(other.shares)
    state = {name: (tensor / len(files)).to(first.state[name].dtype) for name, tensor in total.items()}
    known = [one for one in shares if one is not None]
    return Checkpoint(_told(first.bundle, files), state, max(known, key=lambda one: one.batches, default=None))


def latest_checkpoints(folder: Path, number: int) -> list[Path]:
    """The last checkpoints that a run has kept by their numbers of updates, or else of epochs, the earliest first.

    Raises:
        InputError: there are fewer, or no such folder.
    """
    if not folder.is_dir():
        raise InputError("no such folder", folder)
    found = {file: match for file in folder.iterdir() if (match := _NUMBERED.fullmatch(file.name))}
    by_update = [file for file in found if file.name.count("_") == 2]
    files = sorted(by_update or found, key=lambda file: int(found[file][1]))
    if len(files) < number:
        message = f"has {len(files)} numbered checkpoints, expected {number}; --keep-interval-updates keeps more"
        raise InputError(message, folder)
    return files[-number:]


def _misfit(first: Checkpoint, other: Checkpoint) -> str | None:
    """What makes two checkpoints those of different models."""
    ours, theirs = first.bundle, other.bundle
    if (ours.variant, ours.given()) != (theirs.variant, theirs.given()):
        return "it has another variant or other options"
    for name in dict.fromkeys([*ours.labels, *theirs.labels]):
        if ours.labels.get(name) != theirs.labels.get(name):
            return f"its corpus {name!r} has other labels, or only one of them has it"
    if ours.text_encoder.fingerprint() != theirs.text_encoder.fingerprint():
        return "it has another tokenizer or vocabulary"
    if ours.base != theirs.base:
        return "its adapters were trained beside another base"
    if _sizes(first.state) != _sizes(other.state):
        return "its weights have other names or sizes"
    return None


def _sizes(state: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in state.items()}


def _told(bundle: Bundle, files: Sequence[Path]) -> Bundle:
    line = f"the mean of {counted(len(files), 'checkpoint')}: {', '.join(map(str, files))}"
    origin = None if bundle.origin is None else replace(bundle.origin, lines=[*bundle.origin.lines, line])
    return replace(bundle, origin=origin, calibrations={})
