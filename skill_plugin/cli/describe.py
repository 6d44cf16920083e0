"""``skill-plugin describe``: parameters and skill map of a checkpoint, or of an architecture with a corpora file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skill_plugin.cli.model_options import add_options
from skill_plugin.cli.options import parse_selection
from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import json_text
from skill_plugin.variants.model_options import ModelOptions

if TYPE_CHECKING:
    from skill_plugin.checkpoints.bundle import Bundle


@click.command()
@click.argument("model", metavar="CKPT_OR_ARCH")
@click.option("--corpora", metavar="FILE", help="With an architecture: the corpora file.")
@click.option("--only-corpora", metavar="A,B", default="", help="With an architecture: only these corpora.")
@click.option(
    "--init-from", metavar="FILE", help="With an architecture: the encoder or checkpoint that it would start from."
)
@add_options(ModelOptions.options())
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def describe(
    model: str,
    corpora: str | None,
    only_corpora: str,
    init_from: str | None,
    as_json: bool,
    **written: Any,
) -> None:
    """Describe a trained checkpoint, or an architecture such as skillnet_x_ffn_mha_base with --corpora FILE.

    Without --init-from an architecture is counted with XLM-R's vocabulary of 250,002 pieces and 512 positions, mt5 with
    its own of 250,112 and <s>. Options of the model are for architectures only.
    """
    from skill_plugin.checkpoints.checkpoint import read_checkpoint
    from skill_plugin.cli.output import console, print_tables
    from skill_plugin.report.calibration_table import make_calibrations_table
    from skill_plugin.report.description import describe_bundle, make_options_table
    from skill_plugin.report.share_table import make_trained_table
    from skill_plugin.variants.catalogue import ARCHITECTURES

    if Path(model).exists():
        changed = any(written[one.name] != one.default for one in ModelOptions.options())
        if corpora or only_corpora or init_from or changed:
            raise click.UsageError("a checkpoint brings its own corpora file, vocabulary and layers")
        checkpoint = read_checkpoint(model)
        bundle, shares = checkpoint.bundle, checkpoint.shares
    elif model in ARCHITECTURES:
        if not corpora:
            raise click.UsageError("an architecture needs --corpora FILE, which names its skills and languages")
        bundle, shares = _planned(model, corpora, only_corpora, init_from, written), None
    else:
        raise InputError(f"{model!r} is neither a file nor an architecture{nearest(model, ARCHITECTURES)}")
    described = describe_bundle(bundle)
    origin = [] if bundle.origin is None else bundle.origin.chain()
    if as_json:
        content = {
            **described.to_json(),
            "variant": bundle.variant,
            "sizes": asdict(bundle.shape.size),
            "options": bundle.given(),
            "trained_on": {} if shares is None else shares.to_json(),
            "calibrations": {name: asdict(one) for name, one in bundle.calibrations.items()},
            "origin": [] if bundle.origin is None else bundle.origin.to_json(),
        }
        click.echo(json_text(content))
    else:
        calibrations = make_calibrations_table(bundle.calibrations, bundle.labels)
        trained = [] if shares is None else [make_trained_table(shares)]
        console().print(f"{bundle.variant}: {bundle.shape.size}", markup=False, highlight=False, soft_wrap=True)
        print_tables([*described.tables(), *make_options_table(bundle.given()), *trained, *calibrations])
        for one in origin:
            console().print("", *one.lines, sep="\n", markup=False, highlight=False)


def _planned(
    architecture: str, corpora: str, only_corpora: str, init_from: str | None, written: dict[str, Any]
) -> Bundle:
    """The bundle that a training run with these options would make."""
    from skill_plugin.checkpoints.build_model import with_new_parameters
    from skill_plugin.checkpoints.bundle import Bundle
    from skill_plugin.checkpoints.initial_weights import read_initial_weights
    from skill_plugin.kinds.registry import kind_named
    from skill_plugin.readers.read_corpus import CorpusReader
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.text.answer_targets import answer_texts
    from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS, MT5
    from skill_plugin.variants.freezing import OLD
    from skill_plugin.variants.model_shape import fit_to_pretrained, make_shape

    variant, size = ARCHITECTURES[architecture]
    options = ModelOptions.of(MODELS[variant], written)
    file = read_corpora_file(corpora, parse_selection(only_corpora))
    shape = make_shape(size, vocabulary=250_113 if variant == MT5 else 250_002)
    initial = read_initial_weights(init_from) if init_from else None
    if options.freeze == OLD and initial is None:
        raise InputError("--freeze old: goes with --init-from, whose weights are the old ones")
    if initial is not None:
        shape = fit_to_pretrained(shape, initial.shape, architecture, initial.file)
    reader = CorpusReader(file)  # one for all: corpora that share labels have their file read once
    labels = {name: reader.labels_or_fault(corpus) for name, corpus in file.corpora.items()}
    facts: dict[str, dict[str, Any]] = {name: {} for name in labels}
    for name, corpus in file.corpora.items():
        kind = kind_named(corpus.kind)
        try:
            kind.head(corpus, labels[name], {}, shape.vocabulary)
        except InputError:  # it depends on the data, as the number of grades does
            facts[name] = kind.storage.facts(corpus, reader.read(corpus).splits, labels[name] or None)
        if variant == MT5:
            answer_texts(corpus, labels[name], facts[name])  # refuses kinds that such a model does not answer
    bundle = Bundle(variant, shape, file.text, str(file.path), labels, facts, shape.positions, {}, **vars(options))
    return bundle if initial is None else with_new_parameters(bundle, initial.state)
