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


def test_help_loads_nothing_that_is_slow_to_load() -> None:
    code = (
        "import contextlib, io, sys\n"
        "from skill_plugin.cli import adapter, analyse, main\n"
        "verbs = [[verb] for verb in main.VERBS if verb not in ('analyse', 'adapter')]\n"
        "verbs += [['analyse', one] for one in analyse.ANALYSES] + [['adapter', one] for one in adapter.VERBS]\n"
        "for verb in verbs:\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):\n"
        "        main.main([*verb, '--help'])\n"
        "    assert 'Usage' in out.getvalue()\n"
        "    print(*verb, *{'torch', 'fairseq', 'numpy', 'pydantic', 'yaml', 'rich', 'sklearn'} & sys.modules.keys())\n"
    )
    status, out, err = start(sys.executable, "-c", code)
    assert (status, err) == (0, "")
    assert "check" in out.splitlines() and "adapter merge" in out.splitlines()
    assert all(len(line.split()) <= 2 for line in out.splitlines())
