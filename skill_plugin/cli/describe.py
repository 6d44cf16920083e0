"""``skill-plugin describe``: parameters and skill map of a checkpoint, or of an architecture with a corpora file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skill_plugin.cli.options import selected
from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import json_text
from skill_plugin.variants.freezing import FREEZES

if TYPE_CHECKING:
    from skill_plugin.checkpoints.bundle import Bundle


@click.command()
@click.argument("model", metavar="CKPT_OR_ARCH")
@click.option("--corpora", help="With an architecture: the corpora file.")
@click.option("--only-corpora", default="", help="With an architecture: names of corpora, separated by commas.")
@click.option("--init-from", help="With an architecture: the pretrained encoder whose vocabulary it would have.")
@click.option("--skill-layers", type=int, help="With an architecture: layers, from the top, that carry skills.")
@click.option("--experts", type=int, help="With an expert architecture: experts of a layer.")
@click.option("--experts-per-token", type=int, help="With an expert architecture: experts of a token.")
@click.option("--gate-noise", is_flag=True, help="With an expert architecture: the gate's noise is learned.")
@click.option("--expert-layers", default="", help="With an expert architecture: layers that have experts, as 1,3,5.")
@click.option(
    "--freeze",
    type=click.Choice(list(FREEZES)),
    help="With an architecture: what stays as pretrained (default: as published).",
)
@click.option("--conditional", default="", help="With ca_mtl: conditional modules, as attention,norm (default: all).")
@click.option("--conditional-length", type=int, help="With ca_mtl: positions that conditional attention knows.")
@click.option(
    "--conditional-blocks",
    type=click.Choice(["diagonal", "full"]),
    default="diagonal",
    help="With ca_mtl: the form of conditional attention's matrix.",
)
@click.option(
    "--conditional-form",
    type=click.Choice(["paper", "base", "large"]),
    default="paper",
    help="With ca_mtl: the form of the bottleneck.",
)
@click.option(
    "--head",
    type=click.Choice(["dense", "linear"]),
    default="dense",
    help="With an architecture: the form of its heads.",
)
@click.option("--lora-rank", type=int, default=0, help="With an architecture: rank of the low-rank adapters.")
@click.option("--lora-targets", default="", help="With --lora-rank: which maps have adapters, as query,value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def describe(
    model: str,
    corpora: str | None,
    only_corpora: str,
    init_from: str | None,
    skill_layers: int | None,
    experts: int | None,
    experts_per_token: int | None,
    gate_noise: bool,
    expert_layers: str,
    freeze: str | None,
    conditional: str,
    conditional_length: int | None,
    conditional_blocks: str,
    conditional_form: str,
    head: str,
    lora_rank: int,
    lora_targets: str,
    as_json: bool,
) -> None:
    """Describe a trained checkpoint, or an architecture such as skillnet_x_ffn_mha_base with --corpora FILE.

    Without --init-from an architecture is counted with XLM-R's vocabulary of 250,002 pieces and 512 positions.
    """
    import torch

    from skill_plugin.checkpoints.build_model import build_model
    from skill_plugin.checkpoints.trained import read_trained
    from skill_plugin.cli.output import console, print_tables
    from skill_plugin.report.description import describe_model
    from skill_plugin.variants import check_experts
    from skill_plugin.variants.catalogue import ARCHITECTURES, VARIANTS
    from skill_plugin.variants.check_conditional import conditional_options
    from skill_plugin.variants.freezing import chosen_freeze
    from skill_plugin.variants.lora import LoraOptions, lora_options
    from skill_plugin.variants.slots import ConditionalOptions, ExpertOptions

    options = ExpertOptions(experts, experts_per_token, check_experts.expert_layers(expert_layers), noise=gate_noise)
    conditions = conditional_options(conditional, conditional_length, conditional_blocks, conditional_form)
    lora = lora_options(lora_rank, None, None, lora_targets)
    asked = (options, conditions, lora, freeze, skill_layers, head)
    changed = asked != (ExpertOptions(), ConditionalOptions(), LoraOptions(), None, None, "dense")
    if Path(model).is_file():
        if corpora or init_from or changed:
            raise click.UsageError("a checkpoint brings its own corpora file, vocabulary and layers")
        bundle = read_trained(model).bundle
    elif model in ARCHITECTURES:
        if not corpora:
            raise click.UsageError("an architecture needs --corpora FILE, which names its skills and languages")
        bundle = replace(
            _planned(model, corpora, only_corpora, init_from, skill_layers),
            experts=options,
            conditional=conditions,
            freeze=chosen_freeze(freeze, VARIANTS[ARCHITECTURES[model][0]].freeze, adapted=lora.rank > 0),
            lora=lora,
            linear_heads=head == "linear",
        )
    else:
        raise InputError(f"{model!r} is neither a file nor an architecture{nearest(model, ARCHITECTURES)}")
    with torch.device("meta"):  # only sizes are read
        described = describe_model(
            build_model(bundle), {name: (bundle.active_set(name), bundle.corpus(name).head) for name in bundle.labels}
        )
    origin = [] if bundle.origin is None else bundle.origin.chain()
    if as_json:
        content = {**described.to_json(), "origin": [] if bundle.origin is None else bundle.origin.to_json()}
        click.echo(json_text(content))
    else:
        print_tables(described.tables())
        for one in origin:
            console().print("", *one.lines, sep="\n", markup=False, highlight=False)


def _planned(
    architecture: str, corpora: str, only_corpora: str, init_from: str | None, skill_layers: int | None
) -> Bundle:
    """The bundle that a training run with these options would make."""
    from skill_plugin.checkpoints.bundle import Bundle
    from skill_plugin.checkpoints.initial_weights import read_initial_weights
    from skill_plugin.readers.read_corpus import CorpusReader
    from skill_plugin.spec.corpora_file import read_corpora_file
    from skill_plugin.store.facts import corpus_facts
    from skill_plugin.variants.catalogue import ARCHITECTURES
    from skill_plugin.variants.shape import Shape, fitted

    file = read_corpora_file(corpora, selected(only_corpora))
    variant, size = ARCHITECTURES[architecture]
    shape = Shape(size.layers, size.width, size.heads, size.inner, vocabulary=250_002)
    if init_from:
        initial = read_initial_weights(init_from)
        shape = fitted(shape, initial.shape, architecture, initial.file)
    reader = CorpusReader(file)  # one for all: corpora that share labels have their file read once
    labels = {name: reader.labels_or_fault(corpus) for name, corpus in file.corpora.items()}
    facts: dict[str, dict[str, Any]] = {name: {} for name in labels}
    for name, corpus in file.corpora.items():
        if corpus.loss == "graded":  # whose head has as many outputs as there are grades
            facts[name] = corpus_facts(corpus, reader.read(corpus).splits, None)
    return Bundle(variant, shape, skill_layers, file.text, str(file.path), labels, facts, shape.positions, {})
