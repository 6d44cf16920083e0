"""``skill-plugin export CKPT --corpus NAME --format FORMAT OUT``: a corpus's part of a model for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import adapter_option, wrong_usage
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.options.distinct import refuse_repeats


@click.command()
@click.argument("checkpoint")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--corpus", "corpora", multiple=True, metavar="NAME", help="Export what this corpus uses. Can be repeated."
)
@click.option("--all-corpora", is_flag=True, help="Export each corpus, into a folder of OUT under its name.")
@click.option("--format", "form", required=True, metavar="FORMAT", help="huggingface, fairseq or onnx.")
@click.option(
    "--dtype", default="float32", show_default=True, help="Type of the weights: float32, float16 or bfloat16."
)
@click.option("--quantize", metavar="TYPE", help="int8: matrices in 8 bits, a quarter of the size (onnx).")
@click.option(
    "--data", "data_bin", metavar="DATA_BIN", help="Compare on rows of this data folder, and score it on them."
)
@click.option(
    "--rows", default=100, show_default=True, type=click.IntRange(1, LARGEST), help="The most rows that are compared."
)
@adapter_option
def export(
    checkpoint: str,
    out: Path,
    corpora: tuple[str, ...],
    all_corpora: bool,
    form: str,
    dtype: str,
    quantize: str | None,
    data_bin: str | None,
    rows: int,
    adapter: str | None,
) -> None:
    """Write what a corpus uses of the trained model CHECKPOINT into the folder OUT, as an ordinary dense model.

    Its skills become one wider feed-forward network, its language's projections ordinary ones; onnx holds experts and
    conditional modules too. A model that answers with texts becomes transformers' mT5. What was written is compared
    with the trained model, from raw texts on, before it is kept.
    """
    from skill_plugin.checkpoints.adapter_file import put_on_base
    from skill_plugin.checkpoints.checkpoint import read_checkpoint
    from skill_plugin.errors import InputError, nearest, shown
    from skill_plugin.export.formats import FORMATS
    from skill_plugin.export.write_export import Wish, write_export

    if bool(corpora) == all_corpora:
        raise click.UsageError("expected --corpus NAME, or --all-corpora")
    with wrong_usage():
        refuse_repeats(corpora, "--corpus")
    if form not in FORMATS:
        raise click.UsageError(f"unknown format {form!r}{nearest(form, FORMATS)}")
    if quantize is not None and (quantize not in FORMATS[form].quantized or dtype != "float32"):
        having = ", ".join(f"{name}: {', '.join(one.quantized)}" for name, one in FORMATS.items() if one.quantized)
        raise click.UsageError(
            f"--quantize {quantize} with --format {form} --dtype {dtype}; there are, of float32, {having}"
        )
    trained = read_checkpoint(checkpoint) if adapter is None else put_on_base(adapter, checkpoint)
    several = all_corpora or len(set(corpora)) > 1
    wish = Wish(form, quantize or dtype, data_bin, rows)
    refused = []
    for corpus in trained.bundle.labels if all_corpora else dict.fromkeys(corpora):
        try:
            measured = write_export(trained, corpus, out / corpus if several else out, wish)
        except InputError as error:
            if not all_corpora:
                raise
            refused.append(corpus)
            click.echo(shown(f"{corpus}: {error}"), err=True)
            continue
        click.echo(shown(f"{corpus}: {measured.parity.to_line()}"))
        if quantize is not None and (scores := measured.to_line()):
            click.echo(shown(f"{corpus}: {scores}"))
        click.echo(f"wrote {out / corpus if several else out}")
    if refused:
        raise InputError(f"not exported: {', '.join(refused)}", checkpoint)
