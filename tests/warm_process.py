"""Python processes that start at once: forks of an interpreter that has imported torch and fairseq already.

``Popen`` and ``run`` take ``[sys.executable, "-m", module, …]``, ``[sys.executable, script, …]`` (or a folder with a
``__main__.py``), ``[sys.executable, "-c", code]`` or ``[console script, …]`` and are used like those of ``subprocess``.
Started as a program, this file is the interpreter that is forked: one for each process of pytest, alone with its one
thread. It has imported libraries only, nothing of the plugin, so that a fork registers and patches as any run does.
What a fork starts through multiprocessing (the ranks of ``torch.multiprocessing.spawn``), or as
``[sys.executable, "-m", …]``, is forked as well.

What differs from a process of its own: forks of one pytest process share the seed of string hashes, variables that
Python and libraries read when they start (``PYTHON*``, ``OMP_NUM_THREADS``: one thread) come from pytest's
environment, and a fork is killed when the process that started it ends.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import importlib
import importlib.machinery
import json
import logging
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
LIBRARIES = (
    "fairseq_cli.train", "fairseq_cli.validate", "torch._dynamo", "torch.distributed", "torch.nn.parallel",
    "sklearn.metrics", "scipy.stats", "pydantic", "sentencepiece", "sentencex", "langcodes", "tokenizers",
    "click", "rich.table",
)  # fmt: skip
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
MORE_THREADS = b"more threads"
REQUEST = 1 << 20  # bytes of one, at most; most of it is the environment


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


class Forks:
    """The side of a parent that is asked for forks."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    def start(
        self, command: Sequence[str], descriptors: Mapping[int, int], cwd: str, environment: Mapping[str, str],
        new_session: bool = False,
    ) -> int:  # fmt: skip
        """The process id of a fork, which is a child of this process and waited for as any other.

        Args:
            command: what follows the interpreter.
            descriptors: number in the fork -> descriptor here that it becomes; the fork has no others.
            cwd: its working directory.
            environment: its environment.
            new_session: whether it leads a session of its own.

        Raises:
            MoreThreadsError: the parent has more threads than one, of which a fork would have one.
            RuntimeError: it could not be started.
        """
        request = {
            "command": list(command), "descriptors": list(descriptors), "cwd": cwd, "environment": dict(environment),
            "new_session": new_session,
        }  # fmt: skip
        with self._one_at_a_time:
            _prctl(PR_SET_CHILD_SUBREAPER, 1)  # a fork's parent ends, which makes it ours
            try:
                socket.send_fds(self._connection, [json.dumps(request).encode()], list(descriptors.values()))
                reply = self._connection.recv(REQUEST)
            finally:
                _prctl(PR_SET_CHILD_SUBREAPER, 0)
        if reply == MORE_THREADS:
            raise MoreThreadsError
        if not reply.isdigit():
            raise RuntimeError(f"no process was forked: {reply.decode() or 'the parent of forks is gone'}")
        return int(reply)


_forks: tuple[Forks, subprocess.Popen[bytes] | None] | None = None


def forks() -> Forks:
    """Those of this process; their parent is started when they are asked for first."""
    global _forks
    if _forks is None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            parent = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD},
                pass_fds=[theirs.fileno()],
            )
        _forks = Forks(ours), parent  # it ends when the connection does
    return _forks[0]


class MoreThreadsError(RuntimeError):
    """Libraries have begun threads, as on a machine with GPUs, so that the interpreter cannot be forked."""


class Popen(subprocess.Popen[Any]):
    """``subprocess.Popen`` of a program in Python, forked where that can be."""

    def _execute_child(  # type: ignore[override]
        self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
        start_new_session, process_group,
    ) -> None:  # fmt: skip
        if executable or preexec_fn or shell or not (gid is gids is uid is None) or (umask, process_group) != (-1, -1):
            raise ValueError("an option that forks do not have")
        command = list(map(os.fspath, args))
        if command[0] == sys.executable:
            del command[0]
        standard = {0: p2cread, 1: c2pwrite, 2: errwrite}
        descriptors = {number: number if given == -1 else given for number, given in standard.items()}
        try:
            self.pid = forks().start(
                command,
                descriptors | {number: number for number in pass_fds},
                os.path.abspath(cwd or "."),
                {**(os.environ if env is None else env), **ONE_THREAD},
                start_new_session,
            )
            self._child_created = True
        except MoreThreadsError:
            super()._execute_child(  # type: ignore[misc]
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
                p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
                start_new_session, process_group,
            )  # fmt: skip
            return
        except BaseException:
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]
            raise
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


def run(
    command: Sequence[object], *, input: Any = None, timeout: float | None = None, capture_output: bool = False,
    check: bool = False, **options: Any,
) -> subprocess.CompletedProcess[Any]:  # fmt: skip
    """``subprocess.run`` of a program in Python, forked; what is not a path in the command is made a string."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with Popen(list(map(str, command)), **options) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


# The rest is what happens in the parent and in a fork.


def _import_libraries() -> None:
    quiet = logging.NullHandler()
    logging.root.addHandler(quiet)  # where one is there, logging.basicConfig does nothing
    # fairseq looks in it for what it no longer has, and its import begins a thread; a fork that needs it imports it
    sys.modules["pyarrow"] = None  # type: ignore[assignment]
    for name in LIBRARIES:
        importlib.import_module(name)
    del sys.modules["pyarrow"]
    logging.root.removeHandler(quiet)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("fairseq_cli", "skill_plugin")]:
        assert not name.startswith("skill_plugin"), "the plugin was imported too early"
        del sys.modules[name]  # a program configures logging when it is imported
    gc.collect()
    gc.freeze()  # memory that forks share is not written to by collections


def _serve(connection: socket.socket) -> dict[str, Any]:
    """Forks until nobody asks any more; returns in each fork, which has become what was asked for."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, REQUEST, 250)
        if not message:
            os._exit(0)  # who asked is gone
        request = json.loads(message)
        if len(os.listdir("/proc/self/task")) > 1:  # a lock that another thread holds would stay locked in the fork
            reply = MORE_THREADS
        else:
            read, write = os.pipe()
            middle = os.fork()
            if middle == 0:
                middle = os.getpid()
                if os.fork():
                    os._exit(0)  # hands the fork over to who asked
                while os.getppid() == middle:
                    time.sleep(0.0005)
                os.close(read)
                os.close(connection.detach())
                _become(request, descriptors, write)
                return request
            os.close(write)
            os.waitpid(middle, 0)
            with os.fdopen(read, "rb") as report:
                reply = report.read()
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(reply or b"it ended at once")


