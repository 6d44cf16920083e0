"""The recipes of examples/thesis, gone through on a few rows of the real data with a tiny encoder of random weights."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch
import yaml

from skill_plugin.spec import read_corpora_file
from tests.examples.recipes import Recipe, cut_work, prepared, table, tiny_encoder

RECIPES = Path(__file__).parents[2] / "examples/thesis"
LANGUAGES = ("en", "de", "es", "zh")
PARALLEL = [f"{name}-{language}/dev-{language}.tsv" for name in ("xnli", "pawsx") for language in LANGUAGES]
SCORED = [
    *(f"xnli-{language}" for language in LANGUAGES), *(f"pawsx-{language}" for language in LANGUAGES),
    "nc-zh", "nc-de", "qadsm-de", "qam-en", "wpr-zh",
]  # fmt: skip
TITLES = {
    "single": "single", "single-mix": "single, XNLI_mix", "joint": "joint", "accumulated": "+ accumulation",
    "mix": "+ XNLI_mix", "r3f": "+ R3F", "r3f-scaling": "+ R3F, loss scaling", "r4f": "+ R4F, loss scaling",
}  # fmt: skip


@pytest.fixture(scope="module")
def parallel(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What split.sh writes."""
    folder = tmp_path_factory.mktemp("parallel") / "cut"
    settings = {"THESIS_DATA": str(folder), "SKILL_DATA": str(raw), "DEVICE": "cpu"}
    subprocess.run(["bash", RECIPES / "split.sh"], check=True, env={**os.environ, **settings})
    return folder


