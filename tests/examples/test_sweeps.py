"""Sweep files of the recipes: they are read, their corpora files are there, and fairseq-train knows their options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from skill_plugin.command_lines import find_fault
from skill_plugin.pipeline.preset import read_preset
from skill_plugin.sweeps.options import text_of
from skill_plugin.sweeps.plan import _options, _points
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from skill_plugin.sweeps.schedule import settle_shares

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*/sweeps/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_sweep_of_a_recipe(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WORK", "DATA_BIN", "NEW_BIN", "ENCODER"):
        monkeypatch.setenv(name, str(tmp_path / name))
    sweep = read_sweep_file(file)
    assert Path(text_of(sweep.options, "--corpora") or "").exists()
    for stage in sweep.stages:
        points = list(_points(sweep.axes_of(stage)))
        # each value of each axis once, beside the first ones of the others
        near = [point for point in points if sum(one != other for one, other in zip(point, points[0], strict=True)) < 2]
        for point in near:
            options = settle_shares(_options(sweep, stage, point), {"a": 1000}, 1, file)
            words = [word for name, one in options.items() if name != "data" and one.words is not None
                     for word in (name, *one.words)]  # fmt: skip
            assert find_fault([str(tmp_path), *words, "--save-dir", str(tmp_path)]) is None


def numbers_of(words: Sequence[str]) -> list[float | str]:
    """Words of an option, of which 1e-5 and 0.00001 are the same."""
    found: list[float | str] = []
    for word in words:
        try:
            found.append(float(word))
        except ValueError:
            found.append(word)
    return found


@pytest.mark.parametrize("name", ["mt_tag/grid", "mt_tag/experts", "skillnet/layers", "skillnet_x/alpha"])
def test_joint_training_has_the_published_settings(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work, _, sweep_name = name.partition("/")
    for variable in ("WORK", "DATA_BIN", "ENCODER"):
        monkeypatch.setenv(variable, str(tmp_path))
    sweep = read_sweep_file(EXAMPLES / work / "sweeps" / f"{sweep_name}.yaml")
    published = read_preset(f"paper:{work}").options
    varied = {f"--{axis.name}" for axis in sweep.axes_of(sweep.stages[0])}
    if "--max-update" in varied:
        varied.add("--warmup-updates")  # a share of them
    for point in _points(sweep.axes_of(sweep.stages[0])):
        options = settle_shares(_options(sweep, sweep.stages[0], point), {"a": 1000}, 1, sweep.path)
        shared = options.keys() & published.keys() - varied
        assert len(shared) > 5
        for option in shared:
            assert numbers_of(options[option].words or ()) == numbers_of(published[option]), option
