"""Every kind of corpus in one model: trained, scored on one and two ranks, stopped and resumed, asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
import torch

from skill_plugin.kinds.registry import kind_named, kind_names
from tests.integration.conftest import Made, Run

pytestmark = pytest.mark.slow
UPDATES = 40


Train = Callable[..., Run]


@pytest.fixture(scope="module")
def train_kinds(train: Train, every_kind: Made) -> Train:
    def run(folder: Path, *more: object, good: bool = True) -> Run:
        return train(folder, "--corpora", every_kind.corpora, *more, good=good, data=every_kind.data)

    return run


@pytest.fixture(scope="module")
def run(train_kinds: Train, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    return train_kinds(folder, "--max-update", UPDATES, "--save-interval-updates", UPDATES // 2)


def scores(run: Run) -> dict[str, float]:
    """The last validation's values."""
    return {key: float(value) for key, value in run.log("valid_avg")[-1].items() if key.startswith("valid_")}


def test_training_and_evaluate_agree(run: Run, every_kind: Made, command: Callable[..., Any], tmp_path: Path) -> None:
    """DESIGN, invariant 8; metrics that are not between 0 and 1, and MLM and NSP, are no part of avg."""
    status, _, err = command("evaluate", run.folder / "checkpoint_last.pt", every_kind.data, "--json", tmp_path / "r")
    assert status == 0, err
    results, logged = json.loads((tmp_path / "r").read_text()), scores(run)
    assert {result["kind"] for result in results["corpora"].values()} == set(kind_names())
    for name, result in results["corpora"].items():
        logged_value = logged[f"valid_{name}_{result['metric']}"]
        assert logged_value == pytest.approx(result["value"], rel=1e-4, abs=2e-6)
    averaged = [r["value"] for r in results["corpora"].values() if kind_named(r["kind"]).in_average]
    assert logged["valid_avg"] == pytest.approx(sum(averaged) / len(averaged), abs=1e-5)


def test_two_ranks_score_as_one(run: Run, train_kinds: Train, tmp_path: Path) -> None:
    same = ("--init-from", run.folder / "checkpoint_last.pt", "--lr", 0, "--max-update", 1)
    two = train_kinds(tmp_path, *same, "--distributed-world-size", 2, "--distributed-backend", "gloo")
    logged = scores(two)
    for key, value in scores(run).items():
        if "-" in key or key == "valid_avg":  # the corpora's own
            assert logged[key] == pytest.approx(value, rel=1e-3, abs=2e-4), key


def test_resume_is_exact(run: Run, train_kinds: Train, tmp_path: Path) -> None:
    """Hidden tokens and sentence pairs are those of the run that was never stopped."""
    middle = run.folder / f"checkpoint_1_{UPDATES // 2}.pt"
    resumed = train_kinds(tmp_path, "--restore-file", middle, "--max-update", UPDATES)
    expected = run.checkpoint()["model"]
    for name, tensor in resumed.checkpoint()["model"].items():
        assert torch.equal(tensor, expected[name]), name


def test_reference_metrics_on_what_predict_says(
    run: Run, every_kind: Made, command: Callable[..., Any], tmp_path: Path
) -> None:
    """Tags, scores and answers survive the whole way from the raw files."""
    metrics = pytest.importorskip("seqeval.metrics")
    from seqeval.scheme import IOB2

    def ask(corpus: str, lines: list[str]) -> list[dict[str, Any]]:
        (tmp_path / "in").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        checkpoint = run.folder / "checkpoint_last.pt"
        status, _, err = command("predict", checkpoint, "--corpus", corpus, tmp_path / "in", tmp_path / "out", "--json")
        assert status == 0, err
        return [json.loads(line) for line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()]

    raw, logged = every_kind.corpora.parent / "raw", scores(run)
    for corpus in ("names-en", "names-zh"):
        blocks = (raw / f"{corpus}.valid.conll").read_text(encoding="utf-8").strip().split("\n\n")
        gold = [[line.split()[:2] for line in block.splitlines()] for block in blocks]
        said = ask(corpus, [json.dumps({"words": [word for word, _ in sentence]}) for sentence in gold])
        tags = [answer["tags"] for answer in said], [[tag for _, tag in sentence] for sentence in gold]
        expected = metrics.f1_score(tags[1], tags[0], mode="strict", scheme=IOB2, zero_division=0)
        assert logged[f"valid_{corpus}_f1"] == pytest.approx(expected, abs=1e-6)
    rows = [line.split(",") for line in (raw / "similarity-en.valid.csv").read_text().splitlines()[1:]]
    said = ask("similarity-en", [f"{first}\t{second}" for first, second, _ in rows])
    correlation = scipy.stats.pearsonr([answer["unclipped"] for answer in said], [float(score) for *_, score in rows])
    assert logged["valid_similarity-en_pearson"] == pytest.approx(float(correlation[0]), abs=1e-4)
    document = json.loads((raw / "questions-en.valid.json").read_text())
    asked = [
        (question, paragraph["context"])
        for article in document["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    said = ask("questions-en", [json.dumps({"question": q["question"], "context": text}) for q, text in asked])
    assert len(said) == len(asked)
    for (_, context), answer in zip(asked, said, strict=True):
        assert context[answer["start"] : answer["end"]] == answer["text"]


def test_a_share_of_the_batches_is_of_masked_lm_corpora(train_kinds: Train, tmp_path: Path) -> None:
    """Far more than their 80 of 160 rows would give them; and another share is another plan."""
    options = ("--only-corpora", "nli-zh,reviews-en,text-de,text-zh", "--save-interval-updates", 15)
    run = train_kinds(tmp_path, *options, "--mlm-batch-share", 0.75, "--max-update", 15)
    meters = {name: state for _, name, _, state in run.checkpoint()["extra_state"]["metrics"]["train"]}
    labels = list(run.checkpoint()["task_state"]["bundle"]["labels"])
    drawn = dict(zip(labels, meters["_corpus_segments"]["sum"].tolist(), strict=True))
    assert sum(drawn.values()) == 15
    assert drawn["text-de"] + drawn["text-zh"] >= 8 and drawn["nli-zh"] + drawn["reviews-en"] >= 1
    other = train_kinds(tmp_path, *options, "--mlm-batch-share", 0.5, "--max-update", 16, good=False)
    assert other.status == 1
    assert "cannot resume: mlm-batch-share was 0.75, now 0.5" in other.output.splitlines()[-1]
