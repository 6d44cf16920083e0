"""The console script and ``python -m skill_plugin`` are one program; most tests call it in their own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("skill-plugin")


def start(*command: object) -> tuple[int, str, str]:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_both_start() -> None:
    for arguments, status in ((("--help",), 0), (("chekc",), 2), (("predict", "none.pt", "--corpus", "a", "-"), 1)):
        script, module = start(SCRIPT, *arguments), start(sys.executable, "-m", "skill_plugin", *arguments)
        assert script == module
        assert script[0] == status
        assert "Traceback" not in script[2]
    assert script[2] == "none.pt: no such file\n"
