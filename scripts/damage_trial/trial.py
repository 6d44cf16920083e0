"""One trial: a file is damaged, read in a process of its own, and put back."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from file_sets import FileSet

TIMEOUT = 60  # seconds
OUTCOMES = ("same", "named", "unnamed", "changed", "traceback")
DAMAGES = ("flip", "cut", "zero", "append")


def run_trial(file_set: FileSet, file: Path, kind: str, whole: str, chance: random.Random) -> tuple[str, str]:
    """Damages a file once: one of ``OUTCOMES``, and its text."""
    content = file.read_bytes()
    changed = damage(content, kind, chance)
    if changed == content:
        return "same", ""
    file.unlink()  # not through the link that dictionaries are
    file.write_bytes(changed)
    try:
        found, text = read_in_process(file_set.read)
    finally:
        file.write_bytes(content)
    if found == "numbers":
        return ("same" if text == whole else "changed"), ""
    if found == "message":
        return ("named" if str(file) in text and "\n" not in text else "unnamed"), text
    return found, text


def damage(content: bytes, kind: str, chance: random.Random) -> bytes:
    """Bytes of a file with one damage."""
    at, length = chance.randrange(len(content)), chance.randint(1, 64)
    if kind == "flip":
        return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
    if kind == "cut":
        return content[:at]
    if kind == "zero":
        return content[:at] + bytes(min(length, len(content) - at)) + content[at + length :]
    return content + chance.randbytes(length)


def read_in_process(read: Callable[[], Any]) -> tuple[str, str]:
    """What reading gives, in a process of its own: ``numbers``, ``message`` or ``traceback``, and its text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w", encoding="utf-8", errors="replace") as out:
            json.dump(_read(read), out)
        os._exit(0)
    os.close(writer)
    text = b""
    while select.select([reader], [], [], TIMEOUT)[0]:
        part = os.read(reader, 1 << 16)
        text += part
        if not part:
            break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if not text:
        return "traceback", f"no answer: status {status}"
    kind, found = json.loads(text)
    return kind, found


def _read(read: Callable[[], Any]) -> tuple[str, str]:
    from skill_plugin.errors import InputError

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            return "numbers", json.dumps(read(), sort_keys=True)
        except InputError as error:
            return "message", str(error)
        except BaseException:  # noqa: BLE001 - whatever it is, it is what the trial looks for
            return "traceback", traceback.format_exc()
