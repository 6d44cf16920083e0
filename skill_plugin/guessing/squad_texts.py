"""The texts of a file in SQuAD's form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from skill_plugin.guessing.layout import Layout
from skill_plugin.readers.text_lines import read_lines

_CONTEXT = re.compile(r'"(?:context|question)"\s*:\s*("(?:[^"\\]|\\.)*")')
_LINES, _TEXTS = 5000, 100


def squad_texts(path: Path, layout: Layout) -> Iterator[str]:
    """The first contexts and questions, without reading the whole file as JSON."""
    import json

    encoding = layout.keys.get("encoding", ("utf-8", ""))[0]
    text = "".join(line.text for line in islice(read_lines(path, encoding, returns_are_space=True), _LINES))
    for match in islice(_CONTEXT.finditer(text), _TEXTS):
        yield str(json.loads(match[1], strict=False))
