"""scripts/two_stage.py: which sweep a command line asks for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skill_plugin.errors import InputError
from skill_plugin.sweeps.plan import make_plan
from skill_plugin.sweeps.planned_run import PlannedRun
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from tests.scripts.conftest import execute

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "two_stage.py"
sys.path.insert(0, str(SCRIPT.parent))
import two_stage  # noqa: E402


def command(made: Any, folder: Path, *more: object) -> list[str]:
    """Three corpora, of which two are in the table."""
    arguments: list[object] = [
        folder, made.data, "--corpora", made.corpora, "--arch", "mt_tag_tiny", "--init-from", made.encoder,
        "--only-corpora", "nli-en,reviews-en,similarity-en", "--targets", "similarity-en,nli-en",
        "--model=--experts 3", *more,
    ]  # fmt: skip
    return [str(argument) for argument in arguments]


def runs(made: Any, folder: Path, *more: object, common: str = "") -> list[PlannedRun]:
    content = two_stage.sweep_of(two_stage.parser().parse_args(command(made, folder, *more)), common.split())
    (folder / "two.yaml").write_text(yaml.safe_dump(content, sort_keys=False, width=1000), encoding="utf-8")
    return list(make_plan(read_sweep_file(folder / "two.yaml"), folder, 1).runs)


def test_the_runs_of_all_stages(made: Any, tmp_path: Path) -> None:
    found = runs(made, tmp_path, "--updates", 30, "--seeds", 7, "--finetune=--lr 2e-5", common="--lr 1e-4 --seed-x 1")
    names = ["single/similarity-en", "single/nli-en", "joint", "finetune/similarity-en", "finetune/nli-en"]
    assert [str(run.folder.relative_to(tmp_path)) for run in found] == [f"seed7/{name}" for name in names]
    single, _, joint, finetune, _ = found
    assert [run.words["--lr"] for run in (single, joint, finetune)] == [("1e-4",), ("1e-4",), ("2e-5",)]
    assert [run.words["--arch"] for run in (single, joint, finetune)] == [
        ("dense_tiny",), ("mt_tag_tiny",), ("mt_tag_tiny",),
    ]  # fmt: skip
    assert "--experts" not in single.words
    assert joint.words["--experts"] == finetune.words["--experts"] == ("3",)
    assert (joint.words["--max-update"], joint.words["--warmup-updates"]) == (("30",), ("3",))
    assert (joint.scored, finetune.scored) == ("checkpoint_last.pt", "checkpoint_best.pt")
    assert finetune.words["--init-from"] == (str(joint.checkpoint),)
    assert (single.words["--max-epoch"], single.words["--patience"]) == (("20",), ("5",))
    # 40 rows less those that no longer count, 32 sentences an update, 20 epochs
    assert int(single.words["--total-num-update"][0]) % 20 == 0


def test_settings_are_those_of_the_paper(made: Any, tmp_path: Path) -> None:
    preset = yaml.safe_load((ROOT / "skill_plugin/pipeline/presets/mt_tag.yaml").read_text())
    content = two_stage.sweep_of(two_stage.parser().parse_args(command(made, tmp_path, "--updates", 70)), [])
    words = f"{content['options']} {content['stages']['joint']['options']}".split()
    for group in ("criterion", "optimization", "dataset", "checkpoint"):
        for key, value in preset[group].items():
            if f"--{key.replace('_', '-')}" in words and key != "max_update":
                expected = str(value[0] if isinstance(value, list) else value)
                assert words[words.index(f"--{key.replace('_', '-')}") + 1] == expected, key
    assert {"--loss-scaling", "--lr", "--clip-norm", "--batch-size", "--save-interval-updates"} <= set(words)


def test_what_options_change(made: Any, tmp_path: Path) -> None:
    (single, _) = runs(made, tmp_path, "--stages", "single", "--patience", 0, "--single-arch", "mt_tag_tiny")
    assert (single.scored, "--patience" in single.words) == ("checkpoint_last.pt", False)
    assert "--disable-validation" in single.words
    assert single.words["--experts"] == ("3",)
    (joint,) = runs(
        made, tmp_path, "--stages", "joint", "--updates", 3, "--joint-best", "--split", "test", "--device", "cpu"
    )
    assert (joint.scored, joint.splits, joint.words["--cpu"]) == ("checkpoint_best.pt", ("test",), ())
    with pytest.raises(InputError, match="--updates N is needed"):
        runs(made, tmp_path, "--stages", "joint")


def test_the_joint_model_is_kept_whatever_starts_from_it(made: Any, tmp_path: Path) -> None:
    for stages, discarded in ((["joint"], set()), (["single", "joint", "finetune"], {"single", "finetune"})):
        runs(made, tmp_path, "--stages", *stages, "--updates", 3, "--discard-models", "--choose", "loss")
        read = read_sweep_file(tmp_path / "two.yaml")
        assert (read.discard, read.choose) == (discarded, "loss")


def test_commands_of_a_dry_run(made: Any, tmp_path: Path) -> None:
    status, out, err = execute(SCRIPT, *command(made, tmp_path, "--updates", 30, "--stages", "joint", "--dry-run"))
    assert (status, err) == (0, "")
    train, evaluate = out.splitlines()
    assert f"--save-dir {tmp_path}/seed1/joint " in train
    assert evaluate.endswith(f"--json {tmp_path}/seed1/joint/results.json")
    assert (tmp_path / "two_stage-1.yaml").exists()
