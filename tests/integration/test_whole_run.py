"""From raw corpora to scores: what a user does, in the order in which they do it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.errors import InputError
from skill_plugin.kinds.input_form import make_input_form
from skill_plugin.nn.packed_batch import pack
from tests import warm_process
from tests.chromium import Browser, check_shown
from tests.html_page import HtmlPage

pytestmark = pytest.mark.slow
PLUGIN = Path(__file__).parents[2] / "skill_plugin"
LANGUAGES = ("en", "de", "es", "zh")
NAMES = [f"{task}-{language}" for language in LANGUAGES for task in ("nli", "reviews")]


def test_training_validation_and_evaluate_agree(
    trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    logged = trained.log("valid_avg")[-1]
    status, out, err = command(
        "evaluate", trained.folder / "checkpoint_last.pt", made.data, "--json", tmp_path / "r.json"
    )
    assert status == 0, err
    results = json.loads((tmp_path / "r.json").read_text())
    assert set(NAMES) < set(results["corpora"])
    for name, result in results["corpora"].items():
        assert float(logged[f"valid_{name}_{result['metric']}"]) == pytest.approx(result["value"], abs=1e-6)
        assert result["language"] == name[-2:]
        assert result["n"] == 10
    for name in NAMES:
        assert (results["corpora"][name]["kind"], results["corpora"][name]["metric"]) == ("classification", "accuracy")
    assert float(logged["valid_avg"]) == pytest.approx(results["avg"], abs=1e-6)
    assert results["by_language"].keys() == {"en", "de", "es", "zh"}
    assert "reviews" in out and "avg" in out


def test_metrics_are_those_of_predict_on_the_raw_texts(
    trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    """Labels, tokens and order survive the whole way: predictions on the raw file give the accuracy that is logged."""
    rows = [line.split("\t") for line in (made.corpora.parent / "raw/nli-de.valid.tsv").read_text().splitlines()[1:]]
    (tmp_path / "in.tsv").write_text("".join(f"{a}\t{b}\n" for a, b, _ in rows))
    status, _, err = command(
        "predict",
        trained.folder / "checkpoint_last.pt",
        "--corpus",
        "nli-de",
        tmp_path / "in.tsv",
        tmp_path / "out.tsv",
    )
    assert status == 0, err
    answers = [line.split("\t")[0] for line in (tmp_path / "out.tsv").read_text().splitlines()]
    right = sum(answer == label for answer, (_, _, label) in zip(answers, rows, strict=True))
    assert right / len(rows) == pytest.approx(float(trained.log("valid_avg")[-1]["valid_nli-de_accuracy"]), abs=1e-6)


def test_the_checkpoint_needs_no_other_file(trained: Any, tmp_path: Path) -> None:
    alone = tmp_path / "alone.pt"
    shutil.copy(trained.folder / "checkpoint_best.pt", alone)
    program = (
        "import sys, skill_plugin; assert 'torch' not in sys.modules and 'fairseq' not in sys.modules\n"
        f"p = skill_plugin.load({str(alone)!r}).predict('nli-en', [('A man eats.', 'He runs.'), ('A', '')])\n"
        "print(p[0].label, len(p), sum(p[1].probabilities.values()), 'fairseq' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    label, number, total, fairseq = done.stdout.split()
    assert label in ("entailment", "neutral", "contradiction")
    assert (number, fairseq) == ("2", "False")
    assert float(total) == pytest.approx(1)
    assert done.stderr == ""


def test_predict_gives_one_line_for_each_line(trained: Any, command: Callable[..., Any], tmp_path: Path) -> None:
    """DESIGN, invariant 9."""
    lines = [
        "",
        "x" * 10_000,
        "a\u2028b\x85c\x0bd",
        "😀 👩‍👩‍👧",
        "tab\tsecond\tthird",
        "\x00",
        "中文",
        "mid\rdle",
        " ",
        "ᚠᛇᚻ",
    ]
    text = "\ufeff" + "\n".join(lines[:-1]) + "\r\n" + lines[-1]  # no end of line at the end
    (tmp_path / "in.txt").write_bytes(text.encode())
    for corpus, labels in (("reviews-zh", 2), ("nli-es", 3)):
        target = tmp_path / f"{corpus}.jsonl"
        status, _, err = command(
            "predict", trained.folder / "checkpoint_best.pt", "--corpus", corpus, tmp_path / "in.txt", target, "--json"
        )
        assert status == 0, err
        answers = [json.loads(line) for line in target.read_bytes().decode().split("\n")[:-1]]
        assert len(answers) == len(lines)
        assert all(len(answer["probabilities"]) == labels for answer in answers)


def test_predictions_do_not_depend_on_batch_mates(trained: Any) -> None:
    model = load(str(trained.folder / "checkpoint_best.pt"))
    texts = ["gut", "Das Hotel war furchtbar. " * 8, "Ein Kind isst", "", "x"]
    together = model.predict("reviews-de", texts)
    for text, answer in zip(texts, together, strict=True):
        (alone,) = model.predict("reviews-de", [text])
        assert alone.label == answer.label
        assert alone.probabilities == pytest.approx(answer.probabilities, abs=1e-5)


def test_describe_counts_what_gradients_reach(trained: Any, made: Any, command: Callable[..., Any]) -> None:
    status, out, err = command("describe", trained.folder / "checkpoint_best.pt", "--json")
    assert status == 0, err
    described = json.loads(out)
    model = load(str(trained.folder / "checkpoint_best.pt"))
    parameters = described["parameters"]
    assert parameters["total"] == sum(p.numel() for p in model.model.parameters())
    assert parameters["total"] == parameters["encoder"] + parameters["skills"] + parameters["heads"]
    for corpus in (*NAMES, "questions-en", "names-zh", "similarity-en"):
        model.model.zero_grad()
        items = model.items(corpus)
        texts = "a" if corpus.startswith(("reviews", "names")) else ("a", "b")
        (row,) = items.encode([make_input_form(items.corpus).example(texts)])
        batch = pack([(model.bundle.active_set(corpus), corpus, items.sequences(row))], token_types=False)
        model.model(batch).answers[0].sum().backward()
        reached = sum(p.numel() for p in model.model.parameters() if p.grad is not None)
        assert described["corpora"][corpus]["activated"] == reached
    status, out, _ = command("describe", "skillnet_x_ffn_mha_tiny", "--corpora", made.corpora, "--json")
    planned = json.loads(out)
    assert status == 0
    assert planned["parameters"]["skills"] == parameters["skills"]
    assert planned["corpora"]["nli-en"]["skills"] == ["generic", "sentence", "interact"]


def test_fairseq_validate_gives_the_same_average(trained: Any, made: Any) -> None:
    done = warm_process.run(
        [
            sys.executable, "-m", "fairseq_cli.validate", made.data, "--user-dir", PLUGIN,
            "--task", "multilingual_multitask", "--path", trained.folder / "checkpoint_last.pt", "--batch-size", "7",
            "--cpu", "--num-workers", "0", "--log-format", "json",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    output = done.stdout + done.stderr
    scores = next(
        json.loads(line[line.index("{") :]) for line in output.splitlines() if "valid_avg" in line or '"avg"' in line
    )
    logged = trained.log("valid_avg")[-1]
    for name in ("avg", "avg_de", "worst"):
        value = float(scores.get(f"valid_{name}", scores.get(name)))
        # the worst is a correlation of answers that differ in their last digits only, and batches are others here
        assert value == pytest.approx(float(logged[f"valid_{name}"]), abs=1e-6 if name != "worst" else 2e-5)


def test_init_from_a_trained_checkpoint(trained: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, "--init-from", trained.folder / "checkpoint_best.pt", "--max-update", 1, "--lr", 0)
    before = trained.checkpoint("checkpoint_best.pt")["model"]
    assert all(torch.equal(tensor, before[name]) for name, tensor in run.checkpoint()["model"].items())
    assert "fresh: nothing" in run.output


def test_unknown_corpus_and_wrong_file_are_one_line(
    trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    checkpoint = trained.folder / "checkpoint_best.pt"
    (tmp_path / "in.txt").write_bytes(b"good\n\xff\xfe bad\n")
    (tmp_path / "junk.pt").write_bytes(b"junk")
    cases = {
        ("predict", checkpoint, "--corpus", "nli-eng", "-"): "no corpus 'nli-eng'; did you mean 'nli-en'?",
        ("predict", checkpoint, "--corpus", "nli-en", tmp_path / "none.txt"): "none.txt: no such file",
        ("predict", checkpoint, "--corpus", "nli-en", tmp_path / "in.txt", tmp_path / "out"): "in.txt:2: not UTF-8",
        ("predict", tmp_path / "junk.pt", "--corpus", "nli-en", "-"): "junk.pt: not a file of torch.save",
        ("evaluate", checkpoint, tmp_path / "nowhere"): "nowhere: no such folder",
        ("evaluate", checkpoint, made.data, "--split", "test"): "nothing to score",
        (
            "describe",
            "skillnet_tny",
            "--corpora",
            made.corpora,
        ): "neither a file nor an architecture; did you mean 'skillnet_tiny'?",
    }
    for arguments, message in cases.items():
        status, out, err = command(*arguments)
        assert status == 1, arguments
        assert message in err and err.count("\n") == 1, err
        assert not out
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="not a file of torch"):
        load(str(tmp_path / "junk.pt"))


def test_its_report(trained: Any, made: Any, command: Callable[..., Any], browser: Browser, tmp_path: Path) -> None:
    """The page of a real run, as phones, screens and printers show it: curves, shares, errors, data and commands."""
    out = tmp_path / "report.html"
    run, checkpoint = trained.folder, trained.folder / "checkpoint_last.pt"
    status, _, err = command("report", checkpoint, "--data", made.data, "--baseline", run, "--out", out)
    assert status == 0, err
    page = HtmlPage.read(out)
    logged = trained.log("valid_avg")
    curves = page.section("training").table("updates")
    first = next(iter(curves))
    assert curves[f"{int(logged[-1]['valid_num_updates']):,}"][0] == f"{100 * float(logged[-1]['valid_avg']):.1f}"
    assert len(curves) == len({entry["valid_num_updates"] for entry in logged}) + 1, first
    scores = page.section("scores").text
    assert f"avg {100 * float(logged[-1]['valid_avg']):.1f} " in scores
    settings = page.section("settings").text
    assert page.section("settings").table("option")["--arch"] == ["skillnet_x_ffn_mha_tiny"]
    assert "fairseq-train" in settings and "--save-dir" in settings
    assert "rows that went most wrong" in page.section("errors").text
    assert "notice" in page.section("data").text
    check_shown(browser, out, tmp_path)


def test_layers_that_are_computed_again_change_nothing(trained: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    """Bit by bit, with dropout."""
    run = train(tmp_path, "--max-epoch", 2, "--checkpoint-activations")
    expected = trained.checkpoint()["model"]
    assert all(torch.equal(tensor, expected[name]) for name, tensor in run.checkpoint()["model"].items())
