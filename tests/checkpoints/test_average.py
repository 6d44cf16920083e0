"""Means of checkpoints, against torch; what does not belong together is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.checkpoints.average import average_checkpoints, latest_checkpoints
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint, save_checkpoint
from skill_plugin.errors import InputError
from skill_plugin.kinds.calibration import Calibration
from skill_plugin.sampling.training_shares import TrainingShares
from tests.checkpoints.test_reuse import TRAINED, bundle, section

Command = Callable[..., tuple[int, str, str]]


def save(path: Path, seed: int, bundle: Bundle = TRAINED) -> Path:
    torch.manual_seed(seed)
    state = {name: torch.randn_like(tensor) for name, tensor in build_model(bundle).state_dict().items()}
    torch.manual_seed(0)
    state["encoder.embeddings.tokens.weight"] = torch.randn(6, 16)  # frozen, the same in all
    shares = TrainingShares(list(bundle.labels), [50] * len(bundle.labels))
    batches = np.full(len(bundle.labels), float(seed))
    shares.add(np.full(len(bundle.labels), 1 / len(bundle.labels)), batches, 4 * batches)
    save_checkpoint(Checkpoint(bundle, state, shares), path)
    return path


def test_the_mean_is_torchs_and_what_is_equal_stays(tmp_path: Path, command: Command) -> None:
    calibrated = replace(TRAINED, calibrations={"rte": Calibration(2.0)})
    files = [save(tmp_path / f"checkpoint_1_{number}.pt", number, calibrated) for number in (5, 10, 20, 100)]
    status, out, err = command("average", *files[1:], tmp_path / "mean.pt")
    assert status == 0, err
    assert out.startswith(f"wrote {tmp_path / 'mean.pt'}, the mean of {files[1]}, ")
    found = read_checkpoint(tmp_path / "mean.pt")
    states = [read_checkpoint(file).state for file in files[1:]]
    for name, tensor in found.state.items():
        expected = torch.stack([state[name].double() for state in states]).mean(0).float()
        torch.testing.assert_close(tensor, expected, rtol=1e-7, atol=1e-8)
    name = "encoder.embeddings.tokens.weight"
    assert torch.equal(found.state[name], states[0][name])
    assert found.bundle == TRAINED
    # what the last of them had trained on, whatever the order in which they are named
    assert found.shares is not None and {one.batches for one in found.shares.run().values()} == {100}
    first = average_checkpoints(files[::-1]).shares
    assert first is not None and first.run() == found.shares.run()
    torch.load(tmp_path / "mean.pt", weights_only=True)
    (tmp_path / "checkpoint_last.pt").write_bytes(files[0].read_bytes())
    assert command("average", "--last", 3, tmp_path, tmp_path / "last.pt")[0] == 0
    assert all(torch.equal(one, found.state[name]) for name, one in read_checkpoint(tmp_path / "last.pt").state.items())
    status, _, err = command("average", "--last", 9, tmp_path, tmp_path / "none.pt")
    assert (status, "has 4 numbered checkpoints, expected 9" in err) == (1, True)
    assert command("average", files[0], tmp_path / "none.pt")[0] == 2
    (tmp_path / "link.pt").symlink_to(files[0])
    for again, told in ((files[0], "is named twice"), (tmp_path / "link.pt", f"is the same as {files[0]}")):
        status, _, err = command("average", files[0], files[1], again, tmp_path / "none.pt")
        assert (status, err) == (1, f"{again}: {told}; a mean counts each checkpoint once\n")
    assert not (tmp_path / "none.pt").exists()
    assert not (tmp_path / "none.pt").exists()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (bundle(section("mnli", ("yes", "no", "maybe")), variant="dense"), "another variant or other options"),
        (bundle(section("mnli", ("no", "yes", "maybe"))), "its corpus 'mnli' has other labels"),
        (replace(TRAINED, shape=replace(TRAINED.shape, inner=64)), "other names or sizes"),
    ],
)
def test_other_models_are_refused(other: Bundle, message: str, tmp_path: Path) -> None:
    files = [save(tmp_path / "a.pt", 1), tmp_path / "b.pt"]
    save_checkpoint(Checkpoint(other, build_model(other).state_dict()), files[1])
    with pytest.raises(Exception, match=message) as caught:
        average_checkpoints(files)
    assert str(caught.value).startswith(f"{files[1]}: is not of the same model as {files[0]}: ")


def test_the_latest_are_those_of_updates_where_there_are_some(tmp_path: Path) -> None:
    for name in ("checkpoint9.pt", "checkpoint10.pt", "checkpoint_last.pt", "checkpoint_best_1.5.pt", "other_1_2.pt"):
        (tmp_path / name).touch()
    assert [file.name for file in latest_checkpoints(tmp_path, 2)] == ["checkpoint9.pt", "checkpoint10.pt"]
    for name in ("checkpoint_1_900.pt", "checkpoint_2_1000.pt"):
        (tmp_path / name).touch()
    assert [file.name for file in latest_checkpoints(tmp_path, 2)] == ["checkpoint_1_900.pt", "checkpoint_2_1000.pt"]
    assert [file.name for file in latest_checkpoints(tmp_path, 1)] == ["checkpoint_2_1000.pt"]
    with pytest.raises(InputError, match="has 2 numbered checkpoints, expected 3"):
        latest_checkpoints(tmp_path, 3)
    with pytest.raises(InputError, match="no such folder"):
        latest_checkpoints(tmp_path / "none", 1)
