"""Names of folders from values."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 100
_OTHER = re.compile(r"[^\w.,=+%-]+")


def folder_name(text: str) -> str:
    """A text as the name of a folder: what a shell or a file system would mind becomes ``_``; long ones are cut.

    >>> folder_name("+ attention, bottleneck"), folder_name("lr=5e-5")
    ('+_attention,_bottleneck', 'lr=5e-5')
    """
    name = _OTHER.sub("_", text).strip(".") or "_"
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
