"""DESIGN, invariant 3: what a batch does not activate stays as it is, in every mode."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.variants.freezing import is_frozen
from skill_plugin.variants.parameter_names import group_of, is_active

pytestmark = pytest.mark.slow
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")
MODES = {
    "float32": (),
    "bf16": ("--autocast", "bf16"),
    "fp16": ("--fp16", "--fp16-no-flatten-grads", "--fp16-init-scale", 4),
    "memory-efficient-fp16": ("--memory-efficient-fp16", "--fp16-init-scale", 4),
    "pytorch_ddp": (*TWO, "--ddp-backend", "pytorch_ddp"),
    "legacy_ddp": (*TWO, "--ddp-backend", "legacy_ddp"),
    "legacy_ddp fp16": (
        *TWO,
        "--ddp-backend",
        "legacy_ddp",
        "--fp16",
        "--fp16-no-flatten-grads",
        "--fp16-init-scale",
        4,
    ),
}


# each mode of some variant; all of all are long
ALWAYS = {
    "skillnet_x_ffn_mha": ("float32", "pytorch_ddp", "legacy_ddp fp16"),
    "mt_tag": ("memory-efficient-fp16", "legacy_ddp"),
    "ca_mtl": ("bf16", "fp16"),  # its frozen half too
}


@pytest.mark.parametrize(
    ("variant", "mode"),
    [
        pytest.param(variant, mode, marks=() if mode in always else pytest.mark.long)
        for variant, always in ALWAYS.items()
        for mode in MODES
    ],
)
def test_inactive_skills_and_gates_are_bit_identical(
    variant: str, mode: str, train: Callable[..., Any], tmp_path: Path
) -> None:
    """What a step changes is what the corpora of its batches activate, though the rest has moments to move on."""
    steps, ranks = 6, 2 if "ddp" in mode else 1
    run = train(
        tmp_path,
        *MODES[mode],
        "--weight-decay",
        0.1,
        "--max-update",
        steps,
        "--save-interval-updates",
        1,
        "--disable-validation",
        arch=f"{variant}_tiny",
    )
    saved = [run.checkpoint(f"checkpoint_1_{step}.pt") for step in range(1, steps + 1)]
    bundle = Bundle.from_state(saved[0]["task_state"]["bundle"])
    sets = {name: (bundle.active_set(name), bundle.corpus(name).head) for name in bundle.labels}
    names = [name.removeprefix("model.") for name in saved[0]["model"]]
    active = {corpus: frozenset(name for name in names if is_active(name, *chosen)) for corpus, chosen in sets.items()}
    trained = [name for name in names if not is_frozen(name, bundle.freeze, bundle.shape.layers)]
    with_moments = {trained[index] for index in saved[-1]["last_optimizer_state"]["state"]}
    ever: set[str] = set()
    for before, after in itertools.pairwise(saved):
        changed = {
            name for name in names if not torch.equal(before["model"][f"model.{name}"], after["model"][f"model.{name}"])
        }
        heads = {corpus for corpus, (_, head) in sets.items() if f"heads.{head}.out_proj.bias" in changed}
        assert 1 <= len(heads) <= ranks
        assert changed <= frozenset.union(*(active[corpus] for corpus in heads))
        used = frozenset.union(*(active[corpus] for corpus in heads))
        matrices = {name for name in used if name.endswith("fc1.weight") and group_of(name) != "experts"}
        frozen = {name for name in names if is_frozen(name, bundle.freeze, bundle.shape.layers)}
        assert not frozen & changed and bool(frozen) == (variant == "ca_mtl")
        matrices -= frozen
        rows = {name for name in used if group_of(name) == "gates" or ".task_embeddings." in name}
        assert matrices | rows <= changed
        ever |= changed
    assert ever <= with_moments < set(trained)
