"""The recipes of examples/skillnet, gone through on a few rows of real data with a tiny encoder of random weights."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.spec import read_corpora_file
from tests import warm_process
from tests.examples.recipes import cut_work, prepared, swept, table

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


def test_rows_of_cmedqa_from_its_ids(tmp_path: Path) -> None:
    files = {
        "question.csv": '\ufeffquestion_id,content\n7,头痛\n8,"发烧,\n咳嗽"\n',
        "answer.csv": 'ans_id,question_id,content\n1,7,休息\n2,8,"多\t""喝水"""\n3,9,不\n',
        "train_candidates.txt": "question_id,pos_ans_id,neg_ans_id\n7,1,2\n7,1,3\n8,2,1\n7,3,2\n",
        "dev_candidates.txt": "question_id,ans_id,num,label\n8,2,0,1\n8,3,1,0\n",
        "test_candidates.txt": "question_id,ans_id,num,label\n7,3,0,0\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    line = [sys.executable, RECIPES / "cmedqa.py", tmp_path, tmp_path / "out"]
    warm_process.run(line, check=True)
    rows = {}
    for split in ("train", "dev", "test"):
        with (tmp_path / f"out/{split}.txt").open(encoding="utf-8", newline="") as file:
            rows[split] = list(csv.reader(file, delimiter="\t"))
    assert rows == {
        "train": [["1", "头痛", "休息"], ["0", "头痛", '多 "喝水"'], ["1", "头痛", "不"],
                  ["1", "发烧, 咳嗽", '多 "喝水"'], ["0", "发烧, 咳嗽", "休息"]],
        "dev": [["1", "发烧, 咳嗽", '多 "喝水"'], ["0", "发烧, 咳嗽", "不"]], "test": [["0", "头痛", "不"]],
    }  # fmt: skip
    (tmp_path / "test_candidates.txt").write_text("question_id,ans_id,num,label\n7,4,0,0\n")
    done = warm_process.run(line, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path}/test_candidates.txt: no answer has the id '4'\n")
    (tmp_path / "answer.csv").write_text("id,content\n")
    done = warm_process.run(line, capture_output=True, text=True)
    assert done.stderr == f"{tmp_path}/answer.csv:1: no column 'ans_id'; there are: id, content\n"


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
    found = swept(RECIPES / "sweeps/layers.yaml", work, tmp_path / "swept", LAYERS="[1, 2]")
    assert [row[-1] for row in found["rows"]] == ["1", "2"]
    recipe("alpha.sh", ALPHAS="0.4 1.0")
    assert list(table(work, "alpha")["rows"]) == ["α 0.4", "α 1.0"]
    recipe("evaluate.sh")
    assert list(json.loads((work / "joint/seed1/joint/results.json").read_text())["corpora"]) == list(TABLE)
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
