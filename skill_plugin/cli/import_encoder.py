"""``skill-plugin import``: a pretrained encoder -> the file that ``--init-from`` and ``prepare --encoder`` read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skill_plugin.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skill_plugin.pretrained.encoder_file import EncoderFile


@click.command(name="import")
@click.argument("source", metavar="DIR_OR_FILE", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--trim-vocabulary",
    "texts",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Keep only the pieces that occur in a corpora file (.yaml) or in a file of a text a line, and what other texts"
    " are spelled by. Can be given several times.",
)
def import_encoder(source: Path, out: Path, texts: tuple[Path, ...]) -> None:
    """Import a pretrained encoder with its vocabulary and tokenizer into the file OUT.

    DIR_OR_FILE is a Hugging Face folder (BERT, RoBERTa, XLM-R, mT5; model.safetensors or pytorch_model.bin), or
    fairseq's own RoBERTa or XLM-R: its model.pt, or the folder with dict.txt and sentencepiece.bpe.model beside it. Or
    it is a file that was imported before.
    """
    from skill_plugin.cli.output import notes_console
    from skill_plugin.errors import InputError, shown
    from skill_plugin.files.whole_file import check_output
    from skill_plugin.pretrained.encoder_file import save_encoder_file

    if out.is_dir():
        raise InputError("is a folder, expected the name of a file to write", out)
    if not out.resolve().parent.is_dir():
        raise InputError("no such folder", out.parent)
    check_output(out, source)
    console = notes_console()
    with console.status(f"reading {source}"):
        encoder = read_encoder(source)
    told: list[str] = []
    if texts:
        encoder, told = trim_encoder_to(encoder, texts, source)
    with console.status(f"writing {out}"):
        save_encoder_file(encoder, out)
    for line in (*describe_encoder(encoder), *told):
        click.echo(shown(line))
    click.echo(f"wrote {out} ({out.stat().st_size / 1e6:,.0f} MB)")


def read_encoder(source: Path) -> EncoderFile:
    """A pretrained encoder in any of the layouts that can be imported.

    Raises:
        InputError: no such file or folder, or none of these layouts.
    """
    from skill_plugin.errors import InputError
    from skill_plugin.pretrained.huggingface import read_huggingface_folder
    from skill_plugin.pretrained.load_encoder import load_encoder_file

    if not source.exists():
        raise InputError("no such file or folder", source)
    if source.is_dir() and not (source / "model.pt").is_file():
        return read_huggingface_folder(source)
    if source.is_file() and source.suffix in (".safetensors", ".bin"):
        raise InputError("name the folder, so that config.json and the tokenizer are found too", source)
    return load_encoder_file(source)


def trim_encoder_to(encoder: EncoderFile, texts: Sequence[Path], source: Path) -> tuple[EncoderFile, list[str]]:
    """The encoder with the pieces of files only, and what to say of it.

    Raises:
        InputError: a file is at fault, or the tokenizer cannot lose pieces.
    """
    from skill_plugin.cli.trimming import describe_trimming, trim_to_files
    from skill_plugin.errors import InputError
    from skill_plugin.pretrained.trim_encoder import trim_encoder

    if encoder.text is None or encoder.text.tokenizer is None:
        raise InputError("--trim-vocabulary: comes without a tokenizer, which says what pieces a text has", source)
    trimmed = trim_to_files(texts, encoder.text)
    return trim_encoder(encoder, trimmed), describe_trimming(trimmed, encoder.config.width)


def describe_encoder(encoder: EncoderFile) -> list[str]:
    """What was read and what was left, a line each."""
    from skill_plugin.text.trusted_offsets import check_offsets
    from skill_plugin.variants.t5_shape import T5Shape

    text = encoder.text
    lines = [_sizes(encoder), f"vocabulary: {encoder.config.vocabulary:,} symbols"]
    if text is None:
        lines.append("tokenizer: none")
    else:
        lines.append(f"tokenizer: {'none' if text.tokenizer is None else text.tokenizer.describe()}")
        if not isinstance(encoder.config, T5Shape):  # whose sequences are names and texts
            lines.append(f"template: {text.template.describe()}")
    lines.append(f"left: {_shorten(encoder.left)}")
    about = check_offsets(text.tokenizer) if text is not None and text.tokenizer is not None else None
    return lines + [f"note: {note}" for note in (*encoder.notes, about) if note is not None]


def _sizes(encoder: EncoderFile) -> str:
    from skill_plugin.variants.t5_shape import T5Shape

    c = encoder.config
    if isinstance(c, T5Shape):
        table = "the embeddings'" if c.tied else "their own"
        return (
            f"mt5: {c}, {c.buckets} buckets of relative positions up to {c.distance}, eps {c.eps:g}, "
            f"logits with a table of {table}"
        )
    types = counted(c.token_types, "token type") if c.token_types else "no token types"
    heads = {
        "masked-LM head": "masked_lm.bias",
        "pooler": "pooler.dense.bias",
        "next-sentence head": "next_sentence.bias",
    }
    told = [f"{'with' if name in encoder.state else 'without'} {head}" for head, name in heads.items()]
    return (
        f"{c.source}: {c.layers} layers x {c.width} ({c.heads} heads, feed-forward {c.feed_forward_width}), "
        f"{c.positions} positions, {types}, eps {c.layer_norm_eps:g}, {', '.join(told)}"
    )


def _shorten(names: tuple[str, ...]) -> str:
    if not names:
        return "nothing"
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
