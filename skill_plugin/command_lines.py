"""``python -m skill_plugin.command_lines``: what is wrong with command lines of ``fairseq-train``.

Only fairseq knows its options, so what needs no fairseq asks this program. It reads a JSON list of command lines, each
a list of words without the program and ``--user-dir``, and writes a list as long: null for a good one, else
``{"option": "--lr" or null, "message": …}``. Nothing is made or loaded.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from fairseq import options
from fairseq.dataclass.utils import convert_namespace_to_omegaconf

import skill_plugin.register  # noqa: F401
from skill_plugin.compat import early_checks
from skill_plugin.errors import InputError, nearest
from skill_plugin.tasks.options_of_corpora import check_options_of_corpora

_OPTION = re.compile(r"--?[A-Za-z][\w-]*")


def find_fault(words: Sequence[str]) -> dict[str, str | None] | None:
    """The first fault of a command line; None of a good one."""
    parser = options.get_training_parser()
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            args = options.parse_args_and_arch(parser, list(words))
            check_options_of_corpora(early_checks.convert_namespace_to_omegaconf(convert_namespace_to_omegaconf, args))
    except InputError as error:
        return _fault(str(error))
    except SystemExit:
        return _refused(parser, said.getvalue().strip().rpartition("error: ")[2])
    return None


def _refused(parser: ArgumentParser, message: str) -> dict[str, str | None]:
    """What ``argparse`` refuses, in words of ours."""
    known = parser._option_string_actions
    if unknown := re.match(r"unrecognized arguments: (\S+)", message):
        names = [name for name in known if name.startswith("--")]
        close = nearest(unknown[1], names)
        return _fault(f"{unknown[1]}: fairseq-train has no such option{close if 'did you mean' in close else ''}")
    if value := re.match(r"argument (\S+?)(?:/\S+)?: (?:invalid choice: '(.*?)' )?", message):
        option, choices = value[1], known[value[1]].choices
        if value[2] is not None and choices is not None:
            return _fault(f"{option} {value[2]}: unknown{nearest(value[2], map(str, choices))}")
        return _fault(f"{option}: {message[value.end() :]}")
    return _fault(message)


def _fault(message: str) -> dict[str, str | None]:
    option = _OPTION.match(message)
    return {"option": option[0] if option else None, "message": message}


if __name__ == "__main__":
    json.dump([find_fault(words) for words in json.load(sys.stdin)], sys.stdout)
