"""The commands from a corpora file to a trained model and its scores, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skill_plugin.pipeline.fairseq_options import Options, option_words
from skill_plugin.pipeline.machine import Machine
from skill_plugin.pipeline.start import Start
from skill_plugin.pipeline.step import Step, program
from skill_plugin.report.results import RESULTS
from skill_plugin.runs.fairseq import PLUGIN
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.store.manifest import FILE as MANIFEST
from skill_plugin.weights.torch_file import BEST, LAST

TRAIN = "train"
EVALUATE = "evaluate"
_LARGE = 20_000_000  # bytes of raw files from which on several processes tokenise
_MOST_WORKERS = 8


@dataclass(frozen=True)
class Files:
    """Where things are.

    Attributes:
        corpora: the corpora file.
        folder: everything that is written.
        tokenizer: a file that is named in place of the encoder's own; None without one.
    """

    corpora: Path
    folder: Path
    tokenizer: Path | None

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data-bin"

    @property
    def results(self) -> Path:
        """The scores."""
        return self.folder / RESULTS

    def encoder(self, start: Start) -> Path | None:
        """What ``--init-from`` reads."""
        return self.folder / "encoder.pt" if start.is_imported_first else start.path

    def own_tokenizer(self, start: Start) -> Path | None:
        """The tokenizer where it is not the encoder's."""
        made = self.folder / "tokenizer.model" if start.path is None else None
        return self.tokenizer or made


def make_steps(
    files: Files, start: Start, spec: CorporaFile, only: str | None, options: Options, machine: Machine
) -> list[Step]:
    """All of them.

    Args:
        files: where things are.
        start: what the model starts from.
        spec: the corpora.
        only: the value of ``--only-corpora``; None for all.
        options: of ``fairseq-train``, without paths.
        machine: where they will run.
    """
    make = _Maker(files, start, spec, only, options, machine)
    return [*make.inputs(), *make.data(), make.training(), *make.scores()]


@dataclass(frozen=True)
class _Maker:
    """Makes the commands of ``make_steps``, whose arguments it has."""

    files: Files
    start: Start
    spec: CorporaFile
    only: str | None
    options: Options
    machine: Machine

    def inputs(self) -> Iterator[Step]:
        """The folder, and what the pieces of words are from."""
        files, start = self.files, self.start
        encoder, tokenizer = files.encoder(start), files.own_tokenizer(start)
        # import wants the folder to be there
        yield Step("folder", ("mkdir", "-p", str(files.folder)), (), (files.folder,))
        if start.path is not None and encoder is not None and start.is_imported_first:
            yield Step("import", self.ours("import", start.path, encoder), (start.path,), (encoder,))
        if files.tokenizer is None and tokenizer is not None:
            command = self.ours("tokenizer", files.corpora, tokenizer, *self.chosen)
            yield Step("tokenizer", command, self.raw, (tokenizer,))

    def data(self) -> Iterator[Step]:
        """What looks at the raw files, and what prepares them."""
        files, tokenizer = self.files, self.files.own_tokenizer(self.start)
        pieces = ("--tokenizer", tokenizer) if tokenizer is not None else ("--encoder", files.encoder(self.start))
        inputs = (*self.raw, Path(str(pieces[1])))
        longest = ("--max-length", *self.options["--max-length"]) if "--max-length" in self.options else ()
        yield Step("check", self.ours("check", files.corpora, *pieces, *self.chosen, *longest), inputs)
        large = sum(file.stat().st_size for file in self.raw if file.is_file()) > _LARGE and self.machine.cores > 1
        many = ("--workers", min(self.machine.cores, _MOST_WORKERS)) if large else ()
        command = self.ours("prepare", files.corpora, files.data, *pieces, *self.chosen, *many)
        yield Step("prepare", command, inputs, (files.data / MANIFEST,))

    def training(self) -> Step:
        """The training. It does not depend on what commands before it write: where that is gone, it is made anew."""
        given = [path for path in (self.start.path, self.files.tokenizer) if path is not None]
        command = _train_command(self.files, self.files.encoder(self.start), self.only, self.options)
        return Step(TRAIN, command, (*self.raw, *given), (self.checkpoint,))

    def scores(self) -> Iterator[Step]:
        """The evaluation, where there is a split for it."""
        files = self.files
        if self.validated or any("test" in corpus.sources for corpus in self.spec.corpora.values()):
            split = () if self.validated else ("--split", "test")
            where = ("--device", "cuda") if self.machine.gpus else ()
            command = self.ours("evaluate", self.checkpoint, files.data, "--json", files.results, *split, *where)
            prepared = [files.data / name / MANIFEST for name in ("", *self.spec.corpora)]
            yield Step(EVALUATE, command, (self.checkpoint, *prepared), (files.results,))

    def ours(self, *words: object) -> tuple[str, ...]:
        """A command of ``skill-plugin``."""
        return (*program("skill-plugin"), *map(str, words))

    @property
    def raw(self) -> tuple[Path, ...]:
        """The corpora file, and what it names."""
        return (self.files.corpora, *self.spec.raw_files)

    @property
    def chosen(self) -> tuple[str, ...]:
        return () if self.only is None else ("--only-corpora", self.only)

    @property
    def validated(self) -> bool:
        return "--disable-validation" not in self.options

    @property
    def checkpoint(self) -> Path:
        """The one that is scored."""
        return self.files.folder / (BEST if self.validated else LAST)


def _train_command(files: Files, encoder: Path | None, only: str | None, options: Options) -> tuple[str, ...]:
    paths: Options = {
        "--user-dir": (PLUGIN,),
        "--task": options["--task"],
        "--corpora": (str(files.corpora),),
    }
    if only is not None:
        paths["--only-corpora"] = (only,)
    paths["--arch"] = options["--arch"]
    if encoder is not None:
        paths["--init-from"] = (str(encoder),)
    words = option_words({**paths, **options, "--save-dir": (str(files.folder),)})
    return (*program("fairseq-train"), str(files.data), *words)
