"""The recipes of examples/skillnet, gone through on a few rows of real data with a tiny encoder of random weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.spec import read_corpora_file
from tests.examples.recipes import cut_work, prepared, table

RECIPES = Path(__file__).parents[2] / "examples/skillnet"
# the slides, table 2: the skills of T1 to T6
TABLE = {"chnsenticorp": "147", "ocnli": "137", "afqmc": "1367", "tnews": "17", "ner": "27", "cmrc2018": "2357"}


def test_the_corpora_file_is_the_slides() -> None:
    file = read_corpora_file(RECIPES / "corpora.yaml")
    numbers = {skill: str(number) for number, skill in enumerate(file.skills, 1)}
    assert list(numbers) == ["sentence", "token", "interact", "sentiment", "question", "finance", "generic"]
    assert {name: "".join(numbers[skill] for skill in one.skills) for name, one in file.corpora.items()} == TABLE


def test_every_data_set_is_read_without_a_fault(raw: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = command("check", RECIPES / "corpora.yaml", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["faults"] == []


@pytest.mark.slow
@pytest.mark.long
def test_trained_without_a_skill(raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    work = cut_work(RECIPES, ["corpora"], raw, word_piece_tokens, tmp_path)
    recipe = prepared(RECIPES, work, BATCH="8")
    recipe("train.sh")
    assert list(table(work, "joint")["rows"]) == ["skillnet_tiny"]
    out = recipe("ablation.sh", SKILLS="token generic")
    assert list(table(work, "ablation")["rows"]) == ["skillnet_tiny", "- w/o token", "- w/o generic"]
    for skill in ("token", "generic"):
        folder = work / "ablation" / skill
        whole, without = (read_corpora_file(path / "corpora.yaml") for path in (RECIPES, folder))
        assert list(without.skills) == [name for name in whole.skills if name != skill]
        for name, corpus in whole.corpora.items():
            changed = corpus.model_copy(update={"skills": tuple(one for one in corpus.skills if one != skill)})
            elsewhere = {"line", "file", "sources"}
            assert without.corpora[name].model_dump(exclude=elsewhere) == changed.model_dump(exclude=elsewhere)
        trained = torch.load(folder / "seed1/joint/checkpoint_last.pt", weights_only=True)["model"]
        assert not any(f"task_skills.{skill}." in name for name in trained)
        assert any("task_skills.interact." in name for name in trained)
    assert "- it has no other skill" not in out
    ablated = json.loads((work / "ablate.json").read_text())["conditions"]
    assert set(ablated["without token"]["corpora"]) == {"ner", "cmrc2018"}
    assert list(ablated["without generic"]["corpora"]) == list(TABLE)
