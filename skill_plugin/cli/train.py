"""``skill-plugin train CORPORA.yaml``: import, check, prepare, fairseq-train and evaluate, with settings that suit."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skill_plugin.cli.options import parse_selection
from skill_plugin.errors import InputError, reason_of, shown, shown_lines

if TYPE_CHECKING:
    from skill_plugin.pipeline.fairseq_options import Options
    from skill_plugin.pipeline.run_steps import StepLog
    from skill_plugin.pipeline.start import Start
    from skill_plugin.pipeline.step import Step
    from skill_plugin.pipeline.steps import Files
    from skill_plugin.text.text_encoder import TextEncoder

_NO_ENCODER = """--encoder: a model starts from a pretrained encoder. XLM-R has 100 languages:

    hf download FacebookAI/xlm-roberta-base config.json model.safetensors tokenizer.json --local-dir xlm-roberta-base
    {command} --encoder xlm-roberta-base

Any Hugging Face folder of BERT, RoBERTa, XLM-R or mT5 will do, fairseq's model.pt, or a checkpoint of ours.
Random weights, which learn little from small data, are --encoder none."""
_OURS = {
    "--user-dir": "it is this plugin",
    "--task": "it is the plugin's",
    "--corpora": "it is CORPORA",
    "--only-corpora": "it is an option of train",
    "--init-from": "it is --encoder",
    "--save-dir": "it is --out",
    "--restore-file": "a run goes on by itself",
    "--no-save": "the model is scored",
    "--checkpoint-suffix": "the model is found by its name",
    "--no-last-checkpoints": "a run goes on from there",
    "--best-checkpoint-metric": "another one needs the printed command",
}


class _WithForeignOptions(click.Command):
    """Says where options of another program stand."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities:
                raise
            hint = "Options of fairseq-train stand behind --, as in: -- --max-update 1000"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from None


@click.command(cls=_WithForeignOptions)
@click.argument("corpora", type=click.Path(path_type=Path))
@click.argument("more", nargs=-1, metavar="[-- OPTIONS OF fairseq-train]")
@click.option(
    "--encoder",
    metavar="PATH",
    help="What the model starts from: a Hugging Face folder, fairseq's model.pt, or a file of import or of a run; none "
    "for random weights.",
)
@click.option(
    "--tokenizer", metavar="MODEL", type=click.Path(path_type=Path), help="A tokenizer in place of the encoder's own."
)
@click.option(
    "--preset", metavar="NAME", help="Settings: standard (default), quick, or a paper's, as paper:skillnet_x."
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder of all that is written; default: CORPORA-run.",
)
@click.option("--only-corpora", metavar="A,B", help="Train on these corpora only.")
@click.option("--print", "only_print", is_flag=True, help="Print the commands, and run none.")
def train(
    corpora: Path,
    more: tuple[str, ...],
    encoder: str | None,
    tokenizer: Path | None,
    preset: str | None,
    out: Path | None,
    only_corpora: str | None,
    only_print: bool,
) -> None:
    """Train a model on the corpora of a file, from raw files to a table of scores.

    Imports the encoder, checks and prepares the corpora, trains with fairseq-train and evaluates. Each command is
    printed before it is run, and can be copied into a shell. Batch, learning rate, number of updates and the rest suit
    the data, the encoder and this machine; options after -- win over them. Stopped at any point, the same command goes
    on.
    """
    from skill_plugin.files.locks import locked
    from skill_plugin.pipeline.run_steps import FailedStepError, StepLog, run_steps
    from skill_plugin.pipeline.steps import EVALUATE, Files
    from skill_plugin.runs.fairseq import need_fairseq

    if encoder is None:
        raise click.UsageError(_NO_ENCODER.format(command=_command()))
    files = Files(corpora, out or corpora.parent / f"{corpora.stem}-run", tokenizer)
    asked = _Asked(encoder, preset, only_corpora, _given(more))
    if only_print:
        for step in _steps(files, asked, StepLog(files.folder)):
            click.echo(_shown(step))
        return
    need_fairseq()
    try:
        with _folder(files), locked(files.folder / ".train.lock", files.folder, "another 'skill-plugin train'"):
            log = StepLog(files.folder)
            steps = _steps(files, asked, log)
            _check_options(steps, asked, log)
            done = run_steps(steps, log, asked.to_state(files), _say)
    except FailedStepError:
        sys.exit(1)  # the command has told why
    except KeyboardInterrupt:
        click.echo(f"\nstopped; the same command goes on: {_command()}", err=True)
        sys.exit(130)
    _conclude(steps, files, EVALUATE in done)


