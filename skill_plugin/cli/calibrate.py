"""``skill-plugin calibrate CKPT --data DATA_BIN``: temperatures and thresholds, kept in the checkpoint."""

from __future__ import annotations

from pathlib import Path

import click

from skill_plugin.cli.options import SPLIT, device_option, parse_selection, verify_option


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option("--data", "data_bin", required=True, metavar="DATA_BIN", help="The data folder.")
@click.option("--split", type=SPLIT, default="valid", show_default=True, help="Which split to calibrate on.")
@click.option("--only-corpora", metavar="A,B", help="Calibrate only these corpora; others keep what they have.")
@click.option("--no-temperature", is_flag=True, help="Look for thresholds alone.")
@click.option("--no-thresholds", is_flag=True, help="Look for temperatures alone.")
@click.option("--out", type=click.Path(path_type=Path), help="Write this file, and leave CHECKPOINT as it is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@verify_option
@device_option
def calibrate(
    checkpoint: Path,
    data_bin: str,
    split: str,
    only_corpora: str | None,
    no_temperature: bool,
    no_thresholds: bool,
    out: Path | None,
    as_json: bool,
    no_verify: bool,
    device: str,
) -> None:
    """Find how the outputs of the trained model CHECKPOINT should become answers, on the data folder's valid split.

    Each corpus with labels gets a temperature, which makes its probabilities honest and changes no answer. Two kinds
    get thresholds, with which their metric is the best: multilabel the probability above which each label is given,
    span how much better than an answer "no answer" must score. Both are kept in the checkpoint: evaluate, predict,
    Python, serve and export answer by them. A run still goes on from it.
    """
    from skill_plugin import api
    from skill_plugin.checkpoints.calibrated import write_calibrated
    from skill_plugin.cli.output import notes_console, print_tables, say_left_out
    from skill_plugin.cli.progress import corpus_progress
    from skill_plugin.errors import shown
    from skill_plugin.files.json_file import json_text
    from skill_plugin.files.whole_file import check_output
    from skill_plugin.inference.calibration import calibrate as calibrate_model
    from skill_plugin.report.calibration_table import make_calibration_tables

    if no_temperature and no_thresholds:
        raise click.UsageError("--no-temperature and --no-thresholds leave nothing to look for")
    check_output(out or checkpoint)
    model = api.load(str(checkpoint), device)
    notes = notes_console()
    with corpus_progress() as progress:
        found, left_out = calibrate_model(
            model,
            data_bin,
            split,
            parse_selection(only_corpora),
            temperature=not no_temperature,
            thresholds=not no_thresholds,
            progress=progress,
            verify=not no_verify,
        )
    say_left_out(notes, left_out)
    for name, one in found.items():
        if one.notice is not None:
            notes.print(f"{name}: {one.notice}", style="yellow", markup=False, soft_wrap=True)
    write_calibrated(checkpoint, {name: one.calibration for name, one in found.items()}, out or checkpoint)
    if as_json:
        click.echo(json_text({name: one.to_json() for name, one in found.items()}))
        return
    scores = {name: (one.calibration, one.before, one.after) for name, one in found.items()}
    print_tables(make_calibration_tables(scores, {name: model.labels(name) for name in found}))
    click.echo(shown(f"wrote {out or checkpoint}"))
