"""An executable in the place of ``python`` for shell scripts, whose processes are forks of ``tests.warm_process``.

``warm_python()`` gives its path. It takes what the interpreter takes first on its command line: ``-m module``, ``-c
code``, a script, or ``-`` with the program on standard input. Signals, standard streams, working folder, variables and
status are those of the process that a script starts; how it differs from one of its own is said in
``tests.warm_process``.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

from tests.warm_process import REQUEST, Popen

CLIENT = """#!{interpreter} -IS
import json, os, signal, socket, sys
command = sys.argv[1:]
if command[0] == "-":
    command[:1] = ["-c", sys.stdin.read()]
connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.connect({address!r})
for number in (signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(number) is not signal.SIG_IGN:  # as it is for what a script starts in the background
        signal.signal(number, lambda number, frame: connection.send(str(number).encode()))
request = json.dumps(dict(command=command, cwd=os.getcwd(), environment=dict(os.environ)))
socket.send_fds(connection, [request.encode()], [0, 1, 2])
status = int(connection.recv(100))
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


@cache
def warm_python() -> Path:
    """The executable; it works until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="warm-python-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(folder / "asked"))
    listener.listen(100)
    program = folder / "python"
    program.write_text(CLIENT.format(interpreter=sys.executable, address=str(folder / "asked")))
    program.chmod(0o755)
    threading.Thread(target=_listen, args=[listener], daemon=True).start()
    return program


def _listen(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_attend, args=[connection], daemon=True).start()


def _attend(connection: socket.socket) -> None:
    """Starts what one client asks for, hands on the signals that it gets, and tells it the status."""
    with connection:
        message, streams, _, _ = socket.recv_fds(connection, REQUEST, 3)
        if not message:
            return
        request = json.loads(message)
        process = Popen(
            [sys.executable, *request["command"]],
            stdin=streams[0], stdout=streams[1], stderr=streams[2], cwd=request["cwd"], env=request["environment"],
        )  # fmt: skip
        for stream in streams:
            os.close(stream)
        ended = os.pidfd_open(process.pid)
        watch = select.poll()
        for descriptor in (ended, connection.fileno()):
            watch.register(descriptor, select.POLLIN)
        while process.poll() is None:
            if connection.fileno() in dict(watch.poll()):
                number = connection.recv(100)
                process.send_signal(int(number) if number else signal.SIGKILL)
                if not number:  # who asked is gone
                    break
        os.close(ended)
        status = process.wait()
        with contextlib.suppress(OSError):
            connection.send(str(status).encode())