def test_every_data_set_is_read_without_a_fault(
    parallel: Path, command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THESIS_DATA", str(parallel))
    rows = {}
    for name in ("corpora", "target", "translate"):
        status, out, err = command("check", RECIPES / f"{name}.yaml", "--json")
        assert (status, err) == (0, "")
        report = json.loads(out)
        assert report["faults"] == []
        rows |= {corpus: {split: found["rows"] for split, found in splits.items()}
                 for corpus, splits in report["corpora"].items()}  # fmt: skip
    assert {name for name, splits in rows.items() if "valid" in splits} == {*SCORED, "ctkfacts"}
    mixed = [rows[f"xnli-mix-{language}"]["train"] for language in LANGUAGES]
    assert mixed == [225] * 4 and rows["xnli"]["train"] == sum(mixed)  # as long as one language
    assert {rows[f"xnli-{language}"]["valid"] for language in LANGUAGES} == {300}


def test_train_and_valid_are_parallel_and_share_no_premise(parallel: Path, raw: Path) -> None:
    def labels_and_premises(split: str, language: str) -> tuple[list[bytes], set[bytes]]:
        rows = [
            line.split(b"\t") for line in (parallel / f"xnli-{split}-{language}.tsv").read_bytes().split(b"\n")[:-1]
        ]
        return [row[2] for row in rows], {row[0] for row in rows}

    for language in LANGUAGES:
        train, dev = (labels_and_premises(split, language) for split in ("train", "dev"))
        assert (train[0], dev[0]) == tuple(labels_and_premises(split, "en")[0] for split in ("train", "dev"))
        assert not train[1] & dev[1]
    for path in PARALLEL:
        name, language = path.split("/")[0].rsplit("-", 1)
        parts = [(parallel / f"{name}-{split}-{language}.tsv").read_bytes() for split in ("train", "dev")]
        assert b"".join(parts) == (raw / path).read_bytes()


def test_the_corpora_are_scored_as_in_the_thesis(parallel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THESIS_DATA", str(parallel))
    corpora = read_corpora_file(RECIPES / "corpora.yaml").corpora
    metrics = {name: corpora[name].metric for name in SCORED}
    assert metrics == dict.fromkeys(SCORED, "accuracy") | {"wpr-zh": "ndcg"}  # section 3.3
    nli = {name for name, corpus in corpora.items() if corpus.head == "xnli"}
    assert nli == {"mnli", "xnli", *(f"xnli{mix}-{lang}" for mix in ("", "-mix") for lang in LANGUAGES)}
    target = read_corpora_file(RECIPES / "target.yaml").corpora["ctkfacts"]
    assert (target.metric, target.labels) == ("macro_f1", corpora["mnli"].labels)
    hydra = yaml.safe_load((RECIPES / "conf/thesis.yaml").read_text())["task"]["only_corpora"].split(",")
    assert hydra == ["mnli", "xnli-mix", *SCORED]


def test_xglue_as_a_whole(
    tmp_path: Path, command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made files under the names of XGLUE's download: 37 cells of task and language, trained in English."""
    monkeypatch.setenv("XGLUE", str(tmp_path / "xglue"))
    monkeypatch.setenv("XNLI_MT", str(tmp_path / "mt"))
    rows = {  # the cells of a row after the texts, and the header where the files have one
        "NC": (["title", "body"], ["sports", "news"], ""), "QAM": (["question", "text"], ["0", "1"], ""),
        "QADSM": (["query", "title", "text"], ["Bad", "Good"], ""),
        "WPR": (["query", "title", "text"], ["4", "0"], ""),
        "PAWSX": (["7", "one", "two"], ["0", "1"], "id\tsentence1\tsentence2\tlabel\n"),
        "XNLI": (["one", "two"], ["contradictory", "entailment"], "premise\thypo\tlabel\n"),
    }  # fmt: skip
    file = read_corpora_file(RECIPES / "xglue.yaml")
    for folder, path in re.findall(r"\$\{(\w+)\}/([^\s\",}]+)", (RECIPES / "xglue.yaml").read_text()):
        texts, labels, header = rows.get(Path(path).parts[0], rows["XNLI"])
        place = Path(os.environ[folder]) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            "\t".join([texts[0], *(f"{text} {path} {number}" for text in texts[1:]), labels[number % 2]])
            for number in range(15 if folder == "XNLI_MT" else 2)  # a row for each language of the mix
        )
        place.write_text((header if place.suffix == ".tsv" else "") + "\n".join(lines) + "\n")
    status, out, err = command("check", RECIPES / "xglue.yaml", "--json")
    assert (status, err) == (0, ""), out
    report = json.loads(out)["corpora"]
    assert sum({"valid", "test"} <= splits.keys() for splits in report.values()) == 37
    assert {name for name, splits in report.items() if "train" in splits} == {
        *(f"{task}-en" for task in ("nc", "pawsx", "qadsm", "qam", "wpr")), "xnli",
        *(f"xnli-mix-{name.removeprefix('xnli-')}" for name in report if re.fullmatch("xnli-[a-z]{2}", name)),
    }  # fmt: skip
    settings = {"PYTHON": "echo", "WORK": str(tmp_path), "DEVICE": "cpu", "SEEDS": "1", "RUNGS": "mix",
                "CORPORA_FILE": str(RECIPES / "xglue.yaml"), "TASKS": "xnli pawsx nc qadsm qam wpr"}  # fmt: skip
    done = subprocess.run(["bash", RECIPES / "ladder.sh"], capture_output=True, text=True, check=True,
                          env={**os.environ, **settings})  # fmt: skip
    chosen = done.stdout.split("--only-corpora ")[1].split()[0].split(",")
    parts = {name for name in file.corpora if name.startswith("xnli-mix-")}
    assert set(chosen) == (file.corpora.keys() - {"xnli"} - parts) | {"xnli-mix"}


def test_the_commands_of_each_rung(tmp_path: Path) -> None:
    """What the recipes would run: with `echo` in the place of Python."""
    settings = {"PYTHON": "echo", "WORK": str(tmp_path), "DEVICE": "cpu", "SEEDS": "1 2", "TASKS": "xnli qam-en"}

    def commands(recipe: str, **more: str) -> list[dict[str, Any]]:
        done = subprocess.run(["bash", RECIPES / recipe], capture_output=True, text=True, check=True,
                              env={**os.environ, **settings, **more})  # fmt: skip
        lines = [line for line in done.stdout.splitlines() if line.startswith("$ echo") and "two_stage.py" in line]
        found = []
        for line in lines:
            words = line.split()
            joint = line.split("--joint=")[1].split(" -- ")[0] if "--joint=" in line else ""
            run = Path(words[3]).relative_to(tmp_path).as_posix()
            corpora = words[words.index("--only-corpora") + 1] if joint else ""
            found.append({"run": run, "options": shlex.split(joint), "corpora": corpora, "line": line})
        return found

    english = "mnli,xnli,xnli-en,xnli-de,xnli-es,xnli-zh,qam-en"
    names = ("homogeneous", "joint", "accumulated", "mix", "scaling", "r3f", "r3f-independent", "r3f-scaling", "r4f")
    rungs = {one["run"]: one for one in commands("ladder.sh", RUNGS=" ".join(names))}
    assert tuple(rungs) == names
    assert [rungs[name]["corpora"] for name in names[:3]] == [english] * 3
    assert {rungs[name]["corpora"] for name in names[3:]} == {english.replace(",xnli,", ",xnli-mix,")}
    for name, draws, batch, steps in (("homogeneous", 1, 64, 2), ("joint", 4, 32, 1), ("r3f", 4, 8, 4)):
        options = rungs[name]["options"]
        value = dict(itertools.pairwise(options))
        assert (value.get("--corpora-per-batch", "1"), value["--batch-size"]) == (str(draws), str(batch))
        assert value.get("--update-freq", "1") == str(steps)
        assert draws * batch * steps == 128  # the effective batch is the same for all (chapter 4)
        assert value["--save-interval-updates"] == "200" and "--joint-best" in rungs[name]["line"]  # chapter 4
        assert "--lr 7.5e-6 --lr-scheduler fixed --warmup-updates 0 --clip-norm 0 " in rungs[name]["line"]
    assert rungs["mix"]["options"] == rungs["accumulated"]["options"]
    r3f, scaling = (rungs[name]["options"][len(rungs["mix"]["options"]) :] for name in ("r3f", "scaling"))
    assert {r3f[0], scaling[0]} == {"--criterion", "--loss-scaling"}
    assert rungs["r3f-scaling"]["options"] == [*rungs["mix"]["options"], *r3f, *scaling]
    assert rungs["r3f-independent"]["options"] == [*rungs["r3f"]["options"], "--r3f-dropout", "independent"]
    assert rungs["r4f"]["options"] == [*rungs["r3f-scaling"]["options"], "--r4f"]
    singles = commands("ladder.sh", RUNGS="single")
    assert [one["run"] for one in singles] == [f"single/seed{s}/{task}" for task in ("xnli", "qam-en") for s in "12"]
    _, mlm, both = commands("mlm.sh", SEEDS="1")
    assert mlm["corpora"] == f"{english},mlm-en,mlm-de,mlm-es,mlm-zh"
    assert mlm["options"][-2:] == ["--mlm-batch-share", "0.01"] and "multitask_r3f" in both["options"]
    targets = [one for one in commands("target.sh", SEEDS="3") if one["run"].startswith("target/")]
    starts = {
        one["run"].removeprefix("target/"): one["line"].split("--init-from ")[1].split()[0].removeprefix(f"{tmp_path}/")
        for one in targets
    }
    said = json.loads((RECIPES / "table4.14.json").read_text())["rows"]
    assert list(starts) == list(said)  # the rows of table 4.14
    best = "seed3/joint/checkpoint_best.pt"
    assert starts["source"] == f"single/seed3/xnli/{best}" and starts["joint-xnli-lora"] == f"joint/{best}"
    assert starts["encoder-lora"] == "encoder.pt" and starts["r3f-xnli"] == f"r3f-scaling/{best}"
    for one in targets:
        name = one["run"].removeprefix("target/")
        assert ("--lora-rank 32" in one["line"]) == name.endswith("lora")
        assert (str(RECIPES / "target.yaml") in one["line"]) == ("xnli" in name)
    alone, formed = (
        yaml.safe_load(file.read_text())["corpora"]["ctkfacts"]
        for file in (tmp_path / "target/alone.yaml", RECIPES / "target.yaml")
    )
    assert formed["head_from"] == "mnli" and "head_from" not in alone
    assert (formed["prefix"], alone["prefix"]) == ("xnli", "ctkfacts_nli")  # figure 3.2
    assert (formed["text_names"]["text_b"], alone["text_names"]["text_b"]) == ("hypothesis", "claim")
    assert alone["targets"]["neutral"] == "NOT ENOUGH INFO" and "targets" not in formed
    failed = subprocess.run(["bash", RECIPES / "ladder.sh"], capture_output=True, text=True, check=False,
                            env={**os.environ, **settings, "RUNGS": "mixed"})  # fmt: skip
    assert failed.returncode == 1 and failed.stderr.startswith("mixed: expected one of single, ")


def test_the_commands_of_the_ladder_with_mt5(tmp_path: Path) -> None:
    (tmp_path / "encoder.pt").touch()
    rungs = ["homogeneous", "joint", "accumulated", "mix", "r3f-scaling"]
    settings = {"PYTHON": "echo", "WORK": str(tmp_path), "DEVICE": "cpu", "SEEDS": "1", "TASKS": "xnli qam-en",
                "THESIS_DATA": str(tmp_path), "SKILL_DATA": str(tmp_path), "RUNGS": " ".join(rungs)}  # fmt: skip
    done = subprocess.run(["bash", RECIPES / "mt5.sh"], capture_output=True, text=True, check=True,
                          env={**os.environ, **settings})  # fmt: skip
    runs = [line.split() for line in done.stdout.splitlines() if line.startswith("$ echo") and "two_stage.py" in line]
    names = [Path(words[3]).relative_to(tmp_path).parts[0] for words in runs]
    assert list(dict.fromkeys(names)) == [*rungs, "mlm", "mlm-r3f"]
    for words in runs:
        line = " ".join(words)
        assert words[words.index("--arch") + 1] == "mt5_base"
        assert "--optimizer adafactor" in line and "--lr 1e-3 --lr-scheduler fixed" in line
        assert words[words.index("--updates") + 1] == "20000"
    joint = " ".join(runs[names.index("joint")])
    assert "--corpora-per-batch 8 --batch-size 16" in joint  # chapter 4: four GPUs, two batches accumulated
    assert f"{tmp_path}/r3f-scaling/seed1/joint/checkpoint_best.pt" in done.stdout
    assert "--decode greedy" in done.stdout and "tables4.3-4.10.json" in done.stdout
    said = json.loads((RECIPES / "tables4.3-4.10.json").read_text())["rows"]
    assert list(said) == [TITLES.get(name, "joint, one task a pass") for name in ("single", "single-mix", *rungs)]


# whole recipes


@pytest.fixture(scope="module")
def work(raw: Path, word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thesis")
    return cut_work(RECIPES, ("corpora", "target"), raw, word_piece_tokens, folder, PARALLEL)


@pytest.fixture(scope="module")
def recipe(work: Path) -> Recipe:
    own = {"BATCH": "16", "MAX_LENGTH": "64", "XNLI_TRAIN": "18", "PAWSX_TRAIN": "16", "TARGET_EPOCHS": "1"}
    return prepared(RECIPES, work, **own)


@pytest.mark.slow
@pytest.mark.long
def test_translate_train_beside_zero_shot(recipe: Recipe, work: Path, word_piece_tokens: list[str]) -> None:
    tiny_encoder(word_piece_tokens, work, "encoder-mbert.pt")
    recipe("translate.sh", ENCODERS="xlmr mbert", JOBS="2")
    rows = [f"{name}, {scheme}" for name in ("xlmr", "mbert") for scheme in ("translate-train", "zero-shot")]
    for task in ("xnli", "pawsx"):
        content = table(work, f"translate-{task}")
        assert list(content["rows"]) == rows and content["all"] == [f"{task}-{language}" for language in LANGUAGES]
        english = {row: content["rows"][row]["corpora"][f"{task}-en"] for row in rows}
        assert english[rows[0]] == english[rows[1]] and english[rows[2]] == english[rows[3]]
        folder = work / "translate/mbert"
        log = (folder / f"translate-train/seed1/{task}/de/seed1/joint/train.log").read_text()
        assert re.search(f"planned shares: {task}-train-de 100", log) and f"--init-from {work}/encoder-mbert.pt" in log
        log = (folder / f"zero-shot/seed1/{task}/seed1/joint/train.log").read_text()
        assert re.search(f"planned shares: {task}-train-en 100", log)
        said = json.loads((RECIPES / f"tables4.1-4.2-{task}.json").read_text())["rows"]
        assert list(said) and all(
            fmean(value for name, value in row.items() if name != "all") == pytest.approx(row["all"], abs=0.06)
            for row in said.values()
        )


def model(run: Path) -> dict[str, torch.Tensor]:
    content: dict[str, torch.Tensor] = torch.load(run / "checkpoint_best.pt", weights_only=True)["model"]
    return content


@pytest.mark.slow
@pytest.mark.long
def test_the_ladder(recipe: Recipe, work: Path) -> None:
    recipe("ladder.sh", RUNGS=" ".join(TITLES))
    content = table(work, "ladder")
    assert list(content["rows"]) == list(TITLES.values())
    assert list(content["metrics"]) == SCORED
    assert content["all"] == [name for name in SCORED if name != "nc-de"]  # does not count
    languages = table(work, "languages")
    assert list(languages["languages"]) == list(LANGUAGES)
    for name in ("joint", "r3f-scaling"):
        results = json.loads((work / name / "seed1/joint/results.json").read_text())
        row = languages["rows"][TITLES[name]]
        assert {lang: row["languages"][lang]["mean"] for lang in LANGUAGES} == pytest.approx(results["by_language"])
        assert row["all"]["mean"] == pytest.approx(results["avg"])
    single, mixed = (content["rows"][TITLES[name]]["corpora"] for name in ("single", "single-mix"))
    assert {name: mixed[name] for name in SCORED[4:]} == {name: single[name] for name in SCORED[4:]}
    logs = [(work / name / "seed1/joint/train.log").read_text() for name in ("joint", "mix")]
    assert [bool(re.search("planned shares: .*xnli-mix-de", log)) for log in logs] == [False, True]
    assert not all(torch.equal(one, model(work / "mix/seed1/joint")[name])
                   for name, one in model(work / "r3f/seed1/joint").items())  # fmt: skip
    out = recipe("ladder.sh", RUNGS="joint r3f-scaling")  # nothing is done again
    assert out.count("done already: 1 of 1 run") == 2
    assert list(table(work, "ladder")["rows"]) == [TITLES["joint"], TITLES["r3f-scaling"]]


@pytest.mark.slow
@pytest.mark.long
def test_the_ladder_with_mt5(raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    """From random weights, to answers that are written."""
    own = {"BATCH": "16", "MAX_LENGTH": "64", "XNLI_TRAIN": "18", "PAWSX_TRAIN": "16"}
    cut = cut_work(RECIPES, ("corpora", "target"), raw, word_piece_tokens, tmp_path, PARALLEL)
    work, rungs = tmp_path / "mt5", ("single", "single-mix", "joint", "r3f-scaling")
    prepared(RECIPES, cut, **own)("mt5.sh", WORK=str(work), RUNGS=" ".join(rungs), TASKS="xnli qam-en")
    content = table(work, "ladder")
    assert list(content["rows"]) == [TITLES[name] for name in rungs]
    single, mixed = (content["rows"][TITLES[name]]["corpora"] for name in rungs[:2])
    assert mixed.keys() == single.keys() and mixed["qam-en"] == single["qam-en"]
    assert list(table(work, "mlm")["rows"]) == ["joint", "+ MLM", "+ MLM, R3F, loss scaling"]
    assert list(table(work, "greedy")["rows"]) == ["chosen", "written"]
    assert "unreadable" in json.loads((work / "greedy/seed1/results.json").read_text())["corpora"]["xnli-en"]


@pytest.mark.slow
@pytest.mark.long
def test_masked_language_models_and_the_target_corpus(recipe: Recipe, work: Path) -> None:
    recipe("mlm.sh", MLM_SHARE="0.5")
    assert list(table(work, "mlm")["rows"]) == ["joint", "+ MLM", "+ MLM, R3F, loss scaling"]
    assert any(name.startswith("model.heads.mlm") or ".mlm." in name for name in model(work / "mlm/seed1/joint"))
    recipe("target.sh", TARGETS="encoder source joint joint-xnli-lora", JOBS="2")
    content = table(work, "target")
    assert list(content["rows"]) == ["encoder", "source", "joint", "joint-xnli-lora"]
    assert content["metrics"] == {"ctkfacts": "macro_f1"}
    assert table(work, "target-micro")["metrics"] == {"ctkfacts": "accuracy"}
    alone = (work / "target/joint/seed1/single/ctkfacts/train.log").read_text()
    assert "starts from xnli" not in alone
    log = (work / "target/joint-xnli-lora/seed1/single/ctkfacts/train.log").read_text()
    assert "heads: ctkfacts starts from xnli" in log  # the head that mnli shares


@pytest.mark.slow
@pytest.mark.long
def test_train_and_the_configuration_for_hydra(recipe: Recipe, work: Path, tmp_path: Path) -> None:
    recipe("train.sh")
    assert list(json.loads((work / "checkpoints/results.json").read_text())["corpora"])[-13:] == SCORED
    hydra = [
        sys.executable, "-m", "fairseq_cli.hydra_train", "--config-dir", RECIPES / "conf", "--config-name", "thesis",
        f"common.user_dir={RECIPES.parents[1] / 'skill_plugin'}", f"task.data={work / 'data-bin'}",
        f"task.corpora={RECIPES / 'corpora.yaml'}", f"task.init_from={work / 'encoder.pt'}", "common.cpu=true",
        f"checkpoint.save_dir={tmp_path / 'saved'}", f"hydra.run.dir={tmp_path / 'outputs'}",
        "model._name=dense_tiny", "optimization.max_update=2", "dataset.batch_size=1", "task.max_length=64",
        "optimization.lr=[7.5e-6]", "dataset.num_workers=0", "dataset.disable_validation=true",
    ]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SKILL_DATA": str(work / "raw"),
                   "THESIS_DATA": str(work / "parallel")}  # fmt: skip
    done = subprocess.run(hydra, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    saved = torch.load(tmp_path / "saved/checkpoint_last.pt", weights_only=True)
    assert saved["optimizer_history"][-1]["num_updates"] == 2
