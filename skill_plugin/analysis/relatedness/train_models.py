"""Trains one model a corpus from a pretrained encoder, each by ``fairseq-train`` in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.runs.fairseq import need_fairseq, train_command
from skill_plugin.runs.logged_programs import LoggedPrograms
from skill_plugin.variants.catalogue import ARCHITECTURES, MT5
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape
from skill_plugin.variants.model_shape import ModelShape
from skill_plugin.variants.named_sizes import name_of
from skill_plugin.variants.t5_shape import T5_SIZES
from skill_plugin.weights.torch_file import LAST

EPOCHS = 3  # thesis, section 4.4


@dataclass(frozen=True)
class Training:
    """How models are trained.

    Attributes:
        encoder: file of the pretrained encoder.
        data_bin, corpora: the data folder and the corpora file.
        folder: where a folder with the checkpoint of each corpus is made.
        max_length, seed: as for ``fairseq-train``.
        on_cpu: whether not to use a GPU.
        options: further options of ``fairseq-train``, which win over those of ``command``.
    """

    encoder: str
    data_bin: str
    corpora: str
    folder: Path
    max_length: int
    seed: int
    on_cpu: bool = True
    options: Sequence[str] = ()

    def checkpoint(self, corpus: str) -> Path:
        return self.folder / corpus / LAST

    def command(self, corpus: str, architecture: str) -> list[str]:
        """The words that train on a corpus. A run that was stopped goes on, and one that is done ends."""
        options = {
            "--task": "multilingual_multitask",
            "--corpora": self.corpora, "--only-corpora": corpus, "--init-from": self.encoder, "--arch": architecture,
            "--criterion": "multitask_cross_entropy", "--max-length": self.max_length, **_optimizer(architecture),
            "--clip-norm": 1.0, "--batch-size": 32, "--max-epoch": EPOCHS, "--seed": self.seed,
            "--save-dir": self.folder / corpus, "--num-workers": 0,
        }  # fmt: skip
        flat = [str(part) for option in options.items() for part in option]
        flags = ["--disable-validation", "--no-epoch-checkpoints", "--no-progress-bar", *["--cpu"] * self.on_cpu]
        return train_command(self.data_bin, [*flat, *flags, *self.options])


def find_architecture(shape: ModelShape, file: str) -> str:
    """The dense architecture that an encoder fits, or that of its mT5.

    Raises:
        InputError: there is none, or nothing to train it with.
    """
    variant, sizes = ("dense", SIZES) if isinstance(shape, EncoderShape) else (MT5, T5_SIZES)
    name = name_of(shape.size, sizes)
    if name is None:
        raise InputError(
            f"no architecture has its {shape.size}: train models otherwise, and name them with --models",
            file,
        )
    need_fairseq("or name models with --models")
    return f"{variant}_{name}"


def _optimizer(architecture: str) -> dict[str, str]:
    """As the thesis trains mT5 (section 3.4), and encoders here."""
    if ARCHITECTURES[architecture][0] == MT5:
        return {"--optimizer": "adafactor", "--lr": "1e-3"}
    return {"--optimizer": "skill_adam", "--lr": "2e-5"}


def train_model(training: Training, corpus: str, architecture: str, tell: Callable[[list[str]], None]) -> str:
    """Trains on one corpus, or goes on with that; the log is ``train.log`` beside the checkpoint.

    Args:
        training: how.
        corpus: name of the corpus.
        architecture: from ``find_architecture``.
        tell: called with the command before it runs.

    Returns:
        The checkpoint.

    Raises:
        InputError: it ended otherwise than well; with the line of its log that says why.
    """
    command = training.command(corpus, architecture)
    tell(["python", *command[1:]])
    log = training.folder / corpus / "train.log"
    LoggedPrograms().run(command, log)
    if not training.checkpoint(corpus).is_file():
        raise InputError(f"the run wrote no {training.checkpoint(corpus).name}; see {log}", log.parent)
    return str(training.checkpoint(corpus))
