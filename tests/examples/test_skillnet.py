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


def test_the_published_tables_add_up() -> None:
    for name in ("table3", "table6"):
        for row, said in json.loads((RECIPES / f"{name}.json").read_text())["rows"].items():
            assert list(said) == [*TABLE, "all"], row
            assert sum(said[corpus] for corpus in TABLE) / 6 == pytest.approx(said["all"], abs=0.06), row


def test_new_tasks_and_raw_text_have_the_slides_skills() -> None:
    file, raw = (read_corpora_file(RECIPES / f"{name}.yaml") for name in ("new_tasks", "pretrain"))
    assert list(file.skills)[:-1] == list(raw.skills) == list(read_corpora_file(RECIPES / "corpora.yaml").skills)
    numbers = {skill: str(number) for number, skill in enumerate(file.skills, 1)}
    active = {name: "".join(sorted(numbers[skill] for skill in one.skills))
              for name, one in {**file.corpora, **raw.corpora}.items()}  # fmt: skip
    assert active == {"dbqa": "1357", "cmedqa": "13578", "mlm": "27", "nsp": "137"}


@pytest.mark.slow
@pytest.mark.long
def test_tables_3_5_and_7(raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    more = ["tatoeba/tatoeba.cmn-eng.cmn", "cmedqa/train.txt", "cmedqa/dev.txt"]
    work = cut_work(RECIPES, ["corpora"], raw, word_piece_tokens, tmp_path, more)
    recipe = prepared(RECIPES, work, BATCH="8", PRETRAIN_UPDATES="2", OPTIONS="--num-workers 0 --max-update 2")
    recipe("compare.sh", JOBS="2")
    compared = table(work, "compare")
    assert list(compared["rows"]) == list(json.loads((RECIPES / "table3.json").read_text())["rows"])
    experts = torch.load(work / "moe_top2/seed1/joint/checkpoint_last.pt", weights_only=True)["task_state"]["bundle"]
    assert experts["experts"]["number"] == 7
    recipe("layers.sh", LAYERS="1 2")
    assert list(table(work, "layers")["rows"]) == ["1 layers", "2 layers"]
    recipe("alpha.sh", ALPHAS="0.4 1.0")
    assert list(table(work, "alpha")["rows"]) == ["α 0.4", "α 1.0"]
    recipe("new_tasks.sh")
    assert list(table(work, "new_tasks")["rows"])[-3:] == [
        f"skillnet, pre-trained skills{more}" for more in ("", ", new skill alone", ", new skill")
    ]
    logs = {name: (work / f"new_tasks/{name}/seed1/single/cmedqa/train.log").read_text() for name in
            ("joint", "joint-alone", "joint-new")}  # fmt: skip
    assert ["skills: medical starts from the mean of" in log for log in logs.values()] == [False, True, True]
    assert "--freeze old" in logs["joint-alone"] and "--freeze old" not in logs["joint-new"]


@pytest.mark.slow
@pytest.mark.long
def test_trained_without_a_skill(raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    work = cut_work(RECIPES, ["corpora"], raw, word_piece_tokens, tmp_path, ["cmedqa/train.txt", "cmedqa/dev.txt"])
    recipe = prepared(RECIPES, work, BATCH="8")
    out = recipe("ablation.sh", SKILLS="token generic")
    assert list(table(work, "ablation")["rows"]) == ["skillnet", "- w/o token", "- w/o generic"]
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
