"""``fairseq-train`` that prints, for each update, how often the host looks at a tensor before it has all numbers.

Each look would wait for a GPU. Not counted are the encoder's forward pass, which on CPU lays out attention on the host,
and ``reduce_metrics`` and ``log_update``, which are given numbers on the host.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from fairseq.trainer import Trainer
from fairseq_cli import train
from torch.utils._python_dispatch import TorchDispatchMode

LOOKS = {
    torch.ops.aten._local_scalar_dense.default,
    torch.ops.aten.nonzero.default,
    torch.ops.aten.masked_select.default,
    torch.ops.aten.equal.default,
}


class Looks(TorchDispatchMode):
    """Counts what would wait for a GPU."""

    number, counts = 0, False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.look(func in LOOKS)
        return func(*args, **(kwargs or {}))

    def look(self, is_one: bool = True) -> None:
        self.number += is_one and self.counts

    @contextlib.contextmanager
    def counting(self, whether: bool) -> Iterator[None]:
        before, self.counts = self.counts, whether
        yield
        self.counts = before


looks = Looks()


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of tensors that brings numbers to the host, unseen by a dispatch mode on CPU."""

    def look(*args: Any, **kwargs: Any) -> Any:
        looks.look()
        return function(*args, **kwargs)

    return look


def within(function: Callable[..., Any], whether: bool) -> Callable[..., Any]:
    """A function inside which looks count, or do not."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with looks.counting(whether):
            return function(*args, **kwargs)

    return call


def main(cfg: Any, original: Callable[..., Any] = train.main) -> Any:
    """What is wrapped is there only now: fairseq has imported the plugin."""
    from skill_plugin.nn.encoder import Encoder
    from skill_plugin.tasks.multilingual_multitask import MultilingualMultitaskTask

    Encoder.forward = within(Encoder.forward, False)  # type: ignore[method-assign]
    for given_numbers in ("reduce_metrics", "log_update"):
        method = getattr(MultilingualMultitaskTask, given_numbers)
        setattr(MultilingualMultitaskTask, given_numbers, within(method, False))
    step = within(Trainer.train_step, True)

    def train_step(*args: Any, **kwargs: Any) -> Any:
        before = looks.number
        with looks:
            found = step(*args, **kwargs)
        print("looks of an update:", looks.number - before, flush=True)
        return found

    Trainer.train_step = train_step
    for name in ("tolist", "cpu", "numpy"):
        setattr(torch.Tensor, name, counted(getattr(torch.Tensor, name)))
    return original(cfg)


if __name__ == "__main__":
    train.main = main
    train.cli_main()
