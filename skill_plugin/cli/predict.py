"""``skill-plugin predict CKPT --corpus NAME INPUT [OUTPUT]``: raw lines in, one answer a line out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from skill_plugin.cli.options import adapter_option, batch_size_option, decode_option, device_option
from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.json_file import json_text, parse_json
from skill_plugin.files.whole_file import check_output, whole_stream
from skill_plugin.options.decoding import Decoding

if TYPE_CHECKING:
    from skill_plugin.kinds.input_form import RawInput
    from skill_plugin.kinds.prediction import Prediction
    from skill_plugin.readers.example import Example
    from skill_plugin.spec.corpus import Corpus


@click.command()
@click.argument("checkpoint")
@click.option("--corpus", required=True, help="Answer as this corpus does: its labels, head and skills.")
@click.argument("source", metavar="INPUT", type=click.Path(allow_dash=True))
@click.argument("target", metavar="[OUTPUT]", default="-", type=click.Path(allow_dash=True))
@click.option("--jsonl", is_flag=True, help="Every line of INPUT is a JSON value, as Python's predict takes it.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines instead of tab-separated values.")
@batch_size_option
@device_option
@decode_option
@adapter_option
def predict(
    checkpoint: str,
    corpus: str,
    source: str,
    target: str,
    jsonl: bool,
    as_json: bool,
    batch_size: int | None,
    device: str,
    decode: Decoding,
    adapter: str | None,
) -> None:
    """Answer every line of INPUT (- for standard input) with the trained model CHECKPOINT.

    A corpus of single texts takes the whole line (in a masked_lm text, <mask> is what to guess); one of pairs splits it
    at the first tab, and a missing second text is empty. Other kinds take JSON lines: {"words": […]} or {"text": …}
    (labelling), {"question": …, "context": …} (span), {"text_a": …, "candidates": […]} (ranking), {"text_a": …,
    "word_a": …, "text_b": …, "word_b": …} (word in context, with start_a and start_b where a word occurs twice). Lines
    end at \\n only. Each line of OUTPUT is the answer, and behind a tab its probabilities.

    With --jsonl the lines are JSON for every kind, so that texts may hold tabs and line ends: {"text_a": …,
    "text_b": …} (or "text", of masked_lm), a list of texts, or one text.
    """
    from skill_plugin import api

    check_output(target, source, checkpoint, adapter)
    with _opened(source) as read:
        model = api.load(checkpoint, device, adapter, decode)
        model.labels(corpus)
        spec = model.bundle.corpus(corpus)
        name = "standard input" if source == "-" else source
        lines = _Lines(spec, name, jsonl)
        _write(model.predict_examples(corpus, lines.examples(read), batch_size), target, as_json)
        lines.tell()


def _write(predictions: Iterable[Prediction], target: str, as_json: bool) -> None:
    with nullcontext(sys.stdout.buffer) if target == "-" else whole_stream(Path(target)) as write:
        for prediction in predictions:
            text = json_text(prediction.to_json(), indent=None) if as_json else prediction.to_line()
            write.write(text.encode("utf-8", "replace") + b"\n")


def _opened(source: str) -> AbstractContextManager[IO[bytes]]:
    """Standard input, or a file, which is unpacked as it is read if its name says that it is packed."""
    if source == "-":
        if sys.stdin is None:  # Python's, where it was closed from the start
            raise InputError("closed", "standard input")
        return nullcontext(sys.stdin.buffer)
    from skill_plugin.readers.packed import open_unpacked
    from skill_plugin.readers.row import UnreadableError

    try:
        return open_unpacked(Path(source))
    except OSError as error:
        raise InputError(reason_of(error), source) from None
    except UnreadableError as error:
        raise InputError(error.message, source) from None


class _Lines:
    """The lines of an input, and notices about them.

    Args:
        corpus: the corpus for which answers are predicted.
        name: the name of the input, for messages.
        jsonl: whether the lines are JSON.
    """

    def __init__(self, corpus: Corpus, name: str, jsonl: bool) -> None:
        from skill_plugin.kinds.input_form import make_input_form

        self.corpus, self.name, self.jsonl = corpus, name, jsonl
        self.form = make_input_form(corpus)
        self.with_tabs = self.first = 0

    def examples(self, read: IO[bytes]) -> Iterator[Example]:
        """The example of each line, in order.

        Raises:
            InputError: a line that is none, with its number.
        """
        for number, line in enumerate(_decoded(read, self.name), 1):
            try:
                yield self.form.example(self._value(line, number))
            except InputError as error:
                raise InputError(error.message, self.name, number) from None

    def _value(self, line: str, number: int) -> RawInput:
        if self.jsonl:
            given: RawInput = parse_json(line)
            return given
        value = self.form.parse_line(line)
        if self.form.has_spare_tabs(value):
            self.with_tabs += 1
            self.first = self.first or number
        return value

    def tell(self) -> None:
        """Says on standard error, once, how many lines had tabs that divide nothing."""
        if self.with_tabs:
            message = (
                f"lines with more tabs than there are between the texts of {self.corpus.name!r}, which the last one "
                f"holds: {self.with_tabs:,}, the first one here; --jsonl takes texts as JSON"
            )
            click.echo(f"{self.name}:{self.first}: {message}", err=True)


def _decoded(read: IO[bytes], name: str) -> Iterator[str]:
    """Lines without their ends; only \\n ends a line, and a \\r before it belongs to the end."""
    from skill_plugin.readers.packed import unpacking_errors, unpacking_fault
    from skill_plugin.readers.text_lines import LONGEST_LINE

    def read_line() -> bytes:
        try:
            return read.readline(4 * LONGEST_LINE)  # UTF-8 takes 4 bytes at most
        except unpacking_errors() as error:
            raise InputError(unpacking_fault(Path(name), None, error).message, name) from None

    for number, raw in enumerate(iter(read_line, b""), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            if len(raw) == 4 * LONGEST_LINE:  # perhaps cut within a character
                raise InputError(f"is longer than {LONGEST_LINE:,} characters", name, number) from None
            raise InputError(f"not UTF-8: byte {error.object[error.start]:#04x}", name, number) from None
        if len(line) > LONGEST_LINE:
            raise InputError(f"is longer than {LONGEST_LINE:,} characters; has the input lines?", name, number)
        yield line.removesuffix("\n").removesuffix("\r")
