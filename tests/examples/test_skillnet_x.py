"""The recipes of examples/skillnet_x, gone through on the real data with a tiny encoder of random weights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
import torch

from skill_plugin.analysis.perturbation.averages import read_averages
from skill_plugin.spec import read_corpora_file
from tests.examples.recipes import cut_work, swept, table, tiny_encoder
from tests.warm_python import warm_python

RECIPES = Path(__file__).parents[2] / "examples/skillnet_x"
LANGUAGES = ("en", "zh", "de", "es")
# SkillNet-X, table 3: the task skills of T1 to T11
TABLE = {
    "nli-en": "134", "qnli": "1346", "sst2": "135", "squad-en": "1246", "ner-en": "12", "ocnli": "13", "tnews": "13",
    "reviews-de": "13", "ner-de": "12", "reviews-es": "13", "squad-es": "1246",
}  # fmt: skip


def test_the_corpora_files_are_the_papers() -> None:
    pretrain, corpora = (read_corpora_file(RECIPES / f"{name}.yaml") for name in ("pretrain", "corpora"))
    skills = list(corpora.skills)
    assert {
        name: "".join(str(skills.index(skill) + 1) for skill in corpus.skills)
        for name, corpus in corpora.corpora.items()
    } == TABLE
    assert (pretrain.skills, pretrain.languages) == (corpora.skills, corpora.languages) and len(LANGUAGES) == 4
    trained = [corpus for corpus in pretrain.corpora.values() if "train" in corpus.sources]
    for kind, active in (("masked_lm", skills[:2]), ("next_sentence", [skills[0], *skills[2:4]])):
        assert {corpus.language for corpus in trained if corpus.kind == kind} == set(LANGUAGES)
        assert {corpus.skills for corpus in trained if corpus.kind == kind} == {tuple(active)}


def test_the_papers_averages_are_those_of_its_table() -> None:
    rows = {  # table 6: MNLI, QNLI, SST-2, SQuAD 1.1, CoNLL03
        "as trained": (84.1, 91.8, 92.9, 90.5, 95.6), "language zh": (78.2, 84.1, 90.7, 83.3, 92.2),
        "language de": (78.6, 85.6, 90.5, 82.6, 64.5), "language es": (77.7, 90.1, 92.2, 87.4, 92.9),
        "all skills": (72.5, 88.5, 89.3, 86.6, 42.1), "random skills, seed 42": (40.5, 81.0, 57.1, 75.8, 26.9),
        "random skills, seed 624": (77.8, 67.8, 69.8, 81.6, 3.5),
        "random skills, seed 123": (38.5, 83.1, 88.5, 81.4, 48.8),
    }  # fmt: skip
    averages = read_averages(RECIPES / "table6.json")
    assert list(averages.conditions) == list(rows)
    for title, row in rows.items():
        assert averages.of(title, "en") == pytest.approx(fmean(row) / 100, abs=0.00051)


def test_the_papers_table_5_adds_up() -> None:
    corpora = list(read_corpora_file(RECIPES / "corpora.yaml").corpora)
    for name, row in json.loads((RECIPES / "table5.json").read_text())["rows"].items():
        assert list(row) == [*corpora, "all"], name
        assert fmean(row[corpus] for corpus in corpora) == pytest.approx(row["all"], abs=0.151), name


def test_new_corpora_combine_skills_that_are_there() -> None:
    """Section 5.4."""
    corpora, new = (read_corpora_file(RECIPES / f"{name}.yaml") for name in ("corpora", "new_tasks"))
    assert (new.skills, new.languages) == (corpora.skills, corpora.languages)
    assert {name: (corpus.skills, corpus.language) for name, corpus in new.corpora.items()} == {
        "mrpc": (("generic", "sentence", "interact"), "en"), "wikiann-es": (("generic", "token"), "es"),
    }  # fmt: skip
    assert not new.corpora.keys() & corpora.corpora.keys()


def test_every_data_set_is_read_without_a_fault(raw: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    for name in ("pretrain", "corpora", "new_tasks"):
        status, out, err = command("check", RECIPES / f"{name}.yaml", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["faults"] == []


@pytest.mark.slow
@pytest.mark.long
def test_from_raw_text_to_scores(raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    cut_work(RECIPES, ("corpora", "pretrain", "new_tasks"), raw, word_piece_tokens, tmp_path)
    state = tiny_encoder(word_piece_tokens, tmp_path).state
    settings = {
        "PYTHON": str(warm_python()), "WORK": str(tmp_path), "SKILL_DATA": str(tmp_path / "raw"), "SIZE": "tiny",
        "DEVICE": "cpu", "PRETRAIN_UPDATES": "20", "UPDATES": "2", "BATCH": "8", "LR": "1e-3", "OMP_NUM_THREADS": "1",
        "OPTIONS": "--num-workers 0 --max-valid-steps 3", "LIMIT": "20",
    }  # fmt: skip

    def run(recipe: str, **changes: str) -> str:
        done = subprocess.run(
            ["bash", RECIPES / recipe], capture_output=True, text=True, check=False,
            env={**os.environ, **settings, **changes},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    run("prepare.sh")
    assert f"--init-from {tmp_path / 'encoder.pt'}" in run("pretrain.sh")  # what describe shows
    best = tmp_path / "pretrained/skillnet_x_ffn_mha_tiny/checkpoint_best.pt"
    pretrained = torch.load(best, weights_only=True)["model"]
    name = "model.encoder.layers.1.feed_forward.task_skills.{}.fc1.weight"
    dense = state["layers.1.feed_forward.fc1.weight"]
    untouched = {skill for skill in ("generic", "token", "sentence", "interact", "sentiment", "question")
                 if torch.equal(pretrained[name.format(skill)], dense)}  # fmt: skip
    assert untouched == {"sentiment", "question"}
    out = run("train.sh")
    results = json.loads((tmp_path / "checkpoints/results.json").read_text())
    assert list(results["corpora"]) == list(TABLE)
    assert "left in the file: heads.mlm, heads.nsp" in out.replace("\n", " ")
    bundle = torch.load(tmp_path / "checkpoints/checkpoint_best.pt", weights_only=True)["task_state"]["bundle"]
    assert bundle["origin"]["file"] == str(best)
    assert bundle["origin"]["before"]["file"] == str(tmp_path / "encoder.pt")
    assert set(bundle["origin"]["groups"]["skills"]) == {"taken"}
    perturbed = run("perturb.sh")
    assert "the paper" in perturbed and "85.7" in perturbed and "│ random skills, seed 624 " in perturbed
    scored = json.loads((tmp_path / "checkpoints/perturb.json").read_text())["corpora"]
    assert list(scored) == list(TABLE) and all(0 < one["n"] <= 20 for one in scored.values())
    short = {"OPTIONS": "--num-workers 0 --max-update 2", "SEEDS": "1"}
    run("compare.sh", VARIANTS="dense moe_top2 skillnet_x_ffn_mha", JOBS="2", **short)
    compared = table(tmp_path, "compare")
    assert list(compared["rows"]) == [
        "single", "dense", "moe_top2", "skillnet_x_ffn_mha", "skillnet_x_ffn_mha, pre-trained skills",
    ]  # fmt: skip
    for name, folder in (
        ("dense", "dense"),
        ("skillnet_x_ffn_mha, pre-trained skills", "skillnet_x_ffn_mha-pretrained"),
    ):
        results = json.loads((tmp_path / f"table5/{folder}/seed1/joint/results.json").read_text())
        assert compared["rows"][name]["all"]["values"] == pytest.approx([results["avg"]])
    logs = {variant: (tmp_path / f"table5/{variant}/seed1/joint/train.log").read_text() for variant in
            ("dense", "skillnet_x_ffn_mha", "skillnet_x_ffn_mha-pretrained")}  # fmt: skip
    run("perturb_seeds.sh", MODEL="skillnet_x_ffn_mha", **short)
    rows = table(tmp_path, "perturb")["rows"]
    assert len(rows) == 8 and rows["all skills"]["differences"]["all"]["corpora"] == 5
    assert "--sampling-alpha 0.6" in logs["dense"] and "--sampling-alpha 0.4" in logs["skillnet_x_ffn_mha"]  # 4.2
    assert f"--init-from {best}" in logs["skillnet_x_ffn_mha-pretrained"]
    run("new_tasks.sh", VARIANTS="moe_top2 skillnet_x_ffn_mha", SEEDS="1 2", NEW_UPDATES="2", EVERY="1", JOBS="2")
    new = json.loads((tmp_path / "new_tasks/table.json").read_text())
    assert list(new) == ["encoder", "moe_top2", "skillnet_x_ffn_mha"]
    assert new["skillnet_x_ffn_mha"]["mrpc"]["published"] == 0.9269
    assert all(len(scores) == 2 for scores in new["moe_top2"]["wikiann-es"]["curve"].values())
    log = (tmp_path / "new_tasks/skillnet_x_ffn_mha/mrpc/seed2/train.log").read_text()
    assert "fresh: heads.mrpc" in log and f"--init-from {tmp_path / 'table5/skillnet_x_ffn_mha'}" in log
    found = swept(RECIPES / "sweeps/train_size.yaml", tmp_path, tmp_path / "sizes", ROWS="[20, 100%]", LRS="[1e-4]")
    assert len(found["rows"]) == 8  # four starts, two sizes
    found = swept(RECIPES / "sweeps/new_tasks.yaml", tmp_path, tmp_path / "table8", LRS="[1e-4, 1e-3]")
    assert list(found["rows"]) == ["encoder", "dense", "moe_top2", "skillnet_x_ffn_mha"]
    assert list(found["metrics"]) == ["mrpc", "wikiann-es"]
    found = swept(RECIPES / "sweeps/updates.yaml", tmp_path, tmp_path / "updates", UPDATES="10")
    assert list(found["rows"]) == ["encoder", "dense", "moe_top2", "skillnet_x_ffn_mha"]
    assert (tmp_path / "updates/plot.png").exists()
    found = swept(RECIPES / "sweeps/alpha.yaml", tmp_path, tmp_path / "alpha", ALPHAS="[0, 1.0]")
    assert len(found["rows"]) == 6
    hydra = [
        sys.executable, "-m", "fairseq_cli.hydra_train", "--config-dir", RECIPES / "conf", "--config-name",
        "skillnet_x", f"common.user_dir={RECIPES.parents[1] / 'skill_plugin'}", f"task.data={tmp_path / 'data-bin'}",
        f"task.corpora={RECIPES / 'corpora.yaml'}", f"task.init_from={best}",
        f"checkpoint.save_dir={tmp_path / 'hydra'}", f"hydra.run.dir={tmp_path / 'outputs'}", "common.cpu=true",
        "model._name=skillnet_x_ffn_mha_tiny", "optimization.max_update=1", "dataset.disable_validation=true",
    ]  # fmt: skip
    subprocess.run(hydra, check=True, capture_output=True, env={**os.environ, **settings})
    by_hydra = torch.load(tmp_path / "hydra/checkpoint_last.pt", weights_only=True)["task_state"]["bundle"]
    assert by_hydra["origin"]["before"] == bundle["origin"]["before"]
