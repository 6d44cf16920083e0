"""Signs in texts that a file was read or written with a wrong encoding, and placeholders in place of texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers import Example
from skill_plugin.readers.example_rows import ExampleBlock
from skill_plugin.readers.row import shorten
from skill_plugin.readers.text_columns import TextColumns
from skill_plugin.spec import Corpus
from skill_plugin.spec.formats import FORMATS

_CONTROL = re.compile("[\x80-\x9f]")
# the bytes 0x80 to 0xff as windows-1252 reads them, and as latin-1 does
_BYTES = {bytes([byte]).decode("cp1252", "ignore"): chr(byte) for byte in range(0x80, 0x100)}
_AS_BYTES = str.maketrans({sign: byte for sign, byte in _BYTES.items() if sign})
_LEAD, _REST = "[\xc2-\xf4]", "".join(sign for sign, byte in _BYTES.items() if byte < "\xc0") + "\x80-\x9f"
_MIXED = re.compile(f"{_LEAD}[{_REST}]")
_UNUSUAL = re.compile("[\x80-\x9f\ufffd\ufeff]")
_SINGLE_BYTE = re.compile("iso8859|latin|cp125|ascii|mac")  # codecs that take any byte for a letter
# what tables have in place of a missing text
MISSING = frozenset(("NS", "N/A", "#N/A", "n/a", "NA", "<NA>", "NaN", "nan", "NULL", "null", "None", "\\N"))


class TextSigns:
    """Collects the signs in the texts of a split, block by block."""

    def __init__(self, corpus: Corpus) -> None:
        self.encoding = corpus.encoding
        self.names = kind_named(corpus.kind).text_names(corpus)
        self.joined = FORMATS[corpus.format].plain  # JSON has such marks in texts of web pages
        self.rows: Counter[str] = Counter()  # by sign
        self.first: dict[str, tuple[Example, str]] = {}  # by sign, the first row and the advice

    def add(self, block: ExampleBlock) -> None:
        columns: Sequence[Iterable[str]] = [chain.from_iterable(block.texts)]
        if isinstance(block.texts, TextColumns):
            columns = block.texts.columns
        if block.candidates is not None:
            columns = [*columns, chain.from_iterable(block.candidates)]
        if not any(map(_may_have_signs, columns)):
            return
        for number, texts in enumerate(block.texts):
            if _may_have_signs(texts if block.candidates is None else texts + block.candidates[number]):
                self.look_at(block, number)

    def look_at(self, block: ExampleBlock, number: int) -> None:
        """Looks at the row with this number in its block."""
        found: dict[str, str] = {}
        texts = block.texts[number]
        for text in (*texts, *(block.candidates[number] if block.candidates else ())):
            if not text.isascii() or "\r" in text:
                found.update(_signs(text, self.encoding))
        for name, text in zip(self.names, texts, strict=False):
            if self.joined and text.startswith("\ufeff"):
                found[f"rows whose {name} begins with a byte order mark (U+FEFF), as where files were joined"] = ""
            if text in MISSING:
                found[f"rows whose {name} is {text!r}, which looks like a placeholder"] = ""
        for sign, advice in found.items():
            self.rows[sign] += 1
            if sign not in self.first:
                self.first[sign] = block.example(number), advice

    def notices(self) -> Iterator[tuple[Example, str]]:
        """The first row and the message for each sign."""
        for sign, (example, advice) in self.first.items():
            yield example, f"{sign}: {self.rows[sign]:,}, the first one here{advice}"


def _may_have_signs(texts: Iterable[str]) -> bool:
    """Whether one of some texts may have a sign; false for nearly all."""
    known = [*texts]
    text = "\n".join(known)
    unusual = "\r" in text or not (text.isascii() or (_UNUSUAL.search(text) is None and _MIXED.search(text) is None))
    return unusual or not MISSING.isdisjoint(known)


def undo_misreading(text: str) -> str | None:
    """Restores a text whose UTF-8 was read as windows-1252 or latin-1; None if the text cannot be such a one.

    >>> undo_misreading("schlÃ¤ft"), undo_misreading("schläft"), undo_misreading("«CAFÉ»")
    ('schläft', None, None)
    """
    if _MIXED.search(text) is None:
        return None
    try:
        return text.translate(_AS_BYTES).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None


def _signs(text: str, encoding: str) -> dict[str, str]:
    """What is odd in a text, and the advice for each."""
    found: dict[str, str] = {}
    single = _SINGLE_BYTE.match(encoding) is not None
    if undo_misreading(text) is not None:
        word = next((word for word in text.split(" ") if undo_misreading(word) is not None), text)
        why = "encoding: utf-8 reads them right" if single else "the file itself was written so"
        example = f"{shorten(word)} is {shorten(undo_misreading(word))}"
        found["rows with UTF-8 in their texts that was read as windows-1252"] = f" ({example}); {why}"
    elif control := _CONTROL.search(text):
        why = "was the file made of windows-1252 text that was read as latin-1?"
        why = "encoding: windows-1252 reads them as signs such as € and ’" if single else why
        place = shorten(text[max(control.start() - 12, 0) : control.end() + 12])
        found["rows with control characters from U+0080 to U+009F in their texts"] = f" ({place}); {why}"
    if "\ufffd" in text:
        why = "; they were lost when the file was written, with another encoding than that of its source"
        found["rows with U+FFFD in their texts, which stands for characters that could not be read"] = why
    if "\r" in text:
        found["rows with a carriage return (\\r) in their texts, which ends no line here"] = ""
    return found
