"""The recipes of examples/ca_mtl, gone through on a few rows of the real data with a tiny encoder of random weights."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from skill_plugin.spec import read_corpora_file
from tests import warm_process
from tests.examples.originals import put_all
from tests.examples.recipes import Recipe, cut, cut_work, elsewhere, prepared, table

RECIPES = Path(__file__).parents[2] / "examples/ca_mtl"
GLUE = ["rte", "mrpc", "stsb", "cola", "sst2", "qnli", "qqp", "mnli", "wnli"]


def test_the_corpora_files() -> None:
    corpora = read_corpora_file(RECIPES / "corpora.yaml").corpora
    assert {name: corpus.metric for name, corpus in corpora.items()} == dict.fromkeys(GLUE, "accuracy") | {
        "stsb": "spearman", "cola": "mcc", "mrpc": "f1", "qqp": "f1",
    }  # fmt: skip
    assert {corpus.max_length for corpus in corpora.values()} == {None}  # 128, section 3.7.5
    new = read_corpora_file(RECIPES / "new_corpus.yaml").corpora["snli"]
    assert new.embedding_from is not None and new.head_from is not None
    assert new.labels == corpora["mnli"].labels


def test_every_data_set_is_read_without_a_fault(raw: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    for name in ("corpora", "new_corpus"):
        status, out, err = command("check", RECIPES / f"{name}.yaml", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["faults"] == []


@pytest.fixture(scope="module")
def work(raw: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut_work(RECIPES, ("corpora", "new_corpus"), raw, word_piece_tokens, tmp_path_factory.mktemp("ca_mtl"))


@pytest.fixture(scope="module")
def recipe(work: Path) -> Recipe:
    """recipe("compare.sh", SAMPLINGS="uniform") runs it and gives what it printed."""
    return prepared(RECIPES, work, BATCH="8", SAMPLING="uniform", SAMPLINGS="uniform proportional")


def parameters(run: Path) -> set[str]:
    return set(torch.load(run / "seed1/joint/checkpoint_last.pt", weights_only=True)["model"])


@pytest.mark.slow
@pytest.mark.long
def test_train_and_evaluate(recipe: Recipe, work: Path) -> None:
    out = recipe("train.sh")
    assert "ca_mtl_tiny" in out
    results = json.loads((work / "checkpoints/results.json").read_text())
    assert list(results["corpora"]) == GLUE


@pytest.mark.slow
@pytest.mark.long
def test_the_configuration_for_hydra(recipe: Recipe, work: Path, tmp_path: Path) -> None:
    done = warm_process.run(
        [
            sys.executable, "-m", "fairseq_cli.hydra_train", "--config-dir", RECIPES / "conf",
            "--config-name", "ca_mtl", f"common.user_dir={RECIPES.parents[1] / 'skill_plugin'}",
            f"task.data={work / 'data-bin'}",
            f"task.corpora={RECIPES / 'corpora.yaml'}", f"task.init_from={work / 'encoder.pt'}", "common.cpu=true",
            f"checkpoint.save_dir={tmp_path / 'saved'}", f"hydra.run.dir={tmp_path / 'outputs'}",
            "model._name=ca_mtl_tiny", "optimization.max_update=2", "lr_scheduler.warmup_updates=1",
            "+model.conditional='attention,norm'", "+model.freeze=bottom-quarter",
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    saved = torch.load(tmp_path / "saved/checkpoint_last.pt", weights_only=True)
    bundle = saved["task_state"]["bundle"]
    assert (bundle["freeze"], list(bundle["conditional"]["modules"])) == ("bottom-quarter", ["attention", "norm"])


@pytest.mark.slow
@pytest.mark.long
def test_the_tables_share_runs(recipe: Recipe, work: Path) -> None:
    recipe("sampling.sh")
    assert list(table(work, "sampling")["rows"]) == [
        "dense, uniform", "dense, proportional", "ca_mtl, uniform", "ca_mtl, proportional",
    ]  # fmt: skip
    recipe("compare.sh", JOBS="2")
    content = table(work, "compare")
    rows = content["rows"]
    assert list(rows) == [
        "dense", "+ conditional attention", "+ conditional bottleneck", "+ alignment and norm",
        "+ uncertainty sampling",
    ]  # fmt: skip
    assert content["all"] == GLUE[:-1]  # not WNLI
    assert rows["+ alignment and norm"]["corpora"] == table(work, "sampling")["rows"]["ca_mtl, uniform"]["corpora"]
    scored = json.loads((work / "table3.1/dense/seed1/joint/results.json").read_text())["corpora"]
    entries = [one["value"] for one in scored.values()]
    further = {"mrpc": "accuracy", "qqp": "accuracy", "stsb": "pearson"}
    entries += [scored[name]["details"][metric] for name, metric in further.items()]
    assert rows["dense"]["task σ"]["mean"] == pytest.approx(statistics.stdev(entries))
    for name in rows:
        assert 0 < rows[name]["data used"]["mean"] < 1, name  # of two updates
    parts = {"attention": "matrix", "bottleneck": "bottleneck", "rest": "norm.modulation"}
    found = {
        run: {part for part, text in parts.items() if any(text in name for name in parameters(work / run))}
        for run in ("table3.1/dense", "table3.1/attention", "table3.1/bottleneck", "glue/ca_mtl-uniform")
    }
    assert list(map(len, found.values())) == [0, 1, 2, 3]
    recipe("freezing.sh", FREEZES="embeddings full-block bottom-half")
    assert list(table(work, "freezing")["rows"]) == ["embeddings", "full-block", "bottom-half"]


@pytest.mark.slow
@pytest.mark.long
def test_covariances_and_the_start_of_a_new_corpus(recipe: Recipe, work: Path) -> None:
    recipe("covariance.sh", JOBS="2")
    for variant in ("dense", "ca_mtl"):
        content = json.loads((work / f"covariance-{variant}.json").read_text())
        assert list(content["models"]) == ["single", "before", "after"] and list(content["tokens"]) == GLUE[:-1]
    lines = (work / "covariance.md").read_text().splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {name}" for name in GLUE[:-1]]
    recipe("new_corpus.sh")
    ranking = json.loads((work / "transfer.json").read_text())["ranking"]
    assert len(ranking) == len(GLUE) + 3
    assert len(table(work, "new_corpus")["rows"]) == 2
    logs = {
        choice: (work / "new_corpus" / choice / "seed1/single/snli/train.log").read_text()
        for choice in ("best", "random")
    }
    assert ("task embeddings: snli starts from" in logs["best"]) == (ranking[0]["embedding_from"] != "random")
    assert "task embeddings: snli starts from" not in logs["random"]
    assert all("heads: snli starts from mnli" in log for log in logs.values())


@pytest.mark.slow
@pytest.mark.long
def test_single_corpora(recipe: Recipe, work: Path) -> None:
    recipe("single.sh", JOBS="2")
    content = table(work, "single")
    assert list(content["rows"]) == ["single", "dense", "ca_mtl"]
    assert content["all"] == GLUE[:-1]
    assert list(content["rows"]["single"]["corpora"]) == GLUE[:-1]  # not WNLI
    assert "--freeze" not in (work / "single/seed1/single/rte/train.log").read_text().split("\n")[0]


@pytest.mark.slow
@pytest.mark.long
def test_alignment_by_one_matrix_or_by_several(recipe: Recipe, work: Path) -> None:
    recipe("alignment.sh", JOBS="2")
    assert list(table(work, "alignment")["rows"]) == ["dense", "separate", "conditional"]
    matrices = [name for name in parameters(work / "alignment/separate") if "alignment" in name]
    assert len(matrices) == 5 and "model.encoder.alignment.rows.cola.weight" in matrices


@pytest.mark.slow
@pytest.mark.long
def test_curves(recipe: Recipe, work: Path) -> None:
    settings = elsewhere(work, work / "curves") | {"CORPORA": "cola,mnli", "JOINT_OPTIONS": "--save-interval-updates 1"}
    settings |= {"SAMPLINGS": "uniform proportional uncertainty", "OPTIONS": "--num-workers 0 --log-interval 1"}
    recipe("sampling.sh", **settings, VARIANTS="dense", UPDATES="3")
    recipe("curves.sh", **settings, EVERY="1", CHOSEN="mnli_chosen,cola_chosen")
    for name in ("curves", "curves-corpora", "curves-entropy", "curves-chosen"):
        assert (work / f"curves/{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "uncertainty" in (work / "curves/curves.md").read_text()
    assert set(json.loads((work / "curves/difficulty.json").read_text())["corpora"]) == {"cola", "mnli"}


@pytest.mark.slow
@pytest.mark.long
def test_a_new_corpus_with_a_part_of_its_rows(recipe: Recipe, work: Path) -> None:
    recipe("low_resource.sh", PARTS="10% 100%", JOBS="2")
    for part in ("10", "100"):
        assert list(table(work, f"low_resource-{part}")["rows"]) == ["dense", "ca_mtl"]
    assert table(work, "low_resource-10")["published"]["rows"]["ca_mtl"]["snli"] == 88.0
    log = (work / "low_resource/10/ca_mtl/seed1/single/snli/train.log").read_text()
    assert "task embeddings: snli starts from mrpc" in log and "snli: trains on 2 of its 24 rows" in log


@pytest.mark.slow
@pytest.mark.long
def test_24_tasks(recipe: Recipe, work: Path, raw: Path, tmp_path: Path) -> None:
    """Made files: rows of the collection under the names of the original data sets."""
    folders = put_all([RECIPES / "tasks.yaml"], tmp_path, raw, cut)
    own = {"WORK": str(tmp_path), "ENCODER": str(work / "encoder.pt"), "JOBS": "2", "SINGLE": "no"}
    recipe("tasks.sh", **own, **folders)
    numbers = (10, 18, 24, 25)  # with WNLI
    assert list(table(tmp_path, "tasks")["rows"]) == [f"{v}, {n} sets" for n in numbers for v in ("dense", "ca_mtl")]
    for group in ("glue", "superglue", "mrqa", "ner", "all"):
        content = table(tmp_path, f"groups-{group}")
        assert list(content["rows"]) == ["dense", "ca_mtl"] and "all" in content["published"]["rows"]["dense"]
    assert content["published"]["rows"]["ca_mtl"]["all"] == 79.1
    recipe("tasks.sh", **own, **folders, TABLES_ONLY="yes", ENCODERS="roberta")
    assert table(tmp_path, "groups-all")["published"]["rows"]["ca_mtl"]["all"] == 83.1
