"""The encoding of a text file, by its first bytes."""

from __future__ import annotations

import codecs

from skill_plugin.spec.languages import is_mostly_unspaced


def find_encoding(head: bytes) -> str | None:
    """UTF-8 where the bytes are that, UTF-16 where a mark or Latin letters say so, else GB 18030 where they are Chinese
    so, else Windows-1252; None where they are no text.

    >>> find_encoding("é".encode()), find_encoding("é".encode("utf-16")), find_encoding("Café au lait".encode("cp1252"))
    ('utf-8', 'utf-16', 'cp1252')
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for place, encoding in enumerate(("utf-16-be", "utf-16-le")):  # the upper halves of Latin letters
        if len(head) > 3 and not any(head[place:16:2]) and all(head[1 - place : 16 : 2]):
            return encoding
    if b"\x00" in head:
        return None
    for encoding in ("utf-8", "gb18030", "cp1252"):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if encoding == "gb18030" and not is_mostly_unspaced("".join(filter(str.isalpha, text))):
            continue
        return encoding
    return None
