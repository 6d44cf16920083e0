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
