"""The tutorial, and every step of it by hand, done as they are written."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import sentencepiece
import transformers

from tests.docs.conftest import ROOT
from tests.warm_process import run

pytestmark = pytest.mark.long


def blocks(page: str) -> list[tuple[str, str]]:
    """Its pieces of code in their order: language, text."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the folder of the repository is after the quickstart."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "skill_plugin").symlink_to(ROOT / "skill_plugin")
    run([sys.executable, ROOT / "scripts/make_corpora", folder / "quickstart"], check=True)
    return folder


def test_three_commands(folder: Path) -> None:
    """With few updates, whose scores are others than those of the page, and another port."""
    (folder / "scripts").symlink_to(ROOT / "scripts")
    written = [text for language, text in blocks("tutorial.md") if language == "yaml"]
    for language, text in blocks("tutorial.md"):
        if language == "bash":
            lines = [line for line in text.splitlines() if "activate" not in line and "xlm" not in line]
            commands = "\n".join(lines).replace("--encoder none", "--encoder none -- --max-update 20")
            status, said = shell(f"set -e\n{commands}", folder)
            assert status == 0, said
        elif "skill-plugin serve" in text:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            server = subprocess.Popen(f"exec {text.strip()} --port {port}", shell=True, cwd=folder, env=environment())
        elif "curl" in text:
            patient = f"curl -s --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:{port}"
            asked = text.replace("curl http://127.0.0.1:8000", patient)
            served = json.loads(shell(asked, folder)[1])["predictions"]
            server.terminate()
            assert server.wait(30) == 0
        elif language == "json":
            (shown,) = json.loads(text)["predictions"]
            (answer,) = served
            assert answer.keys() == shown.keys() and answer["probabilities"].keys() == shown["probabilities"].keys()
        elif text.startswith("$"):
            for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", text, re.MULTILINE):
                found = shell(command, folder)[1]
                assert found == shown or ("predict" in command and len(found.splitlines()) == 1), command
    assert all(text in (folder / "corpora.yaml").read_text() for text in written)
    assert (folder / "report.html").stat().st_size > 10_000
    assert transformers.pipeline("text-classification", model=str(folder / "exported"))("Gut.")


def test_the_quickstart_goes_to_its_end(tmp_path: Path) -> None:
    """As written, where all is set up already: setting up is what CI begins with."""
    (tmp_path / "scripts").mkdir()
    for name in ("quickstart.sh", "make_corpora"):
        (tmp_path / "scripts" / name).symlink_to(ROOT / "scripts" / name)
    (tmp_path / "scripts/setup.sh").write_text("")
    (tmp_path / "skill_plugin").symlink_to(ROOT / "skill_plugin")
    (first,) = (text for language, text in blocks("tutorial.md") if language == "sh" and "quickstart" in text)
    status, said = shell(first, tmp_path)
    assert status == 0, said[-2000:]
    results = json.loads((tmp_path / "quickstart/results.json").read_text())["corpora"]
    asked = re.findall(r"^\$ echo .* --corpus ([\w-]+) -\n(.+)$", said, re.MULTILINE)
    assert len(asked) == 4 and {corpus for corpus, _ in asked} <= results.keys()


def test_an_encoder_that_was_downloaded(sentencepiece_model: Path, tmp_path: Path) -> None:
    """The line for a real model, with a folder of the files that the page downloads, of a tiny one."""
    encoder = tmp_path / "xlm-roberta-base"
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(sentencepiece_model))
    vocabulary = [(special, 0.0) for special in ("<s>", "<pad>", "</s>", "<unk>")]
    vocabulary += [(pieces.id_to_piece(n), pieces.get_score(n)) for n in range(3, pieces.get_piece_size())]
    tokenizer = transformers.XLMRobertaTokenizer(vocab=[*vocabulary, ("<mask>", 0.0)])
    tokenizer.save_pretrained(encoder)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128,
        max_position_embeddings=514, type_vocab_size=1,
    )  # fmt: skip
    transformers.XLMRobertaModel(config).save_pretrained(encoder)
    (line,) = re.findall(r"^hf download .*", "".join(text for _, text in blocks("tutorial.md")), re.MULTILINE)
    wanted = set(re.findall(r"[\w.]+\.(?:json|safetensors)", line))
    for file in encoder.iterdir():
        if file.name not in wanted:
            file.unlink()
    assert {file.name for file in encoder.iterdir()} == wanted
    (train,) = (
        row
        for _, text in blocks("tutorial.md")
        for row in text.splitlines()
        if row.endswith(f"--encoder {encoder.name}")
    )
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    first = ["python scripts/make_corpora own --own-tables", "skill-plugin init own corpora.yaml"]
    status, said = shell("set -e\n" + "\n".join([*first, f"{train} -- --max-update 2"]), tmp_path)
    assert status == 0, said[-2000:]
    assert (tmp_path / "corpora-run/results.json").exists()


def test_every_step_by_hand(folder: Path) -> None:
    corpora = folder / "tutorial/corpora.yaml"
    for language, text in blocks("step-by-step.md"):
        if language == "bash":
            lines = [line for line in text.splitlines() if "activate" not in line and "xlm" not in line]
            status, said = shell("set -e\n" + "\n".join(lines), folder)
            assert status == 0, said
        elif language == "yaml":
            corpora.write_text((corpora.read_text() if corpora.exists() else "") + text)
        elif language == "python":
            assert shell(f"python - <<'end'\n{text}\nend", folder)[1].split()[-1] == "positive"
        elif text.startswith("$"):
            for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", text, re.MULTILINE):
                said = shell(command, folder)[1]
                assert comparable(said, command, shown) == comparable(shown, command, shown), command
        else:  # what is shown once the fault is mended
            corpora.write_text(corpora.read_text().replace("label: stars", "label: label"))
            status, said = shell("skill-plugin check tutorial/corpora.yaml", folder)
            assert status == 0 and said.split() == text.split()


def shell(commands: str, folder: Path) -> tuple[int, str]:
    """Exit status, and both outputs in their order."""
    program = ["bash", "-c", f"exec 2>&1\n{commands}"]
    done = subprocess.run(program, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout


def environment() -> dict[str, str]:
    """As after ``source .venv/bin/activate``."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": programs, "PYTHONPATH": str(ROOT)}


def comparable(text: str, command: str, shown: str) -> list[str]:
    """The words of an output that are the same on every machine, and that the page shows."""
    if "predict" in command:
        text = text.split("\t")[0]  # without probabilities
    elif "evaluate" in command:
        text = re.sub(r"[━─]+", "", re.sub(r"[\d.]+", "0", text[text.index("┏") : text.index("┘")]))
    elif "check" in command:
        text = "\n".join(line for line in text.splitlines() if line in shown.splitlines())
    return text.split()
