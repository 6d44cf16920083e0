"""``skill-plugin analyse transfer``: what a corpus should start from, a task embedding or a model of another corpus."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skill_plugin.cli.analysis_options import PLOT_FORMATS, Outputs, check_ending
from skill_plugin.cli.options import (
    SPLIT,
    device_option,
    pack_size_option,
    parse_checkpoints,
    parse_selection,
)
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.options.corpus_values import refuse_others
from skill_plugin.options.flag import flag_of
from skill_plugin.options.max_length import MAX_LENGTH

if TYPE_CHECKING:
    from skill_plugin.analysis.relatedness.collect import PretrainedReader, Reading

PICTURES = (".dot", *PLOT_FORMATS)
OF_EMBEDDINGS = ("head", "split")
OF_CORPORA = ("only_corpora", "models", "save_dir", "train_options", "limit", "max_length", "graph")


@click.command()
@click.argument("model")
@click.argument("data_bin")
@click.option("--embeddings", is_flag=True, help="Rank the task embeddings of MODEL.")
@click.option("--by", type=click.Choice(("text", "task", "both")), help="Rank corpora by TextEmb, TaskEmb or both.")
@click.option("--corpora", metavar="FILE", required=True, help="The corpora file.")
@click.option("--corpus", metavar="NEW", help="The new corpus; with --by the only target (default: all are).")
@click.option(
    "--head",
    metavar="CORPUS",
    help="With --embeddings: whose head answers for it (default: what the file says by head_from).",
)
@click.option(
    "--split",
    type=SPLIT,
    default="valid",
    show_default=True,
    help="With --embeddings: what to score.",
)
@click.option("--only-corpora", metavar="A,B", help="With --by: read only these corpora.")
@click.option(
    "--models",
    metavar="CORPUS=CHECKPOINT,…",
    multiple=True,
    callback=parse_checkpoints,
    help="With --by task or both: the model of each corpus; those that are not named are trained.",
)
@click.option(
    "--save-dir",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="With --by task or both: where models are trained, a folder for each corpus.",
)
@click.option(
    "--train-options",
    metavar="TEXT",
    default="",
    help="With --save-dir: options of fairseq-train beside those of the command, as '--lr 1e-4 --max-epoch 1'.",
)
@click.option(
    "--limit",
    type=click.IntRange(0, LARGEST),
    default=256,
    show_default=True,
    help="With --by: rows of a corpus, drawn by --seed; 0 = all.",
)
@click.option(
    "--max-length",
    type=click.IntRange(1, LARGEST),
    default=MAX_LENGTH,
    show_default=True,
    help="With --by: tokens of the longest sequence, of TextEmb and in training.",
)
@click.option(
    "--graph",
    metavar="FILE.dot|png|svg|pdf",
    type=click.Path(path_type=Path),
    callback=check_ending(PICTURES),
    help="With --by: draw an edge to each target from its best source; .dot is Graphviz's text.",
)
@click.option("--seed", type=click.IntRange(0, LARGEST), default=1, show_default=True, help="Of all that is drawn.")
@pack_size_option
@device_option
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the ranking to this file too.")
@click.pass_context
def analyse_transfer(context: click.Context, /, **asked: Any) -> None:
    """Rank what a corpus of DATA_BIN may start from.

    With --embeddings, MODEL is a checkpoint of ca_mtl, and the new corpus NEW is scored before any training: once with
    the task embedding of each corpus of the checkpoint, with their average, and with two that are drawn, each time with
    the same trained head, whose labels must be those of the new corpus. What comes first is what embedding_from should
    say.

    With --by, MODEL is a pretrained encoder, and for each corpus that has a train split the others are ranked as
    sources to learn from first. TextEmb is the mean of what the encoder makes of a corpus's tokens, without training.
    TaskEmb is the Fisher information of a model that was trained on the corpus from this encoder, by --models or by the
    command itself, three epochs in --save-dir. The best source is what --init-from and head_from should name.
    """
    if asked["embeddings"] == (asked["by"] is not None):
        raise click.UsageError("say what is to be compared: --embeddings, or --by text, task or both")
    others = OF_CORPORA if asked["embeddings"] else OF_EMBEDDINGS
    for name in others:
        source = context.get_parameter_source(name)
        if source is not click.core.ParameterSource.DEFAULT:
            mode = "--by" if asked["embeddings"] else "--embeddings"
            raise click.UsageError(f"{flag_of(name)} goes with {mode}")
    Outputs(asked["json_file"], asked["graph"]).check(asked["model"], asked["corpora"], *asked["models"].values())
    if asked["embeddings"]:
        _rank_embeddings(asked)
    else:
        _rank_corpora(asked)


def _rank_embeddings(asked: dict[str, Any]) -> None:
    if asked["corpus"] is None:
        raise click.UsageError("--embeddings needs --corpus NEW")
    from skill_plugin import api
    from skill_plugin.analysis.transfer.collect import collect_transfer
    from skill_plugin.analysis.transfer.table import transfer_table
    from skill_plugin.cli.output import print_tables
    from skill_plugin.cli.progress import corpus_progress

    model = api.load(asked["model"], asked["device"])
    names = ("data_bin", "corpora", "corpus", "head", "split", "seed", "batch_size")
    arguments = {name: asked[name] for name in names}
    with corpus_progress() as progress:
        found = collect_transfer(model, **arguments, progress=progress)
    print_tables([transfer_table(found)], lead=2)
    Outputs(asked["json_file"]).write(found)


def _rank_corpora(asked: dict[str, Any]) -> None:
    from skill_plugin.analysis.relatedness.collect import Reading, embed_tasks, embed_texts, open_pretrained
    from skill_plugin.analysis.relatedness.graph import draw_graph
    from skill_plugin.analysis.relatedness.measure import Relatedness
    from skill_plugin.analysis.relatedness.table import TITLES, relatedness_tables
    from skill_plugin.cli.output import notes_console, print_tables, say_left_out
    from skill_plugin.cli.progress import corpus_progress
    from skill_plugin.errors import InputError, nearest
    from skill_plugin.spec.corpora_file import read_corpora_file

    by, target, notes = asked["by"], asked["corpus"], notes_console()
    file = read_corpora_file(asked["corpora"], parse_selection(asked["only_corpora"]))
    reading = Reading(asked["data_bin"], file, asked["limit"], asked["seed"])
    names, left_out = reading.corpora()
    say_left_out(notes, left_out)
    if target is not None and target not in names:
        raise InputError(f"no corpus {target!r} to rank others for{nearest(target, names)}", asked["data_bin"])
    pretrained = open_pretrained(asked["model"], reading, names, asked["max_length"])
    models = {} if by == "text" else _find_models(asked, names, reading, pretrained)
    embeddings: dict[str, dict[str, Any]] = {name: {} for name in names}
    examples: dict[str, int] = {}
    if by != "task":
        with corpus_progress() as progress:
            texts, examples = embed_texts(pretrained, reading, asked["device"], asked["batch_size"], progress)
        embeddings = texts
    if by != "text":
        with corpus_progress() as progress:
            tasks, examples = embed_tasks(models, reading, asked["device"], progress)
        embeddings = {name: {**tasks[name], **embeddings[name]} for name in names}
    found = Relatedness(by, examples, embeddings, models, None if target is None else [target])
    if found.left_out:
        told = f"not every corpus has these components in one size, left out: {', '.join(found.left_out)}"
        notes.print(told, style="yellow", markup=False, soft_wrap=True)
    print_tables(relatedness_tables(found), lead=2)
    outputs = Outputs(asked["json_file"], asked["graph"])
    outputs.write(found, lambda found, file: draw_graph(found.best, TITLES[by], file))


def _find_models(
    asked: dict[str, Any], names: list[str], reading: Reading, pretrained: PretrainedReader
) -> dict[str, str]:
    """The checkpoint of each corpus, in their order: those that are named, and those that are trained here."""
    from skill_plugin.analysis.relatedness.train_models import Training, find_architecture, train_model
    from skill_plugin.cli.output import notes_console
    from skill_plugin.errors import InputError

    given = asked["models"]
    refuse_others(given, names, "--models", "is compared")
    for path in given.values():
        if not Path(path).is_file():
            raise InputError("--models: no such file", path)
    missing = [name for name in names if name not in given]
    if not missing:
        return {name: given[name] for name in names}
    if asked["save_dir"] is None:
        message = "TaskEmb needs a model of each corpus: --models CORPUS=CHECKPOINT, or --save-dir FOLDER to train them"
        raise click.UsageError(f"{message}; there is none of {', '.join(missing)}")
    try:
        options = shlex.split(asked["train_options"])
    except ValueError as error:  # a quote that is left open
        raise click.UsageError(f"--train-options {asked['train_options']}: {error}") from None
    architecture = find_architecture(pretrained.initial.shape, asked["model"])
    training = Training(
        encoder=asked["model"],
        data_bin=reading.data_bin,
        corpora=asked["corpora"],
        folder=asked["save_dir"],
        max_length=asked["max_length"],
        seed=reading.seed,
        on_cpu=asked["device"].startswith("cpu"),
        options=options,
    )

    def tell(command: list[str]) -> None:
        notes_console().print(shlex.join(command), markup=False, highlight=False, soft_wrap=True)

    trained = {name: train_model(training, name, architecture, tell) for name in missing}
    return {name: given.get(name) or trained[name] for name in names}
