"""Writes a file as a whole or not at all: every file that commands and scripts write goes through here.

A symbolic link is followed, and its target is replaced. Anything but a regular file (``/dev/stdout``, ``/dev/null``, a
named pipe) is written in place and never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.partial import partial
from skill_plugin.files.system_faults import system_fault

# paths of this process's own open files; /dev/stdout and the like are links to them
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)|/dev/(stdin|stdout|stderr)")
_STANDARD = ("stdin", "stdout", "stderr")
_MOST_LINKS = 40  # as Linux has it


@contextmanager
def whole_file(path: Path, make_folder: bool = True) -> Iterator[Path]:
    """Gives a temporary path to write to, which takes its place at ``path`` when the block ends without an exception.

    Args:
        path: the file to write.
        make_folder: whether to make its folder if it does not exist.

    Raises:
        InputError: it cannot be written.
    """
    with faults_named(path):
        target = _followed(path)
        if _written_in_place(target):
            with tempfile.TemporaryDirectory() as folder:
                beside = Path(folder) / "content"
                yield beside
                with _open_in_place(target) as file, beside.open("rb") as content:
                    shutil.copyfileobj(content, file)
            return
        if make_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        with partial(target) as beside:
            yield beside
            if target.exists():
                shutil.copymode(target, beside)
            put_in_place(beside, target)


def write_text(path: Path, text: str) -> None:
    """Writes a text file in UTF-8.

    Raises:
        InputError: it cannot be written.
    """
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def whole_stream(path: Path) -> Iterator[IO[bytes]]:
    """As ``whole_file``, but gives an open file, and the folder must exist. Pipes and devices are written directly.

    Raises:
        InputError: it cannot be written.
    """
    target = _followed(path)
    with faults_named(path):
        in_place = _open_in_place(target) if _written_in_place(target) else None
    if in_place is not None:
        with faults_named(path), in_place:
            yield in_place
        return
    with whole_file(path, make_folder=False) as beside, beside.open("wb") as file:
        yield file


def put_in_place(beside: Path, target: Path) -> None:
    """Renames a file or folder to its place. Its content is synced to the disk first, so that it is whole after a power
    cut too.

    Raises:
        OSError: it cannot be renamed.
    """
    for folder, _, files in os.walk(beside) if beside.is_dir() else [(str(beside.parent), [], [beside.name])]:
        for name in files:
            sync(Path(folder) / name)
        if beside.is_dir():
            sync(Path(folder))
    os.replace(beside, target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Waits until a file or folder is on the disk, where the file system can tell, of what may be read."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_output(output: str | os.PathLike[str], *inputs: str | os.PathLike[str] | None) -> None:
    """Refuses an output before the work is done that it is to hold.

    Args:
        output: the file to write; ``-`` is the standard output.
        inputs: what the command reads, as far as it is files.

    Raises:
        InputError: the output is one of the inputs, or a folder, or nothing can be written where it is to be.
    """
    for file in inputs:
        if file is not None and Path(output).is_file() and Path(file).exists() and os.path.samefile(output, file):
            raise InputError("is read and to be written; name another file to write", output)
    if str(output) != "-":
        _check_place(Path(output))


def _check_place(path: Path) -> None:
    with faults_named(path):
        target = _followed(path)
        if _written_in_place(target):
            return
        folder = next(parent for parent in target.absolute().parents if parent.exists())
        tempfile.TemporaryFile(dir=folder).close()


def _followed(path: Path) -> Path:
    """The target of a symbolic link; paths of the process's own open files stay as they are."""
    for _ in range(_MOST_LINKS):
        if _descriptor(path) is not None or not path.is_symlink():
            return path
        path = path.parent / os.readlink(path)
    raise InputError("symbolic links that lead to one another", path)


def _descriptor(path: Path) -> int | None:
    match = _DESCRIPTOR.fullmatch(os.path.abspath(path))
    if match is None:
        return None
    return int(match[1]) if match[1] else _STANDARD.index(match[2])


def _written_in_place(target: Path) -> bool:
    if _descriptor(target) is not None:
        return True
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    return target.exists() and not target.is_file()


def _open_in_place(target: Path) -> IO[bytes]:
    number = _descriptor(target)
    if number is None:
        return target.open("wb")
    sys.stdout.flush()  # what was printed before stands before it
    return os.fdopen(os.dup(number), "wb")


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Has what the operating system refuses in a block told of the file or folder that is written there.

    Raises:
        InputError: it cannot be written.
    """
    try:
        yield
    except (BrokenPipeError, InputError):  # whoever reads has enough; told already
        raise
    except Exception as error:  # torch's writer, safetensors and protobuf have errors of their own
        reason = reason_of(error, "cannot be written") if isinstance(error, OSError) else system_fault(error)
        if reason is None:
            raise
        raise InputError(reason, path) from None
