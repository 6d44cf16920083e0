"""``skill-plugin predict CKPT --corpus NAME INPUT [OUTPUT]``: raw lines in, one answer a line out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from skill_plugin.errors import InputError
from skill_plugin.json_file import json_text
from skill_plugin.whole_file import refuse_own_input, whole_stream

if TYPE_CHECKING:
    from skill_plugin.data.predictions import Prediction
    from skill_plugin.readers.example import Example
    from skill_plugin.spec.corpus import Corpus


@click.command()
@click.argument("checkpoint")
@click.option("--corpus", required=True, help="Answer as this corpus does: its labels, head and skills.")
@click.argument("source", metavar="INPUT", type=click.Path(allow_dash=True))
@click.argument("target", metavar="[OUTPUT]", default="-", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines instead of tab-separated values.")
@click.option("--batch-size", type=click.IntRange(1), default=32, show_default=True, help="Lines in a forward pass.")
@click.option("--device", default="cpu", show_default=True, help="Where to run, in torch's words.")
@click.option("--adapter", metavar="FILE", help="Put this adapter on CHECKPOINT, which it was trained beside.")
def predict(
    checkpoint: str,
    corpus: str,
    source: str,
    target: str,
    as_json: bool,
    batch_size: int,
    device: str,
    adapter: str | None,
) -> None:
    """Answer every line of INPUT (- for standard input) with the trained model CHECKPOINT.

    A corpus of single texts takes the whole line (in a masked_lm text, <mask> is what to guess); one of pairs splits it
    at the first tab, and a missing second text is empty. Other kinds take JSON lines: {"words": […]} or {"text": …}
    (labelling), {"question": …, "context": …} (span), {"text_a": …, "candidates": […]} (ranking), {"text_a": …,
    "word_a": …, "text_b": …, "word_b": …} (word in context, with start_a and start_b where a word occurs twice). Lines
    end at \\n only. Each line of OUTPUT is the answer, and behind a tab its probabilities.
    """
    from skill_plugin import api

    refuse_own_input(target, source, checkpoint, adapter)
    with _opened(source) as read:
        model = api.load(checkpoint, device, adapter)
        model.labels(corpus)
        spec = model.bundle.corpus(corpus)
        name = "standard input" if source == "-" else source
        examples = (_example(spec, line, name, number) for number, line in enumerate(_lines(read, name), 1))
        _write(model.predict_examples(corpus, examples, batch_size), target, as_json)


def _write(predictions: Iterable[Prediction], target: str, as_json: bool) -> None:
    with nullcontext(sys.stdout.buffer) if target == "-" else whole_stream(Path(target)) as write:
        for prediction in predictions:
            text = json_text(prediction.to_json(), indent=None) if as_json else prediction.to_line()
            write.write(text.encode("utf-8", "replace") + b"\n")


def _opened(source: str) -> AbstractContextManager[IO[bytes]]:
    """Standard input, or a file."""
    if source == "-":
        if sys.stdin is None:  # Python's, where it was closed from the start
            raise InputError("closed", "standard input")
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise InputError((error.strerror or "cannot be read").lower(), source) from None


def _example(corpus: Corpus, line: str, name: str, number: int) -> Example:
    from skill_plugin.data.raw_inputs import make_example, parse_line

    try:
        return make_example(corpus, parse_line(corpus, line))
    except InputError as error:
        raise InputError(error.message, name, number) from None


def _lines(read: IO[bytes], name: str) -> Iterator[str]:
    """Lines without their ends; only \\n ends a line, and a \\r before it belongs to the end."""
    for number, raw in enumerate(read, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8: byte {error.object[error.start]:#04x}", name, number) from None
        yield line.removesuffix("\n").removesuffix("\r")
