"""``analyse perturb`` and ``analyse ablate`` of a model that was trained in a whole run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


def test_a_trained_model(trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path) -> None:
    checkpoint, found = trained.folder / "checkpoint_last.pt", {}
    status, _, err = command("evaluate", checkpoint, made.data, "--json", tmp_path / "results.json")
    assert status == 0, err
    results = json.loads((tmp_path / "results.json").read_text())
    for analysis in ("perturb", "ablate"):
        files = ("--json", tmp_path / f"{analysis}.json", "--plot", tmp_path / f"{analysis}.png")
        status, out, err = command("analyse", analysis, checkpoint, made.data, *files)
        assert status == 0, err
        found[analysis] = json.loads((tmp_path / f"{analysis}.json").read_text())
        own = found[analysis]["conditions"]["as trained"]
        assert own["avg"] == results["avg"]
        assert {language: mean["avg"] for language, mean in own["by_language"].items()} == results["by_language"]
        assert {name: one["value"] for name, one in own["corpora"].items()} == {
            name: one["value"] for name, one in results["corpora"].items()
        }
        assert all(name in out for name in results["corpora"])
        assert (tmp_path / f"{analysis}.png").read_bytes().startswith(b"\x89PNG")
    conditions = found["perturb"]["conditions"]
    for language in ("en", "zh", "de", "es"):
        changed = conditions[f"language {language}"]["corpora"]
        assert set(changed) == {name for name, one in results["corpora"].items() if one["language"] != language}
        assert {one["activated"]["language"] for one in changed.values()} == {language}
    for title, condition in found["ablate"]["conditions"].items():
        if title != "as trained":
            skill = title.removeprefix("without ")
            own = found["ablate"]["conditions"]["as trained"]["corpora"]
            users = {name for name, one in own.items() if skill in one["activated"]["skills"]}
            assert set(condition["corpora"]) == users - found["ablate"]["impossible"].get(title, {}).keys()
