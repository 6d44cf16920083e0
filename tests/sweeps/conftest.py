"""Made corpora and an encoder, as tests of scripts have them, and a way to write sweep files over them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.conftest import made  # noqa: F401

Write = Callable[[str], Path]

HEAD = """\
corpora: {corpora}
data: {data}
"""


@pytest.fixture
def write(tmp_path: Path, made: Any) -> Write:  # noqa: F811
    """write("grid: …") writes a sweep file over the made corpora; its first lines are corpora and data."""

    def write(text: str) -> Path:
        path = tmp_path / "sweep.yaml"
        head = HEAD.format(corpora=made.corpora, data=made.data)
        path.write_text(head + textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write
