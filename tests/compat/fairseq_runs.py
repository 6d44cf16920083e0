"""Runs fairseq's programs on the toy plugin: in this process where that will do, else in one of their own."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

from tests import warm_process

TOY = Path(__file__).parent / "toy_plugin"
PROGRAMS = Path(sys.executable).parent
TRAIN = (
    "--user-dir {toy} --task toy --arch toy --criterion toy --optimizer skill_adam --lr 0.01 --batch-size 4 --cpu "
    "--max-update 6 --num-workers 0 --no-progress-bar --log-format simple --log-interval 1 --save-dir {save}"
)


def train_here(monkeypatch, save, *arguments):
    """``fairseq-train`` in this process, with all patches; later arguments override the defaults."""
    from fairseq import checkpoint_utils
    from fairseq_cli import train as fairseq_train

    vars(checkpoint_utils.save_checkpoint).pop("best", None)  # of an earlier run in this process
    monkeypatch.setattr(sys, "argv", ["fairseq-train", *TRAIN.format(toy=TOY, save=save).split(), *arguments])
    fairseq_train.cli_main()


def unpatch(monkeypatch, owner, name):
    """Puts fairseq's own function back for the length of a test, if ours is there."""
    function = getattr(owner, name)
    while hasattr(function, "__wrapped__") and "skill_plugin" in function.__code__.co_filename:
        function = function.__wrapped__
    assert function is not getattr(owner, name), f"{name} was not patched"
    monkeypatch.setattr(owner, name, function)


@dataclass
class Run:
    status: int
    out: str
    err: str

    def assert_stopped_with(self, line):
        """The run stopped with this one line on standard error and status 1."""
        assert "Traceback" not in self.out + self.err, (self.out + self.err)[-3000:]
        assert self.err.strip().splitlines() == [line], self.err[-3000:]
        assert self.status == 1


def program(name, *arguments, launcher=(), cwd=None, fresh=False, **env):
    """One of fairseq's console scripts, in a process of its own: a fork, or a fresh interpreter."""
    clean = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")}
    start = subprocess.Popen if fresh or launcher else warm_process.Popen
    process = start(
        [*launcher, str(PROGRAMS / name), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**clean, **warm_process.ONE_THREAD, **env},
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its ranks too
        raise
    return Run(process.returncode, out, err)


def train(save, *arguments, launcher=(), fresh=False, **env):
    """``fairseq-train`` on the toy plugin in a process of its own; later arguments override the defaults."""
    options = TRAIN.format(toy=TOY, save=save)
    if env.get("TOY_PATCHES") == "0":  # as fairseq is, without anything of ours
        options = options.replace("skill_adam", "adam")
    return program("fairseq-train", *options.split(), *arguments, launcher=launcher, fresh=fresh, **env)


def weights(save, name="checkpoint_last.pt"):
    return torch.load(Path(save) / name, weights_only=True)["model"]


def assert_same_weights(first, second, atol=0.0):
    assert first.keys() == second.keys()
    for name, value in first.items():
        torch.testing.assert_close(
            value, second[name], rtol=0, atol=atol, msg=lambda text, name=name: f"{name}: {text}"
        )