def _become(request: Mapping[str, Any], received: Sequence[int], report: int) -> None:
    """Makes this process the one that was asked for, but for its program, and reports its number or what is wrong."""
    numbers = request["descriptors"]
    above = max(numbers) + 1
    pipe = fcntl.fcntl(report, fcntl.F_DUPFD, above)
    os.close(report)
    try:
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if request["new_session"]:
            os.setsid()
        os.chdir(request["cwd"])
        moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in received]
        for descriptor in received:
            os.close(descriptor)
        for number, descriptor in zip(numbers, moved, strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(request["environment"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # what interpreter and libraries do when they are imported
        sys.modules["multiprocessing.process"].ORIGINAL_DIR = os.getcwd()  # type: ignore[attr-defined]
        sys.modules["numpy"].random.seed()
        sys.modules["torch"].default_generator.seed()
    except BaseException as error:
        os.write(pipe, f"{type(error).__name__}: {error}".encode())
        os._exit(1)
    os.write(pipe, str(os.getpid()).encode())
    os.close(pipe)


def _wait_to_be(connection: socket.socket) -> tuple[dict[str, Any], Forks]:
    """Returns in each fork, with what it was asked to be and what asks for its own forks.

    Their parent is forked from it before it does anything. They are what their parent is by then, of a fork's session.
    """
    while True:
        request = _serve(connection)
        ours, connection = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork():
            connection.close()
            return request, Forks(ours)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ours.close()
        nothing = os.open(os.devnull, os.O_RDWR)  # who reads what the fork writes waits for its end, not for ours
        for number in request["descriptors"]:
            os.dup2(nothing, number)


class _AnyPopen(Popen):
    """``subprocess.Popen`` in a fork: forked where it is a module of Python's that is run."""

    def _execute_child(self, args: Any, *rest: Any) -> None:  # type: ignore[override]
        is_module = isinstance(args, list) and args[:2] == [sys.executable, "-m"]
        super(_AnyPopen if is_module else Popen, self)._execute_child(args, *rest)  # type: ignore[misc]


def _spawn(forks: Forks, original: Callable[..., int]) -> Callable[..., int]:
    """``multiprocessing.util.spawnv_passfds`` by forks."""

    def spawnv_passfds(path: str, command: Sequence[str], descriptors: Sequence[int]) -> int:
        if "--multiprocessing-fork" not in command:  # the resource tracker, which outlives who started it
            return original(path, command, descriptors)
        begin = command.index("-c")
        numbers = {number: number for number in (0, 1, 2, *descriptors)}
        return forks.start(list(map(os.fsdecode, command[begin:])), numbers, os.getcwd(), os.environ)

    return spawnv_passfds


def _prepare(command: Sequence[str]) -> Callable[[], None]:
    """What runs a program as the interpreter does; ``sys.argv``, ``sys.path`` and ``__main__`` are set."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    space = vars(main)
    space.update(__builtins__=sys.modules["builtins"], __annotations__={})
    program, *arguments = command
    if program == "-m":
        name, *arguments = arguments
        sys.argv = ["-m", *arguments]
        sys.path[0] = os.getcwd()
        return lambda: runpy._run_module_as_main(name)  # type: ignore[attr-defined]
    if program == "-c":
        code, *arguments = arguments
        sys.argv = ["-c", *arguments]
        sys.path[0] = ""
        space["__loader__"] = importlib.machinery.BuiltinImporter
        return lambda: exec(compile(code, "<string>", "exec"), space)
    sys.argv = [program, *arguments]
    folder = os.path.isdir(program)
    file = os.path.join(os.path.abspath(program), "__main__.py") if folder else os.path.abspath(program)
    sys.path[0] = os.path.abspath(program) if folder else os.path.dirname(os.path.realpath(program))
    space.update(__file__=file, __cached__=None, __loader__=importlib.machinery.SourceFileLoader("__main__", file))
    return lambda: exec(compile(Path(file).read_bytes(), file, "exec"), space)


def _run(program: Callable[[], None]) -> int:
    """Exit status of a program, which stands on standard error where it is a text, as a traceback does."""
    try:
        program()
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return (stop.code or 0) & 0xFF
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _end(status: int) -> NoReturn:
    """Ends as the interpreter does, but without the half second in which it takes all modules apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"Exception ignored in: {sys.stdout}\n{type(error).__name__}: {error}", file=sys.stderr)
        status = 120
    sys.stderr.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _main() -> None:
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest
    del sys.path[0]  # the folder of this file
    _import_libraries()
    sys.path.insert(0, "")
    request, forks = _wait_to_be(connection)
    global _forks
    _forks = forks, None
    subprocess.Popen = _AnyPopen  # type: ignore[misc]
    util = importlib.import_module("multiprocessing.util")
    util.spawnv_passfds = _spawn(forks, util.spawnv_passfds)
    _end(_run(_prepare(request["command"])))


if __name__ == "__main__":
    _main()
