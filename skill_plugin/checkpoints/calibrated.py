"""Writes calibrations into a checkpoint, which stays what it is otherwise: a run goes on from it as before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import parse_checkpoint
from skill_plugin.kinds.calibration import Calibration
from skill_plugin.weights.torch_file import load_torch_file, write_torch_file


def write_calibrated(checkpoint: Path, calibrations: Mapping[str, Calibration], out: Path) -> None:
    """Writes a checkpoint with calibrations of some corpora; those of others stay.

    Args:
        checkpoint: a trained one.
        calibrations: of some of its corpora.
        out: where to write; may be the checkpoint itself.

    Raises:
        InputError: no such checkpoint, or it cannot be written.
    """
    content = load_torch_file(checkpoint)
    bundle: Bundle = parse_checkpoint(content, checkpoint).bundle
    bundle = replace(bundle, calibrations={**bundle.calibrations, **calibrations})
    state = {**content["task_state"], "bundle": bundle.to_state()}
    write_torch_file({**content, "task_state": state}, out)
