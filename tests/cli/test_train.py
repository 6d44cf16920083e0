"""``skill-plugin train``: one run that is stopped and goes on, and what of it is done again."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from skill_plugin.report.run_log import read_run_log
from skill_plugin.text.learn_pieces import learn_model
from tests import warm_process

pytestmark = pytest.mark.slow
Command = Callable[..., tuple[int, str, str]]
CORPORA = """\
languages: [en, de]
skills: {generic: always on}
corpora:
  films:
    {kind: classification, language: en, skills: [generic], format: tsv, columns: {text_a: text, label: label},
     train: films.tsv, valid: films.valid.tsv}
  filme:
    {kind: classification, language: de, skills: [generic], format: tsv, columns: {text_a: text, label: label},
     train: filme.tsv, split: {valid: 25%}}
"""
WORDS = {"films": ("good fine nice", "bad poor dull"), "filme": ("gut schön toll", "schlecht öde fad")}
SAVES = shlex.split(
    "--save-interval-updates 4 --validate-interval-updates 8 --keep-interval-updates 0 --log-interval 2"
)
OPTIONS = (
    "--encoder",
    "none",
    "--",
    "--max-update",
    64,
    "--batch-size",
    8,
    "--num-workers",
    0,
    "--patience",
    50,
    *SAVES,
)


def write_corpora(folder: Path) -> Path:
    """Two small corpora that a tiny model learns."""
    for name, sides in WORDS.items():
        rows = [
            f"it is {word} number {i}\t{label}"
            for i in range(20)
            for label, side in zip(("yes", "no"), sides, strict=True)
            for word in side.split()
        ]
        (folder / f"{name}.tsv").write_text("text\tlabel\n" + "".join(f"{row}\n" for row in rows))
        (folder / f"{name}.valid.tsv").write_text("text\tlabel\n" + "".join(f"{row}\n" for row in rows[:20]))
    (folder / "corpora.yaml").write_text(CORPORA)
    return folder / "corpora.yaml"


@dataclass(frozen=True)
class Trained:
    """What the first part of a run said, before it was stopped, and the second."""

    corpora: Path
    stopped: str
    finished: str

    @property
    def folder(self) -> Path:
        return self.corpora.with_name("corpora-run")


def start(corpora: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "skill_plugin", "train", str(corpora), *map(str, OPTIONS)]
    return warm_process.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **warm_process.ONE_THREAD},
    )


def read_until(process: subprocess.Popen[str], text: str) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line
        if text in line:
            return


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    corpora = write_corpora(tmp_path_factory.mktemp("train"))
    process = start(corpora)
    said = "".join(read_until(process, "update 6 of 64"))
    process.send_signal(signal.SIGINT)  # to it alone, as kill does it
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said + rest
    process = start(corpora)
    finished, _ = process.communicate(timeout=200)
    assert process.returncode == 0, finished
    return Trained(corpora, said + rest, finished)


def test_a_stop_says_how_to_go_on_and_the_next_does(trained: Trained) -> None:
    last = trained.stopped.strip().splitlines()[-1]
    assert last.startswith(f"stopped; the same command goes on: skill-plugin train {trained.corpora} --encoder none")
    assert "Traceback" not in trained.stopped + trained.finished
    for name in ("tokenizer", "check", "prepare"):
        assert f"skill-plugin {name} " in trained.stopped
        assert f"# done before: {name}" in trained.finished
    starts = [line["update"] for line in read_run_log(trained.folder / "log.jsonl") if line["event"] == "start"]
    assert starts[0] == 0
    assert 4 <= starts[1] < 64


def test_it_ends_with_the_table_and_where_the_model_is(trained: Trained) -> None:
    results = json.loads((trained.folder / "results.json").read_text())
    assert results["avg"] > 0.8
    assert "valid, in percent" in trained.finished
    assert f"the model: {trained.folder / 'checkpoint_best.pt'}" in trained.finished
    assert read_run_log(trained.folder / "log.jsonl")[-1]["reason"] == "max_update"


def test_what_stands_is_not_done_again(trained: Trained, command: Command) -> None:
    times = {path: path.stat().st_mtime_ns for path in trained.folder.rglob("*") if path.is_file()}
    status, out, err = command("train", trained.corpora, *OPTIONS)
    assert (status, err) == (0, "")
    assert "$ " not in out
    assert out.count("# done before: ") == 6
    assert "films" in out and "avg" in out
    assert {path: path.stat().st_mtime_ns for path in trained.folder.rglob("*") if path.is_file()} == times


@pytest.mark.parametrize("more", [("--preset", "quick"), ("--only-corpora", "films")])
def test_a_run_that_was_asked_for_otherwise_is_refused(
    more: tuple[str, str], trained: Trained, command: Command
) -> None:
    status, _, err = command("train", trained.corpora, *more, *OPTIONS)
    assert status == 1
    message = f"holds a run whose {more[0]} was not given, now {more[1]}; keep it, or name another --out"
    assert err == f"{trained.folder}: {message}\n"
    status, _, err = command("train", trained.corpora, *OPTIONS, "--lr", "7e-3")
    assert (status, err) == (
        1,
        f"{trained.folder}: holds a run whose --lr was not given, now 7e-3; keep it, or name another --out\n",
    )


def test_data_that_changed_since_is_named(trained: Trained, command: Command) -> None:
    raw = trained.corpora.with_name("films.tsv")
    before = raw.read_text()
    raw.write_text(before + "it is new\tyes\n")
    try:
        status, out, err = command("train", trained.corpora, *OPTIONS)
    finally:
        raw.write_text(before)
    message = f"holds a model that was trained before {raw} changed; name another --out, or delete this folder"
    assert (status, out, err) == (1, "", f"{trained.folder}: {message}\n")


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("head_from: film, ", "corpus 'kinder': head_from: {file} has no corpus 'film'; did you mean 'films'?"),
        (
            'head_from: films, labels: ["yes", maybe, "no"], ',
            "corpus 'kinder': head_from: {file} has 'films' with the labels no, yes; expected those of 'kinder', in "
            "this order: yes, maybe, no",
        ),
    ],
)
def test_what_a_corpus_cannot_start_from_is_told_before_anything_is_prepared(
    more: str, fault: str, trained: Trained, command: Command, tmp_path: Path
) -> None:
    corpora = write_corpora(tmp_path)
    corpora.write_text(CORPORA.replace("  filme:\n    {", f"  kinder:\n    {{{more}").replace("films:", "neue:"))
    number = 1 + next(i for i, line in enumerate(corpora.read_text().splitlines()) if more in line)
    encoder, out = trained.folder / "checkpoint_best.pt", tmp_path / "run"
    for extra in ((), ("--print",)):
        status, said, err = command("train", corpora, "--encoder", encoder, "--out", out, *extra)
        assert (status, said) == (1, "")
        assert err == f"{corpora}:{number}: {fault.format(file=encoder)}\n"
        assert not out.exists()
    status, _, err = command("train", corpora, "--encoder", "none", "--print")
    assert (status, err) == (0, "")  # random weights have nothing to start from


def test_a_tokenizer_of_another_encoder_is_refused(trained: Trained, command: Command, tmp_path: Path) -> None:
    corpora, out = write_corpora(tmp_path), tmp_path / "run"
    encoder, other = trained.folder / "checkpoint_best.pt", tmp_path / "other.model"
    other.write_bytes(learn_model(["other words are here"], 300))
    line = ("train", corpora, "--encoder", encoder, "--out", out, "--print", "--tokenizer")
    status, said, err = command(*line, other)
    message = f"its pieces are not those of {encoder}: name the tokenizer of that, or leave out --tokenizer for its own"
    assert (status, said, err) == (1, "", f"{other}: {message}\n")
    assert command(*line, trained.folder / "tokenizer.model")[::2] == (0, "")


def test_printed_commands_do_the_same(trained: Trained, command: Command, tmp_path: Path) -> None:
    status, out, err = command("train", trained.corpora, "--out", tmp_path / "by hand", "--print", *OPTIONS)
    assert (status, err) == (0, "")
    assert not (tmp_path / "by hand").exists()
    done = subprocess.run(
        ["bash", "-ec", out], capture_output=True, text=True, env={**os.environ, **warm_process.ONE_THREAD}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = (
        json.loads((folder / "results.json").read_text()) for folder in (trained.folder, tmp_path / "by hand")
    )
    assert theirs == ours  # as training goes on bit by bit


def test_pieces_are_not_written_over_what_they_are_learned_from(command: Command, tmp_path: Path) -> None:
    corpora = write_corpora(tmp_path)
    for file in (corpora, tmp_path / "films.tsv"):
        before = file.read_bytes()
        status, out, err = command("tokenizer", corpora, file)
        assert (status, out, err) == (1, "", f"{file}: is read and to be written; name another file to write\n")
        assert file.read_bytes() == before


def test_without_an_encoder_it_says_where_there_are_some(command: Command, tmp_path: Path) -> None:
    corpora = write_corpora(tmp_path)
    status, out, err = command("train", corpora)
    assert (status, out) == (2, "")
    assert "hf download FacebookAI/xlm-roberta-base" in err
    assert "--encoder xlm-roberta-base" in err and "--encoder none" in err
    assert list(tmp_path.glob("corpora-run*")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.yaml --encoder none", "nowhere.yaml: the corpora file cannot be read: no such file"),
        ("corpora.yaml --encoder nowhere", "nowhere: --encoder: no such file or folder"),
        ("corpora.yaml --encoder .", ".: expected a Hugging Face folder, with config.json, weights and a tokenizer"),
        ("corpora.yaml --encoder none --preset quik", "--preset quik: there is none; did you mean 'quick'?"),
        ("corpora.yaml --encoder none -- --save-dir x", "-- --save-dir cannot be given: it is --out"),
        ("corpora.yaml --encoder none -- --lrr 3", "-- --lrr: fairseq-train has no such option; did you mean '--lr'?"),
        ("untrained.yaml --encoder none", "untrained.yaml: no corpus has a train split to train on"),
        (
            "tagged.yaml --encoder none -- --arch mt5_tiny",
            "tagged.yaml:4: corpus 'films': a text-to-text model does not answer the kind multilabel; it answers "
            "classification, ranking, word_in_context, masked_lm, next_sentence; --only-corpora says which corpora are "
            "read",
        ),
        (
            "corpora.yaml --encoder none -- --arch mt5_tiny --fp16",
            "-- --fp16: activations of mt5 overflow half precision; use --autocast bf16 (bf16 compute, float32 "
            "weights)",
        ),
        (
            "raw.yaml --encoder none -- --arch mt5_tiny",
            "raw.yaml:7: corpus 'filme': span corruption needs mT5's pieces <extra_id_0>, <extra_id_1>, …, which the "
            "vocabulary lacks",
        ),
        (
            "alike.yaml --encoder none -- --arch mt5_tiny",
            "alike.yaml:4: corpus 'films': targets: the text 'ja ' is written in the same pieces as 'ja'; expected "
            "another one",
        ),
        (
            "short.yaml --encoder none",
            "short.yaml:4: corpus 'films': the longest sequence has 2 tokens; expected at least 3",
        ),
        (
            "missing.yaml --encoder none",
            "missing.yaml:6: corpus 'films': train: cannot read nowhere.tsv: No such file or directory",
        ),
        (
            "corpora.yaml --encoder none -- --mlm-batch-share 0.1",
            "-- --mlm-batch-share 0.1: no masked_lm corpus has training data",
        ),
        (
            "corpora.yaml --encoder none -- --validate-after-updates 9 --max-update 8",
            "--validate-after-updates 9: the run has 8 updates, and none would be validated; --disable-validation "
            "trains without",
        ),
        (". --encoder none", ".: the corpora file cannot be read: is a directory"),
        (
            "corpora.yaml --encoder none --only-corpora film",
            "corpora.yaml: unknown corpus 'film'; did you mean 'films'?",
        ),
    ],
)
def test_errors_are_one_line(
    arguments: str, message: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpora(tmp_path)
    (tmp_path / "untrained.yaml").write_text(re.sub(r"train: .*}", "test: films.tsv}", CORPORA))
    (tmp_path / "tagged.yaml").write_text(CORPORA.replace("kind: classification", "kind: multilabel", 1))
    raw = "kind: masked_lm, language: de, skills: [generic], format: tsv, columns: {text: text}"
    (tmp_path / "raw.yaml").write_text(re.sub("kind: classification, language: de,.*}", f"{raw}", CORPORA))
    (tmp_path / "alike.yaml").write_text(CORPORA.replace("format", 'targets: {"yes": "ja ", "no": ja}, format', 1))
    (tmp_path / "short.yaml").write_text(CORPORA.replace("format", "max_length: 2, format", 1))
    (tmp_path / "missing.yaml").write_text(CORPORA.replace("films.tsv", "nowhere.tsv"))
    before = {path.name for path in tmp_path.iterdir()}
    monkeypatch.chdir(tmp_path)
    status, out, err = command("train", *shlex.split(arguments))
    assert (status, out, err) == (1, "", f"{message}\n")
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "steps.json:1: not JSON"),
        ('{"begun": 3}', "steps.json: damaged: : Input should be a dictionary"),
        ('{"begun": {"asked": {}}}', "steps.json: damaged: lacks 'command'"),
        ('{"done": []}', "steps.json: damaged: : Input should be a valid dictionary"),
        (
            '{"begun": {"asked": {"CORPORA": "CORPORA.yaml", "--encoder": "none"}, "command": ["x"], "inputs": {}}}',
            "steps.json: damaged: holds no training that can go on",
        ),
    ],
)
def test_a_damaged_record_of_steps_is_one_line(content: str, message: str, command: Command, tmp_path: Path) -> None:
    corpora = write_corpora(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/steps.json").write_text(content.replace("CORPORA.yaml", str(corpora)))
    (tmp_path / "run/checkpoint_last.pt").touch()
    status, _, err = command("train", corpora, "--encoder", "none", "--out", tmp_path / "run", "--print")
    assert (status, err.count("\n")) == (1, 1)
    assert message in err


def test_faults_of_the_data_end_it_before_anything_is_prepared(tmp_path: Path) -> None:
    corpora = write_corpora(tmp_path)
    with (tmp_path / "films.tsv").open("a") as file:
        file.write("one\ttwo\tthree\n")
    process = start(corpora)
    said, _ = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "films.tsv:122:" in said and "Traceback" not in said
    assert not (tmp_path / "corpora-run/data-bin").exists()


@pytest.mark.parametrize("preset", ["quick", "paper:skillnet_x", "paper:thesis"])
def test_every_preset_gives_commands(preset: str, command: Command, tmp_path: Path) -> None:
    status, out, _ = command("train", write_corpora(tmp_path), "--encoder", "none", "--preset", preset, "--print")
    assert status == 0
    words = shlex.split(out.replace("\\\n", ""))
    assert words.count("--arch") == 1
    assert ("multitask_r3f" in words) == (preset == "paper:thesis")


def test_options_without_the_dashes_before_them_are_told(command: Command) -> None:
    status, _, err = command("train", "corpora.yaml", "--encoder", "none", "--max-update", 3)
    assert status == 2
    assert "No such option '--max-update'" in err and "behind --, as in: -- --max-update 1000" in " ".join(err.split())
