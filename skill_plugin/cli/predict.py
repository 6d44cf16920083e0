"""``skill-plugin predict CKPT --corpus NAME INPUT [OUTPUT]``: raw lines in, one answer a line out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from skill_plugin.errors import InputError

if TYPE_CHECKING:
    from skill_plugin.api import Prediction


@click.command()
@click.argument("checkpoint")
@click.option("--corpus", required=True, help="Answer as this corpus does: its labels, head and skills.")
@click.argument("source", metavar="INPUT", type=click.Path(allow_dash=True))
@click.argument("target", metavar="[OUTPUT]", default="-", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines instead of tab-separated values.")
@click.option("--batch-size", default=32, show_default=True, help="Lines in a forward pass.")
@click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words.")
def predict(
    checkpoint: str, corpus: str, source: str, target: str, as_json: bool, batch_size: int, device: str
) -> None:
    """Answer every line of INPUT (- for standard input) with the trained model CHECKPOINT.

    A corpus of single texts takes the whole line; one of pairs splits it at the first tab, and a missing second text is
    empty. Lines end at \\n only. Each line of OUTPUT is the label, a tab, and label=probability pairs.
    """
    from skill_plugin import api

    if source != "-" and not Path(source).is_file():
        raise InputError("no such file", source)
    model = api.load(checkpoint, device)
    model.labels(corpus)
    texts = len(model.bundle.corpus(corpus).text_columns)
    render = _json if as_json else _line
    read: IO[bytes]
    with click.open_file(source, "rb") as read, _whole(target) as write:
        inputs = (tuple(_cells(line, texts)) for line in _lines(read, source))
        for prediction in model.predict_stream(corpus, inputs, batch_size):
            write.write(render(prediction).encode() + b"\n")


@contextmanager
def _whole(target: str) -> Iterator[IO[bytes]]:
    """Standard output, or a file that is there only when all of it is."""
    if target == "-":
        yield sys.stdout.buffer
        return
    beside = Path(f"{target}.partial-{os.getpid()}")
    try:
        write = beside.open("wb")
    except OSError as error:
        raise InputError(error.strerror or "cannot be written", target) from None
    try:
        with write:
            yield write
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _lines(read: IO[bytes], source: str) -> Iterator[str]:
    """Lines without their ends; only \\n ends a line, and a \\r before it belongs to the end."""
    for number, raw in enumerate(read, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            name = "standard input" if source == "-" else source
            raise InputError(f"not UTF-8: byte {error.object[error.start]:#04x}", name, number) from None
        yield line.removesuffix("\n").removesuffix("\r")


def _cells(line: str, texts: int) -> list[str]:
    cells = line.split("\t", texts - 1)
    return cells + [""] * (texts - len(cells))


def _line(prediction: Prediction) -> str:
    shares = " ".join(f"{label}={share:.4f}" for label, share in prediction.probabilities.items())
    return f"{prediction.label}\t{shares}"


def _json(prediction: Prediction) -> str:
    return json.dumps({"label": prediction.label, "probabilities": prediction.probabilities}, ensure_ascii=False)
