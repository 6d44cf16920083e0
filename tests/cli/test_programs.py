"""The console script and ``python -m skill_plugin`` are one program; most tests call it in their own process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from skill_plugin.cli.main import skill_plugin
from skill_plugin.variants.model_options import ModelOptions

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


def test_a_signal_after_a_verb_has_ended_is_no_traceback() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        code = (
            "import atexit, os\n"
            "from skill_plugin.cli.main import main\n"
            f"atexit.register(os.kill, os.getpid(), {int(number)})\n"  # as if libraries took their time
            "main(['--version'])\n"
        )
        status, out, err = start(sys.executable, "-c", code)
        assert out.startswith("skill-plugin")
        assert (status, err) == (-number, "")


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command


def test_numbers_on_a_command_line_have_bounds() -> None:
    """A number that is larger than any of C's is wrong usage; options of models have bounds of their own."""
    own = {option.name for option in ModelOptions.options()}
    open_ended = [
        f"{name} {parameter.opts[0]}"
        for name, command in commands(skill_plugin)
        for parameter in command.params
        if parameter.name not in own
        and isinstance(parameter.type, click.types.IntParamType)
        and not (isinstance(parameter.type, click.IntRange) and None not in (parameter.type.min, parameter.type.max))
    ]
    assert not open_ended


def test_the_list_of_commands_has_whole_sentences() -> None:
    status, out, _ = start(SCRIPT, "--help")
    listed = out.partition("Commands:\n")[2]
    assert status == 0 and "..." not in listed
    assert all(f"  {name.split()[0]} " in listed for name, _ in commands(skill_plugin))
