"""A server in a process of its own, where fairseq is not installed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from skill_plugin import api
from tests.every_kind import CORPORA, examples, raw_input
from tests.integration.test_without_fairseq import HIDDEN
from tests.test_api_together import near
from tests.warm_process import ONE_THREAD

pytestmark = pytest.mark.slow
Command = Callable[..., tuple[int, str, str]]
MAIN = HIDDEN + "import sys\nfrom skill_plugin.cli.main import main\nmain(sys.argv[1:])"


@contextmanager
def server(checkpoint: Path, *options: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process, and its address."""
    command = [sys.executable, "-c", MAIN, "serve", checkpoint, "--port", 0, *options]
    environment = {**os.environ, **ONE_THREAD}
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stderr is not None
            ready = process.stderr.readline()
            assert ready.startswith(f"serving {checkpoint} at http://127.0.0.1:"), ready + process.stderr.read()
            yield process, ready.split(" at ")[1].strip()
        finally:
            process.send_signal(signal.SIGTERM)


def received(address: str, headers: dict[str, str]) -> float:
    """How many requests were answered, or wait."""
    lines = httpx.get(address, headers=headers).text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return float(values["skill_plugin_waiting"]) + float(values['skill_plugin_requests_total{status="200"}'])


def test_a_process(checkpoint: Path, model: api.Model, tmp_path: Path) -> None:
    """Of all kinds at once; told to stop, it answers what it was asked before, and ends well."""
    asked = {name: [raw_input(name, made) for made in examples(name, 40, words=30)] for name in CORPORA}
    token = tmp_path / "token"
    token.write_text("  open-sesame\n")
    headers = {"Authorization": "Bearer open-sesame"}
    with server(checkpoint, "--token-file", token) as (process, address):
        assert httpx.post(f"{address}/predict", json={"corpus": "one", "inputs": ["a"]}).status_code == 401
        assert httpx.get(f"{address}/healthz").json()["status"] == "ok"
        begun = threading.Barrier(len(CORPORA) + 1)

        def ask(name: str) -> Any:
            with httpx.Client(headers=headers, timeout=60) as client:
                first = client.post(f"{address}/predict", json={"corpus": name, "inputs": asked[name][:1]})
                begun.wait()
                second = client.post(f"{address}/predict", json={"corpus": name, "inputs": asked[name]})
                return first.json()["predictions"], second.json()["predictions"]

        with ThreadPoolExecutor(len(CORPORA)) as pool:
            answers = {name: pool.submit(ask, name) for name in CORPORA}
            begun.wait()
            while received(f"{address}/metrics", headers) < 2 * len(CORPORA):
                pass
            process.send_signal(signal.SIGTERM)
            found = {name: answer.result() for name, answer in answers.items()}
        assert process.communicate() == ("", "")
        assert process.returncode == 0
    for name, (first, second) in found.items():
        right = json.loads(json.dumps([one.to_json() for one in model.predict(name, asked[name])]))
        assert near(first, right[:1])
        assert near(second, right)


def test_faults_before_it_starts(command: Command, checkpoint: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = f"127.0.0.1:{port}: cannot listen there: address already in use\n"
        assert command("serve", checkpoint, "--port", port) == (1, "", message)
    status, _, err = command("serve", checkpoint, "--host", "no.such.host.invalid", "--port", 0)
    assert status == 1 and err.startswith("no.such.host.invalid:0: cannot listen there: ") and err.count("\n") == 1
    status, _, err = command("serve", checkpoint, "--timeout", "nan", "--port", 0)
    assert status == 2 and "nan is not a number" in err
    token = tmp_path / "token"
    assert command("serve", checkpoint, "--token-file", token) == (1, "", f"{token}: no such file or directory\n")
    for content in (b"", b" \n", b"two words", b"\xc3\xa9", b"a" * 5000):
        token.write_bytes(content)
        status, _, err = command("serve", checkpoint, "--token-file", token, "--port", 0)
        assert (status, err) == (1, f"{token}: expected a token: one to 4,096 visible ASCII characters\n")
    status, _, err = command("serve", tmp_path / "none.pt", "--port", 0)
    assert status == 1 and err == f"{tmp_path / 'none.pt'}: no such file\n"


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra(checkpoint: Path, missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\n{MAIN}"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", str(checkpoint)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"serving needs {missing}, which a plain installation of skill_plugin leaves out: "
        "pip install '.[serve]' in the folder of its source\n"
    )
