"""The recipes of examples/mt_tag, gone through on a few rows of the real data with a tiny encoder of random weights."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import yaml

from skill_plugin.spec import read_corpora_file
from tests import warm_process
from tests.examples.originals import put_all
from tests.examples.recipes import Recipe, cut, cut_work, elsewhere, prepared, swept, table, tiny_encoder

RECIPES = Path(__file__).parents[2] / "examples/mt_tag"
GLUE = ["rte", "mrpc", "stsb", "cola", "sst2", "qnli", "qqp", "mnli"]  # in the order of the paper's table 1


def test_the_corpora_files_agree() -> None:
    glue, more, new = (
        yaml.safe_load((RECIPES / f"{name}.yaml").read_text())["corpora"]
        for name in ("corpora", "robustness", "new_corpus")
    )
    assert list(glue) == GLUE
    assert {name: more[name] for name in GLUE} == glue
    assert len(more) > len(glue)
    assert not new.keys() & more.keys()
    file = read_corpora_file(RECIPES / "corpora.yaml")
    metrics = {name: corpus.metric for name, corpus in file.corpora.items()}
    assert metrics == dict.fromkeys(GLUE, "accuracy") | {"stsb": "spearman", "cola": "mcc"}  # section 4.2


def test_every_data_set_is_read_without_a_fault(raw: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    for name, rows in (("robustness", 2490), ("new_corpus", 1666)):
        status, out, err = command("check", RECIPES / f"{name}.yaml", "--json")
        assert (status, err) == (0, "")
        report = json.loads(out)
        assert report["faults"] == []
        assert max(splits["train"]["rows"] for splits in report["corpora"].values()) >= min(rows, 1200)


def test_the_papers_table_1_adds_up() -> None:
    for name, row in json.loads((RECIPES / "table1.json").read_text())["rows"].items():
        assert list(row) == [*GLUE, "small", "all"]
        assert sum(row[corpus] for corpus in GLUE) / 8 == pytest.approx(row["all"], abs=0.1), name
        assert sum(row[corpus] for corpus in GLUE[:4]) / 4 == pytest.approx(row["small"], abs=0.1), name


# whole recipes


@pytest.fixture(scope="module")
def work(raw: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = ("wikipedia-en-mtdnn/mlm_train.json",)
    folder = tmp_path_factory.mktemp("mt_tag")
    return cut_work(RECIPES, ("robustness", "new_corpus"), raw, word_piece_tokens, folder, text)


@pytest.fixture(scope="module")
def recipe(work: Path) -> Recipe:
    """recipe("compare.sh", SEEDS="1 2") runs it and gives what it printed."""
    return prepared(RECIPES, work, BATCH="8")


@pytest.mark.slow
@pytest.mark.long
def test_train_and_evaluate(recipe: Recipe, work: Path) -> None:
    out = recipe("train.sh")
    assert "mt_tag_tiny" in out
    results = json.loads((work / "checkpoints/results.json").read_text())
    assert list(results["corpora"]) == GLUE
    assert "│ avg " in out
    recipe("evaluate.sh", work / "checkpoints/checkpoint_best.pt", "train")
    assert json.loads((work / "checkpoints/results.json").read_text())["split"] == "train"


@pytest.mark.slow
@pytest.mark.long
def test_the_configuration_for_hydra(recipe: Recipe, work: Path, tmp_path: Path) -> None:
    done = warm_process.run(
        [
            sys.executable, "-m", "fairseq_cli.hydra_train", "--config-dir", RECIPES / "conf",
            "--config-name", "mt_tag", f"common.user_dir={RECIPES.parents[1] / 'skill_plugin'}",
            f"task.data={work / 'data-bin'}",
            f"task.corpora={RECIPES / 'corpora.yaml'}", f"task.init_from={work / 'encoder.pt'}", "common.cpu=true",
            f"checkpoint.save_dir={tmp_path / 'saved'}", f"hydra.run.dir={tmp_path / 'outputs'}",
            "model._name=mt_tag_tiny", "optimization.max_update=2", "lr_scheduler.warmup_updates=1",
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    saved = torch.load(tmp_path / "saved/checkpoint_last.pt", weights_only=True)
    assert saved["optimizer_history"][-1]["num_updates"] == 2


@pytest.mark.slow
@pytest.mark.long
def test_heads(recipe: Recipe, work: Path) -> None:
    forms = ("pooler", "fresh", "linear", "raw", "nsp-pooler", "nsp-fresh")
    settings = {"CORPORA": "rte,stsb", "SMALL": "rte,stsb", "SEEDS": "1", "JOBS": "2", "NSP_UPDATES": "2"}
    out = recipe("heads.sh", FORMS=" ".join(forms), **settings)
    rows = table(work, "heads")["rows"]
    assert list(rows) == [f"{form}, {stage}" for stage in ("single", "joint") for form in forms]
    assert list(rows["raw, single"]["corpora"]) == ["stsb"]
    for name, row in rows.items():
        (spearman,) = row["corpora"]["stsb"]["values"]
        assert f"STS-B, {name}: Pearson" in out and f"Spearman {100 * spearman:.2f} ± 0.00" in out
    logs = {form: (work / f"heads/{form}/seed1/joint/train.log").read_text() for form in forms}
    assert "heads: heads.rte, heads.stsb start with the pretrained pooler" in logs["nsp-pooler"]
    assert "heads: the file has no pooler" in logs["nsp-fresh"]
    assert "fresh: heads.rte, heads.stsb" in logs["linear"]


@pytest.mark.slow
@pytest.mark.long
def test_compare_over_seeds(recipe: Recipe, work: Path) -> None:
    here = work / "two"  # of the same data: the mixture is another one
    chosen = {"SEEDS": "1 2", "CORPORA": "rte,stsb", "SMALL": "rte", "VARIANTS": "dense mt_tag", "JOBS": "2"}
    recipe("compare.sh", **elsewhere(work, here), **chosen)
    for name, stage, title in (("joint", "joint", "joint"), ("compare", "finetune/stsb", "joint + fine-tuning")):
        content = table(here, name)
        assert content["metrics"] == {"rte": "accuracy", "stsb": "spearman"}
        assert content["small"] == ["rte"]
        assert list(content["rows"]) == ["single", f"dense, {title}", f"mt_tag, {title}"]
        for row, of, within in (("single", "single", "single/stsb"), (f"mt_tag, {title}", "glue/mt_tag", stage)):
            files = [here / of / f"seed{seed}" / within / "results.json" for seed in (1, 2)]
            values = [json.loads(file.read_text())["corpora"]["stsb"]["value"] for file in files]
            assert content["rows"][row]["corpora"]["stsb"]["values"] == values
    tuned = content["rows"]
    gain = tuned[f"mt_tag, {title}"]["all"]["mean"] - tuned[f"dense, {title}"]["all"]["mean"]
    assert tuned[f"mt_tag, {title}"]["differences"]["all"]["mean"] == pytest.approx(gain)
    assert content["published"]["rows"]["single"]["rte"] == 70.7


@pytest.mark.slow
@pytest.mark.long
def test_robustness_scores_the_related_corpora(recipe: Recipe, work: Path) -> None:
    recipe("robustness.sh", STAGES="joint", MIXTURES="clean more", VARIANTS="mt_tag")
    content = table(work, "robustness")
    assert list(content["rows"]) == ["mt_tag, clean, joint", "mt_tag, more, joint"]
    assert content["all"] == [name for name in GLUE if name not in ("cola", "sst2")]
    for mixture, number in (("clean", 6), ("more", 11)):
        results = json.loads((work / mixture / "mt_tag/seed1/joint/results.json").read_text())
        assert len(results["corpora"]) == number


@pytest.mark.slow
@pytest.mark.long
def test_numbers_of_experts(recipe: Recipe, work: Path) -> None:
    recipe("experts.sh", STAGES="joint", EXPERTS="1 4")
    assert list(table(work, "experts")["rows"]) == ["1 experts, joint", "4 experts, joint"]
    names = torch.load(work / "experts/1/seed1/joint/checkpoint_last.pt", weights_only=True)["model"]
    assert {name.split(".experts.")[1][0] for name in names if ".experts." in name} == {"0"}


@pytest.mark.slow
@pytest.mark.long
def test_the_factor_of_the_gate(recipe: Recipe, work: Path) -> None:
    recipe("scale.sh", STAGES="joint", VARIANTS="dense mt_tag")
    assert list(table(work, "scale-joint")["rows"]) == ["dense, joint", "mt_tag, joint", "mt_tag, rescaled, joint"]
    scales = [
        torch.load(work / folder / "mt_tag/seed1/joint/checkpoint_last.pt", weights_only=True)["task_state"]["bundle"]
        for folder in ("glue", "rescaled")
    ]
    assert [bundle["experts"]["scale"] for bundle in scales] == ["paper", "rescaled"]


@pytest.mark.slow
@pytest.mark.long
def test_new_corpora_start_from_the_gate_that_is_named(recipe: Recipe, work: Path) -> None:
    recipe("new_corpus.sh", STAGES="joint", GATES="random mnli+head", VARIANTS="mt_tag")
    assert list(table(work, "new_corpus")["rows"]) == ["single", "mt_tag"]
    content = table(work, "gates")
    assert list(content["rows"]) == ["random", "mnli+head"]
    assert list(content["metrics"]) == ["snli"]
    logs = {
        name: (work / "new_corpus" / name / "seed1/single" / corpus / "train.log").read_text()
        for name, corpus in (("gate-random", "snli"), ("gate-mnli+head", "snli"), ("mt_tag", "imdb"))
    }
    assert "starts from" not in logs["gate-random"]
    assert "gates: snli starts from mnli" in logs["gate-mnli+head"]
    assert "heads: snli starts from mnli" in logs["gate-mnli+head"]
    assert "gates: imdb starts from sst2" in logs["mt_tag"]


@pytest.mark.slow
@pytest.mark.long
def test_ways_of_drawing_and_sizes_of_encoders(recipe: Recipe, work: Path, word_piece_tokens: list[str]) -> None:
    recipe("sampling.sh", STAGES="joint", JOBS="2")
    assert list(table(work, "sampling")["rows"]) == ["uniform, joint", "natural, joint"]
    logs = [(work / folder / "seed1/joint/train.log").read_text() for folder in ("uniform", "glue/mt_tag")]
    assert ["--sampling uniform" in log for log in logs] == [True, False]
    tiny_encoder(word_piece_tokens, work, "encoder-small.pt", layers=6, width=384, heads=12, inner=1536)
    recipe("sizes.sh", SIZES="tiny small", STAGES="joint", CORPORA="rte,stsb", SMALL="rte")
    assert list(table(work, "sizes")["rows"]) == [
        "tiny, single", "tiny, mt_tag, joint", "small, single", "small, mt_tag, joint",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.long
def test_new_corpora_with_a_part_of_their_rows(recipe: Recipe, work: Path) -> None:
    recipe("low_resource.sh", PARTS="10% 50%", VARIANTS="dense mt_tag", JOBS="2")
    for part, rows in (("10", 2), ("50", 12)):
        assert list(table(work, f"low_resource-{part}")["rows"]) == ["single", "dense", "mt_tag"]
        for corpus in ("snli", "imdb"):
            log = (work / "low_resource" / part / f"mt_tag/seed1/single/{corpus}/train.log").read_text()
            assert f"{corpus}: trains on {rows} of its 24 rows" in log


@pytest.mark.slow
@pytest.mark.long
def test_sixteen_corpora(recipe: Recipe, work: Path, raw: Path, tmp_path: Path) -> None:
    """Made files: rows of the collection under the names of the original data sets."""
    folders = put_all([RECIPES / "glue_pp.yaml"], tmp_path, raw, cut)
    settings = {"WORK": str(tmp_path), "ENCODER": str(work / "encoder.pt"), "JOBS": "2", **folders}
    recipe("glue_pp.sh", **settings)
    content = table(tmp_path, "glue_pp")
    assert list(content["rows"]) == ["single", "mt_tag, joint", "mt_tag, joint + fine-tuning"]
    assert content["small"] == ["rte", "mrpc", "stsb", "cola", "rotten-tomatoes", "wic", "cb", "boolq", "copa"]
    assert len(content["all"]) == 17  # MNLI's two sets, which count once
    assert content["published"]["rows"]["single"]["all"] == 85.0


@pytest.mark.slow
@pytest.mark.long
def test_the_sweeps(recipe: Recipe, work: Path, tmp_path: Path) -> None:
    found = swept(
        RECIPES / "sweeps/experts.yaml", work, tmp_path / "experts", EXPERTS="[1, 2]", CORPORA="rte,stsb", SMALL="rte"
    )
    assert {row.rpartition(",")[2].strip() for row in found["rows"]} == {"joint", "finetune"}
    choices = {"UPDATES": "[2, 3]", "LRS": "[1e-4, 1e-3]"}
    found = swept(RECIPES / "sweeps/grid.yaml", work, tmp_path / "grid", CORPORA="rte,stsb", SMALL="rte", **choices)
    assert list(found["rows"]) == ["dense", "mt_switch", "mt_tag"]
