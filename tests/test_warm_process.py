"""What a fork of ``tests.warm_process`` does is what a process of its own does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import warm_process

ROOT = Path(__file__).parents[1]


def both(*command: object, **options: Any) -> tuple[Any, Any]:
    """What a process of its own and a fork give."""
    options = {"capture_output": True, "text": True, "timeout": 60, **options}
    line = [sys.executable, *map(str, command)]
    own, fork = subprocess.run(line, check=False, **options), warm_process.run(line, **options)
    return (own.returncode, own.stdout, own.stderr), (fork.returncode, fork.stdout, fork.stderr)


@pytest.mark.parametrize(
    "code",
    [
        "pass",
        "import sys; sys.exit(3)",
        "import sys; sys.exit(-1)",
        "import sys; sys.exit('why not')",
        "import sys; sys.exit([1, 2])",
        "raise SystemExit",
        "def f():\n  1 / 0\ntry:\n  f()\nexcept ValueError:\n  pass",
        "raise KeyError('a') from ValueError(2)",
        "raise KeyboardInterrupt",
        "f(",
        "import atexit; atexit.register(print, 'end'); print('begin'); exit(2)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import os; os.abort()",
        "import os; print('lost', end=''); os._exit(4)",
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.3), print('late'))).start()",
        "import sys; sys.excepthook = lambda *error: print('hooked', error[0]); 1 / 0",
        "import sys; print(sys.stdin.read().upper()); print('ü', file=sys.stderr)",
        "import sys; print(sys.argv, sys.path, __name__, __file__ if '__file__' in globals() else None)",
        "import __main__; print(sorted(vars(__main__)), __spec__, __doc__)",
        "import os, threading; print(threading.active_count(), os.getppid(), os.getpgid(0) == os.getpid())",
        "import signal; print({n: signal.getsignal(n) for n in signal.valid_signals() if n not in (9, 19)})",
        "import os; print(sorted(os.environ.items()))",
        "import sys; print([(s.encoding, s.errors, s.line_buffering) for s in (sys.stdin, sys.stdout, sys.stderr)])",
        "import sys; print(any(n.startswith(('skill_plugin', 'fairseq_cli')) for n in sys.modules))",
        "import logging, warnings; print(logging.root.handlers, logging.root.level); logging.info('x')",
        "import os; os.close(1); os.close(0)",
        "import multiprocessing as m; print(m.current_process().name, m.parent_process(), m.get_start_method())",
    ],
)
def test_code(code: str, tmp_path: Path) -> None:
    own, fork = both("-c", code, "a", "-b", input="täxt", cwd=tmp_path, env={**os.environ, **warm_process.ONE_THREAD})
    assert fork == own


def test_scripts_and_modules(tmp_path: Path) -> None:
    text = (
        "import __main__, os, sys\nprint(sys.argv, sys.path[:2], os.getcwd(), __file__, __name__, __main__.__file__)\n"
        "print(__spec__ and __spec__.name, type(__loader__), __package__, sorted(globals()))\nimport beside\n"
        "def f():\n    raise ValueError(1)\nf()\n"
    )
    (tmp_path / "folder").mkdir()
    for name in ("program.py", "folder/program.py"):
        (tmp_path / name).write_text(text)
    for name in ("beside.py", "folder/beside.py"):
        (tmp_path / name).write_text("print(__file__)\n")
    (tmp_path / "folder/__main__.py").write_text("from . import program\n")
    for command in (["folder/program.py", 1], [tmp_path / "program.py"], ["-m", "program", 1, 2], ["-m", "folder"]):
        own, fork = both(*command, cwd=tmp_path)
        assert fork == own
        assert own[0] == 1 and "Error" in own[2]
    own, fork = both("-m", "nowhere", cwd=tmp_path)
    assert fork == own and "No module named nowhere" in own[2]
    assert warm_process.run([tmp_path / "program.py"], capture_output=True, text=True).returncode == 1


def test_spawned_processes_see_the_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import multiprocessing as m, os, sys\nprint(__name__, flush=True)\n"
        "def work(n):\n    return n * n, __name__, sys.argv, m.current_process().name, os.environ['A']\n"
        "def stop(n):\n    sys.exit(n)\n"
        "if __name__ == '__main__':\n"
        "    for method in ('spawn', 'fork'):\n"
        "        os.environ['A'] = method\n"
        "        with m.get_context(method).Pool(1) as pool:\n            print(pool.map(work, [1, 2]), flush=True)\n"
        "    process = m.get_context('spawn').Process(target=stop, args=(5,))\n"
        "    process.start()\n    process.join()\n    print(process.exitcode)\n"
        "    queue = m.get_context('spawn').Queue()\n    lock = m.get_context('spawn').Lock()\n"
        "    process = m.get_context('spawn').Process(target=queue.put, args=({'a': 1},))\n"
        "    process.start()\n    print(queue.get())\n    process.join()\n"
    )
    for command in (["-m", "program"], ["program.py"]):
        own, fork = both(*command, cwd=tmp_path)
        assert fork == own
        assert own[0] == 0, own


def test_programs_that_forks_start(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import os, subprocess, sys\nprint(sys.argv, os.getpgid(0) == os.getpid(), flush=True)\n"
        "for more in ((['-m', 'program', 'x'], ['-c', 'import sys; print(sys.argv)'])) if len(sys.argv) == 1 else ():\n"
        "    done = subprocess.run([sys.executable, *more], start_new_session=True, capture_output=True, text=True)\n"
        "    print(done.returncode, done.stdout, done.stderr)\n"
        "sys.exit(len(sys.argv))\n"
    )
    own, fork = both("program.py", cwd=tmp_path)
    assert fork == own
    assert own[0] == 1 and "2 " in own[1] and "True" in own[1], own


def test_streams(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        line = [sys.executable, "-c", "import sys; print('a', flush=True); print('b', file=sys.stderr)"]
        assert warm_process.run(line, stdout=file, stderr=subprocess.STDOUT).stdout is None
    assert (tmp_path / "out").read_bytes() == b"a\nb\n"
    done = warm_process.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert (done.stdout, done.stderr) == (None, b"b\n")
    line[-1] = "import sys\nfor line in sys.stdin: print(line.strip() * 2, flush=True)"
    with warm_process.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for text in ("x", "yy"):
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{2 * text}\n"
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(60) == 0
    many = warm_process.run([sys.executable, "-c", "print('x' * 10**6)"], capture_output=True)
    assert len(many.stdout) == 10**6 + 1


def test_descriptors_are_passed() -> None:
    read, write = os.pipe()
    code = f"import os; os.write({write}, b'here')"
    for mine in ((), (write,)):
        status = warm_process.run([sys.executable, "-c", code], pass_fds=mine, stderr=subprocess.DEVNULL).returncode
        assert status == (0 if mine else 1)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        assert file.read() == b"here"  # and nobody else holds the other end


def test_time_is_up() -> None:
    start = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        warm_process.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.5)
    assert time.monotonic() - start < 30
    with pytest.raises(subprocess.CalledProcessError):
        warm_process.run([sys.executable, "-c", "exit(1)"], check=True)


def test_what_cannot_be_started() -> None:
    with pytest.raises(ValueError, match="an option that forks do not have"):
        warm_process.Popen([sys.executable, "-c", ""], shell=True)
    with pytest.raises(RuntimeError, match=r"FileNotFoundError: .*'/nowhere'"):
        warm_process.Popen([sys.executable, "-c", ""], cwd="/nowhere")
    assert warm_process.run([sys.executable, "-c", ""]).returncode == 0


def test_signals_and_sessions() -> None:
    line = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
    for how, group in ((signal.SIGTERM, False), (signal.SIGKILL, False), (signal.SIGINT, False), (signal.SIGINT, True)):
        process = warm_process.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=group
        )
        assert os.getpgid(process.pid) == (process.pid if group else os.getpgid(0))
        assert process.stdout.readline() == "up\n"
        while process.returncode is None:  # an interrupt that falls into a destructor is lost
            os.killpg(process.pid, how) if group else process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, err = process.communicate(timeout=10)
        assert process.returncode == -how
        assert ("KeyboardInterrupt" in err) == (how == signal.SIGINT)


def test_random_numbers_differ_from_fork_to_fork() -> None:
    code = "import random, numpy, torch; print(random.random(), numpy.random.rand(), torch.initial_seed())"
    one, other = (warm_process.run([sys.executable, "-c", code], capture_output=True).stdout.split() for _ in range(2))
    assert len(one) == 3 and not set(one) & set(other)


def test_a_fork_ends_with_who_started_it(tmp_path: Path) -> None:
    """It, its spawned process, and the parents of forks."""
    (tmp_path / "program.py").write_text(
        "import multiprocessing as m, os, subprocess, sys, time\n"
        f"sys.path.append({str(ROOT)!r})\n"
        "def sleep():\n    print(os.getpid(), os.getppid(), flush=True)\n    time.sleep(600)\n"
        "if __name__ == '__main__' and len(sys.argv) > 1:\n"
        "    m.get_context('spawn').Process(target=sleep).start()\n    sleep()\n"
        "elif __name__ == '__main__':\n"
        "    from tests import warm_process\n"
        "    warm_process.LIBRARIES = ()\n"
        "    process = warm_process.Popen([sys.executable, __file__, 'x'])\n"
        "    print(warm_process._forks[1].pid, flush=True)\n    time.sleep(600)\n"
    )
    line = [sys.executable, tmp_path / "program.py"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        numbers = {int(number) for _ in range(3) for number in process.stdout.readline().split()}
        process.kill()
    assert len(numbers) == 4  # the parent, the fork twice, its process, and who is killed
    until = time.monotonic() + 30
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{number}").exists() for number in numbers)
