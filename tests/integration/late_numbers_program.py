"""``fairseq-train`` on a CPU that looks at an update's numbers as late as it does on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fairseq.trainer import Trainer
from fairseq_cli import train


def main(cfg: Any, old: Any = train.main) -> None:
    """The run, once the plugin has been imported."""
    clip = Trainer.clip_grad_norm

    def clip_as_if_on_a_device(self: Trainer, clip_norm: float) -> Any:
        norm = clip(self, clip_norm)
        self._unseen = replace(self._unseen, ready=object())
        return norm

    Trainer.clip_grad_norm = clip_as_if_on_a_device
    old(cfg)


if __name__ == "__main__":
    train.main = main
    train.cli_main()
