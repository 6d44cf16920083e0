"""DESIGN, invariants 3 and 6: several ranks compute what one does, and an inactive skill stays as it is."""

from __future__ import annotations

import functools
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
SGD = (
    "--optimizer",
    "sgd",
    "--lr",
    0.5,
    "--dropout",
    0,
    "--attention-dropout",
    0,
    "--head-dropout",
    0,
    "--clip-norm",
    0,
)
TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")


@pytest.fixture(scope="module")
def one_process(train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """A run with ``--update-freq 2``, by variant."""

    @functools.cache
    def run(variant: str) -> Any:
        options = (*SGD, "--update-freq", 2, "--max-update", 6, "--save-interval-updates", 1)
        return train(tmp_path_factory.mktemp(variant), *options, arch=f"{variant}_tiny")

    return run


@pytest.mark.parametrize(
    ("variant", "backend"),
    [
        ("skillnet_x_ffn_mha", "pytorch_ddp"),
        ("skillnet_x_ffn_mha", "legacy_ddp"),
        ("skillnet_x_ffn", "pytorch_ddp"),
        ("mt_tag", "pytorch_ddp"),
        ("mt_tag", "legacy_ddp"),
        ("ca_mtl", "pytorch_ddp"),
        ("ca_mtl", "legacy_ddp"),
    ],
)
def test_two_ranks_are_one_with_update_freq_2(
    variant: str, backend: str, one_process: Callable[[str], Any], train: Callable[..., Any], tmp_path: Path
) -> None:
    """Batches differ in skills, language, gate and head from rank to rank, since each is of one corpus."""
    one = one_process(variant)
    two = train(tmp_path, *SGD, *TWO, "--ddp-backend", backend, "--max-update", 6, arch=f"{variant}_tiny")
    expected, start = one.checkpoint()["model"], one.checkpoint("checkpoint_1_1.pt")["model"]
    for name, tensor in two.checkpoint()["model"].items():
        torch.testing.assert_close(tensor, expected[name], atol=1e-6, rtol=1e-5, msg=name)
    assert max(float((expected[name] - start[name]).abs().max()) for name in expected) > 1e-3
    for key in ("valid_avg", "valid_loss", "valid_nli-en_accuracy"):
        assert float(two.log(key)[-1][key]) == pytest.approx(float(one.log(key)[-1][key]), abs=1e-5)


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


@pytest.mark.parametrize(
    ("variant", "mode"),
    [("skillnet_x_ffn_mha", mode) for mode in MODES]
    + [("mt_tag", mode) for mode in ("float32", "bf16", "memory-efficient-fp16", "pytorch_ddp", "legacy_ddp fp16")]
    + [("ca_mtl", mode) for mode in MODES],  # its frozen half too
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