@dataclass(frozen=True)
class _Asked:
    """The command line, but for paths of ours.

    Attributes:
        encoder, preset, only: as given.
        options: of fairseq-train.
    """

    encoder: str
    preset: str | None
    only: str | None
    options: Options

    def to_state(self, files: Files) -> dict[str, str]:
        """Plain values, by the options that a person gave."""
        options = {name: " ".join(values) for name, values in self.options.items()}
        given = {
            "CORPORA": str(files.corpora), "--encoder": self.encoder, "--preset": self.preset,
            "--only-corpora": self.only, "--tokenizer": None if files.tokenizer is None else str(files.tokenizer),
        }  # fmt: skip
        return {name: value for name, value in (given | options).items() if value is not None}


def _given(words: Sequence[str]) -> Options:
    """Options of fairseq-train after ``--``.

    Raises:
        InputError: one that is decided here.
    """
    from skill_plugin.pipeline.fairseq_options import parse_options

    options = parse_options(words)
    for name in options:
        if name in _OURS:
            raise InputError(f"-- {name} cannot be given: {_OURS[name]}")
    return options


@contextlib.contextmanager
def _folder(files: Files) -> Iterator[None]:
    """Makes the folder of a run, which is gone again where nothing was written into it."""
    if not files.corpora.is_file():
        why = "is a directory" if files.corpora.is_dir() else "no such file"
        raise InputError(f"the corpora file cannot be read: {why}", files.corpora)
    is_new = not files.folder.exists()
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(reason_of(error, "cannot be made"), files.folder) from None
    try:
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it holds something
                files.folder.rmdir()


def _check_options(steps: Sequence[Step], asked: _Asked, log: StepLog) -> None:
    """Refuses options of fairseq-train that a person gave wrongly, or that are none for the corpora.

    Raises:
        InputError: the first that it refuses.
    """
    from skill_plugin.pipeline.fairseq_options import option_words, parse_options
    from skill_plugin.pipeline.option_faults import find_option_faults
    from skill_plugin.pipeline.step import program
    from skill_plugin.pipeline.steps import TRAIN

    if (not asked.options and asked.preset is None) or log.training is not None:
        return
    data, *words = next(step.command for step in steps if step.name == TRAIN)[len(program("fairseq-train")) :]
    options = parse_options(words)
    del options["--user-dir"]
    (fault,) = find_option_faults([[data, *option_words(options)]])
    if fault is not None:
        raise InputError(f"-- {fault.message}")


