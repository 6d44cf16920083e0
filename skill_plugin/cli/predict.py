"""``skill-plugin predict CKPT --corpus NAME INPUT [OUTPUT]``: raw lines in, one answer a line out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from skill_plugin.errors import InputError

if TYPE_CHECKING:
    from skill_plugin.spec.corpus import Corpus


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
    empty. Other kinds take JSON lines: {"words": […]} or {"text": …} (labelling), {"question": …, "context": …} (span),
    {"text_a": …, "candidates": […]} (ranking), {"text_a": …, "word_a": …, "text_b": …, "word_b": …} (word in context,
    with start_a and start_b where a word occurs twice). Lines end at \\n only. Each line of OUTPUT is the answer, and
    behind a tab its probabilities.
    """
    from skill_plugin import api

    if source != "-" and not Path(source).is_file():
        raise InputError("no such file", source)
    model = api.load(checkpoint, device)
    model.labels(corpus)
    spec = model.bundle.corpus(corpus)
    name = "standard input" if source == "-" else source
    read: IO[bytes]
    with click.open_file(source, "rb") as read, _whole(target) as write:
        inputs = (_parse(spec, line, name, number) for number, line in enumerate(_lines(read, name), 1))
        for prediction in model.predict_stream(corpus, inputs, batch_size):
            text = json.dumps(prediction.to_json(), ensure_ascii=False) if as_json else prediction.to_line()
            write.write(text.encode("utf-8", "replace") + b"\n")


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


def _parse(corpus: Corpus, line: str, name: str, number: int) -> Any:
    from skill_plugin.data.raw_inputs import make_example, parse_line

    try:
        value = parse_line(corpus, line)
        make_example(corpus, value)  # so that its faults are told with the line
    except InputError as error:
        raise InputError(error.message, name, number) from None
    return value


def _lines(read: IO[bytes], name: str) -> Iterator[str]:
    """Lines without their ends; only \\n ends a line, and a \\r before it belongs to the end."""
    for number, raw in enumerate(read, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8: byte {error.object[error.start]:#04x}", name, number) from None
        yield line.removesuffix("\n").removesuffix("\r")
