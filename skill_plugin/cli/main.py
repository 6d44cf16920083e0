"""``skill-plugin VERB``: finds the verb's file, and turns faults of the input into one line and exit status 1."""

from __future__ import annotations

import atexit
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import click

from skill_plugin import __version__
from skill_plugin.cli.garbage import search_garbage_rarely
from skill_plugin.cli.lazy_group import LazyGroup
from skill_plugin.cli.plain_output import plain_output
from skill_plugin.errors import InputError, shown_lines
from skill_plugin.files.system_faults import flush_or_discard, open_closed_streams, system_fault

# verb -> the module of skill_plugin.cli that defines it as a function of the same name as the module
VERBS = {
    "init": "init",
    "check": "check",
    "import": "import_encoder",
    "prepare": "prepare",
    "tokenizer": "tokenizer",
    "train": "train",
    "sweep": "sweep",
    "evaluate": "evaluate",
    "predict": "predict",
    "calibrate": "calibrate",
    "describe": "describe",
    "analyse": "analyse",
    "adapter": "adapter",
    "average": "average",
    "export": "export",
    "report": "report",
    "serve": "serve",
}


@click.command(cls=LazyGroup, subcommands=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="skill-plugin")
def skill_plugin() -> None:
    """One multilingual encoder for many NLU corpora: from raw files to a model that answers.

    `init` guesses a corpora file, `train` does all that follows: import, check, prepare, fairseq-train, evaluate.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Runs a verb; exit status 0 good, 1 the input or the system is at fault, 2 wrong usage."""
    if "standard output" in open_closed_streams():
        _stop("standard output: closed")
    plain_output()
    search_garbage_rarely()
    try:
        with _cleans_up_when_stopped():
            skill_plugin.main(args=arguments, prog_name="skill-plugin")
    except InputError as error:
        _stop(str(error))
    except BrokenPipeError:  # the reader of our output left early: `skill-plugin predict … | head`
        _stop(None)
    except SystemExit:
        if fault := flush_or_discard():
            _stop(fault)
        raise
    except Exception as error:
        fault = system_fault(error)
        if fault is None:
            raise
        _stop(flush_or_discard() or fault)


@contextlib.contextmanager
def _cleans_up_when_stopped() -> Iterator[None]:
    """A verb that is told to stop cleans up behind itself, as with Ctrl-C. Once it has ended, there is nothing to."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        # while libraries end, an exception would be a traceback
        signal.signal(signal.SIGTERM, before)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)  # the last to be registered is called first


def _stop(line: str | None) -> None:
    flush_or_discard()
    if line is not None:
        with contextlib.suppress(OSError):  # standard error may be as full
            print(shown_lines(line), file=sys.stderr, flush=True)
    sys.exit(1)
