"""``skill-plugin adapter extract CKPT OUT.pt``: the adapter of a checkpoint as a small file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("checkpoint")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--with-tokenizer", is_flag=True, help="Keep tokenizer and vocabulary, for a base that has none.")
def adapter_extract(checkpoint: str, out: Path, with_tokenizer: bool) -> None:
    """Write what the run of CHECKPOINT trained with --lora-rank into the file OUT: adapters, heads and gates.

    Of the base it holds a fingerprint: predict, evaluate and adapter merge put it on that base and no other.
    """
    from skill_plugin.checkpoints.adapter_file import extract_adapter, save_adapter
    from skill_plugin.checkpoints.checkpoint import read_checkpoint
    from skill_plugin.files.whole_file import check_output

    check_output(out, checkpoint)
    extracted = extract_adapter(read_checkpoint(checkpoint), checkpoint, with_tokenizer)
    save_adapter(extracted, out)
    lora, numbers = extracted.bundle.lora, sum(tensor.numel() for tensor in extracted.state.values())
    click.echo(f"rank {lora.rank} beside {', '.join(lora.targets)}, for {', '.join(extracted.bundle.labels)}")
    click.echo(f"wrote {out} ({numbers:,} parameters, {out.stat().st_size / 1e6:,.1f} MB)")
