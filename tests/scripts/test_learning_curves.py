"""New corpora from several models: the runs, their scores, tables and refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import write_json
from tests.scripts.conftest import ROOT, Made, execute

SCRIPT = ROOT / "scripts" / "learning_curves.py"
sys.path.append(str(SCRIPT.parent))
import learning_curves  # noqa: E402

LINES = [
    {"event": "start", "update": 0},
    {"event": "train", "update": 3, "values": {"avg": 0.1}},
    {"event": "valid", "update": 3, "subset": "valid", "values": {"a/f1": 0.5, "avg": 0.5}},
    {"event": "valid", "update": 6, "subset": "valid", "values": {"avg": 0.75, "best_avg": 0.75}},
]


def run_with(folder: Path, start: str, corpus: str, seed: int, scores: dict[int, float]) -> learning_curves.Run:
    row = learning_curves.Start(start, "dense_tiny", "x.pt")
    run = learning_curves.Run(
        row, corpus, seed, max(scores), folder / f"{start}-{corpus}-{seed}", ["python", "--lr", "1"]
    )
    run.folder.mkdir()
    write_json(run.curve, {"command": ["--lr", "1"], "scores": scores})
    return run


def test_scores_are_those_of_the_log(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    assert learning_curves.read_scores(tmp_path / "log.jsonl") == {3: 0.5, 6: 0.75}


def test_the_table_has_the_best_of_each_run_and_the_curve_their_means(tmp_path: Path) -> None:
    runs = [
        run_with(tmp_path, "encoder", "a", 1, {1: 0.1, 2: 0.5}),
        run_with(tmp_path, "encoder", "a", 2, {1: 0.7, 2: 0.6}),
        run_with(tmp_path, "joint", "a", 1, {1: 0.2, 2: 0.8}),
        run_with(tmp_path, "joint", "a", 2, {1: 0.2, 2: 0.8}),
    ]
    learning_curves.report(tmp_path, ["encoder", "joint"], ["a"], runs, {"joint": {"a": 0.9269}})
    table = (tmp_path / "table.md").read_text().splitlines()
    assert table[0] == "|  | a | a, published | all − encoder |"
    assert table[2] == "| encoder | 60.0 ± 14.1 | – |  |"  # 50 and 70
    # of two seeds: 30 and 10 points, whose t is 2, of which 0.295 lies beyond with one degree of freedom
    assert table[3] == "| joint | 80.0 ± 0.0 | 92.69 | +20.0 [+10.0, +30.0] p 0.3 |"
    curve = (tmp_path / "curve.md").read_text().splitlines()
    assert curve[0] == "| a, after updates | 1 | 2 |"
    assert curve[2] == "| encoder | 40.0 ± 42.4 | 55.0 ± 7.1 |"
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert rows["joint"]["corpora"]["a"]["curve"] == {"1": [0.2, 0.2], "2": [0.8, 0.8]}
    assert rows["joint"]["differences"]["all"]["mean"] == pytest.approx(0.2) and rows["encoder"]["differences"] == {}


def test_runs_with_other_options_are_refused(tmp_path: Path) -> None:
    run = run_with(tmp_path, "joint", "a", 1, {1: 0.5})
    assert run.scores() == {1: 0.5}
    run.command[-1] = "2"
    with pytest.raises(InputError, match=r"made with other options than now \(2\); keep them, or name another RUN_DIR"):
        run.scores()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("joint=dense_tiny", "expected NAME=ARCH:CHECKPOINT"),
        ("joint=dense_tiny:nowhere.pt", "nowhere.pt: --start joint: no such file"),
    ],
)
def test_starts_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learning_curves.parse_start(text)


def test_published_scores_have_a_row_and_a_number_for_each_corpus() -> None:
    parse = learning_curves.parse_published
    assert parse(["joint=92.5,-"], ["joint"], ["a", "b"]) == {"joint": {"a": 0.925}}
    with pytest.raises(InputError, match="'jont' is the name of no --start; did you mean 'joint'"):
        parse(["jont=1"], ["joint"], ["a"])
    with pytest.raises(InputError, match="--published joint=2: 'joint' is named twice"):
        parse(["joint=1", "joint=2"], ["joint"], ["a"])
    for text in ("joint=1", "joint=1,x"):
        with pytest.raises(InputError, match="expected NAME=V,V, a number or - for each of a, b"):
            parse([text], ["joint"], ["a", "b"])


def test_a_seed_or_a_row_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.pt").touch()
    row = ("--start", f"a=dense_tiny:{tmp_path / 'model.pt'}")
    parse = learning_curves.parser().parse_args
    given = (str(tmp_path / "runs"), "data", "--corpora", "c.yaml", *row)
    for more, message in (
        (("--seeds", "1", "2", "1"), "--seeds: names 1 twice"),
        (row, "--start: names 'a' twice"),
        (("--only-corpora", "x,x"), "--only-corpora: names 'x' twice"),
    ):
        with pytest.raises(InputError, match=message):
            learning_curves.work(parse([*given, *more]), [])
    assert not (tmp_path / "runs").exists()


def call(made: Made, folder: Path, *given: str) -> tuple[int, str, str]:
    starts = [f"--start={start}:{made.encoder}" for start in given]
    return execute(
        SCRIPT, folder, made.data, "--corpora", made.corpora, "--only-corpora", "nli-en,names-en", *starts,
        "--seeds", 1, "--updates", 2, "--every", 1, "--jobs", 2, "--device", "cpu",
        "--", "--lr", "1e-3", "--batch-size", "8", "--num-workers", "0",
    )  # fmt: skip


@pytest.mark.slow
def test_whole_runs_are_made_once(made: Made, tmp_path: Path) -> None:
    starts = ("one=dense_tiny", "two=dense_tiny")
    status, out, err = call(made, tmp_path, *starts)
    assert (status, err) == (0, ""), out
    assert "[4/4]" in out
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    one, two = (rows[name]["corpora"] for name in ("one", "two"))
    assert list(one) == ["nli-en", "names-en"] and set(one["nli-en"]["curve"]) == {"1", "2"}
    assert one == two  # the same start and seed give the same scores, however many runs are made at a time
    assert not list(tmp_path.rglob("*.pt"))
    status, again, _ = call(made, tmp_path, *starts)
    assert status == 0 and "/4]" not in again and again.strip() in out


@pytest.mark.slow
def test_a_run_that_fails_says_why(made: Made, tmp_path: Path) -> None:
    status, _, err = call(made, tmp_path, "large=dense_small")
    assert status == 1 and "failed: " in err and "train.log" in err and "Traceback" not in err
