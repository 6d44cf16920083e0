"""The commands from a corpora file to a trained model and its scores, in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import skill_plugin
from skill_plugin.pipeline.fairseq_options import Options, option_words
from skill_plugin.pipeline.machine import Machine
from skill_plugin.pipeline.start import Start
from skill_plugin.pipeline.step import Step, program
from skill_plugin.spec.corpora_file import CorporaFile

TRAIN = "train"
EVALUATE = "evaluate"
LAST = "checkpoint_last.pt"
BEST = "checkpoint_best.pt"
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
        return self.folder / "results.json"

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
    encoder, tokenizer = files.encoder(start), files.own_tokenizer(start)
    raw = spec.raw_files
    chosen = [] if only is None else ["--only-corpora", only]
    ours = program("skill-plugin")
    # import wants the folder to be there
    found = [Step("folder", ("mkdir", "-p", str(files.folder)), (), (files.folder,))]
    if start.path is not None and encoder is not None and start.is_imported_first:
        command = (*ours, "import", str(start.path), str(encoder))
        found.append(Step("import", command, (start.path,), (encoder,)))
    if files.tokenizer is None and tokenizer is not None:
        command = (*ours, "tokenizer", str(files.corpora), str(tokenizer), *chosen)
        found.append(Step("tokenizer", command, (files.corpora, *raw), (tokenizer,)))
    pieces = ["--encoder", str(encoder)] if tokenizer is None else ["--tokenizer", str(tokenizer)]
    inputs = (files.corpora, *raw, Path(pieces[1]))
    longest = ["--max-length", *options["--max-length"]] if "--max-length" in options else []
    found.append(Step("check", (*ours, "check", str(files.corpora), *pieces, *chosen, *longest), inputs))
    large = sum(file.stat().st_size for file in raw if file.is_file()) > _LARGE and machine.cores > 1
    many = ["--workers", str(min(machine.cores, _MOST_WORKERS))] if large else []
    command = (*ours, "prepare", str(files.corpora), str(files.data), *pieces, *chosen, *many)
    found.append(Step("prepare", command, inputs, (files.data / "manifest.json",)))
    prepared = (files.data / "manifest.json", *(files.data / name / "manifest.json" for name in spec.corpora))
    given = [path for path in (start.path, files.tokenizer) if path is not None]
    validated = "--disable-validation" not in options
    checkpoint = files.folder / (BEST if validated else LAST)
    # not what the commands before it write: where that is gone, it is made anew
    command = _train_command(files, encoder, only, options)
    found.append(Step(TRAIN, command, (files.corpora, *raw, *given), (checkpoint,)))
    command = (*ours, "evaluate", str(checkpoint), str(files.data), "--json", str(files.results))
    scored = [] if validated else ["--split", "test"]
    if validated or any("test" in corpus.sources for corpus in spec.corpora.values()):
        where = ["--device", "cuda"] if machine.gpus else []
        found.append(Step(EVALUATE, (*command, *scored, *where), (checkpoint, *prepared), (files.results,)))
    return found


def _train_command(files: Files, encoder: Path | None, only: str | None, options: Options) -> tuple[str, ...]:
    paths: Options = {
        "--user-dir": (str(Path(skill_plugin.__file__).parent),),
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