def _steps(files: Files, asked: _Asked, log: StepLog) -> list[Step]:
    """All commands; that of a training which has begun is the one with which it began.

    Raises:
        InputError: an input is at fault, or the training that has begun was asked for otherwise.
    """
    from skill_plugin.cli.progress import EncodingProgress
    from skill_plugin.options.max_length import MAX_LENGTH
    from skill_plugin.pipeline.choose_options import choose_architecture, choose_options
    from skill_plugin.pipeline.fairseq_options import number_of, parse_options
    from skill_plugin.pipeline.look_at_corpora import look_at_corpora
    from skill_plugin.pipeline.machine import this_machine
    from skill_plugin.pipeline.preset import DEFAULT, read_preset
    from skill_plugin.pipeline.start import NONE, random_start, read_start
    from skill_plugin.pipeline.step import program
    from skill_plugin.pipeline.steps import TRAIN, make_steps
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.variants.catalogue import MT5

    preset = read_preset(asked.preset or DEFAULT)
    spec = read_corpora_file(files.corpora, parse_selection(asked.only))
    if not any("train" in corpus.sources for corpus in spec.corpora.values()):
        raise InputError("no corpus has a train split to train on", files.corpora)
    begun = log.training
    if begun is not None:
        _check_asked(begun.asked, asked.to_state(files), files)
    start = random_start(asked.options) if asked.encoder == NONE else read_start(Path(asked.encoder))
    machine = this_machine()
    if begun is None:
        texts = choose_architecture(preset, start, asked.options).startswith(f"{MT5}_")
        length = number_of({**preset.options, **asked.options}, "--max-length") or MAX_LENGTH
        with (progress := EncodingProgress()):
            encoder = _text_encoder(files, start)
            data = look_at_corpora(spec, start, encoder, texts, int(length), progress.reading)
        options = choose_options(preset, start, spec, data, machine, asked.options)
    else:
        options = parse_options(begun.command[len(program("fairseq-train")) + 1 :])  # after the data folder
        if not {"--task", "--arch"} <= options.keys():
            raise InputError("damaged: holds no training that can go on", log.file)
    steps = make_steps(files, start, spec, asked.only, options, machine)
    if begun is None:
        return steps
    return [replace(step, command=tuple(begun.command)) if step.name == TRAIN else step for step in steps]


def _check_asked(was: Mapping[str, str], now: Mapping[str, str], files: Files) -> None:
    for name in {**was, **now}:
        if was.get(name) != now.get(name):
            before, after = (shown(one.get(name, "not given") or "given") for one in (was, now))
            message = f"holds a run whose {name} was {before}, now {after}; keep it, or name another --out"
            raise InputError(message, files.folder)


def _text_encoder(files: Files, start: Start) -> TextEncoder | None:
    """What makes ids of texts; None where pieces are to be learned.

    Raises:
        InputError: the encoder has no tokenizer, and none is given; that is another one's; or a file is at fault.
    """
    if files.tokenizer is not None:
        from skill_plugin.text.tokenizer_files import open_tokenizer

        text = open_tokenizer(files.tokenizer)
        if start.text is not None and start.text.vocabulary.rows_of(text.vocabulary) is None:
            own = "" if start.text.tokenizer is None else ", or leave out --tokenizer for its own"
            message = f"its pieces are not those of {start.path}: name the tokenizer of that{own}"
            raise InputError(message, files.tokenizer)
        return text
    if start.path is not None and (start.text is None or start.text.tokenizer is None):
        raise InputError("holds no tokenizer; name one with --tokenizer", start.path)
    return start.text


def _shown(step: Step) -> str:
    """A command as a person can copy it."""
    return shown_lines(step.shown())


def _say(step: Step, stands: bool) -> None:
    if stands:
        click.secho(f"# done before: {step.name}", dim=True)
    else:
        click.secho(f"$ {_shown(step)}", bold=True)
    sys.stdout.flush()  # before what the command itself prints


def _conclude(steps: Sequence[Step], files: Files, scored: bool) -> None:
    """The scores, where no command has just printed them, and where everything is."""
    from skill_plugin.cli.output import print_tables
    from skill_plugin.pipeline.steps import TRAIN
    from skill_plugin.report.results import Results
    from skill_plugin.report.score_table import make_score_table

    if not scored and files.results.exists():
        print_tables([make_score_table(Results.read(files.results))], lead=2)
    (checkpoint,) = next(step.outputs for step in steps if step.name == TRAIN)
    click.echo(f"\nthe model: {shown(str(checkpoint))}")
    page = ["skill-plugin", "report", str(files.folder), "--data", str(files.data)]
    click.echo(f"a page on it: {shown(shlex.join(page))}")


def _command() -> str:
    return shown(shlex.join(["skill-plugin", *sys.argv[1:]]))
