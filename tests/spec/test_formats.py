"""What holds for every raw format that there is."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from skill_plugin.kinds.registry import every_format
from skill_plugin.spec.formats import FORMATS
from skill_plugin.spec.section import KEYS
from tests.random_corpora.formats import WRITERS


@pytest.mark.parametrize("name", FORMATS)
def test_facts(name: str) -> None:
    assert set(FORMATS[name].options) <= set(KEYS)
    reader = import_module(f"skill_plugin.readers.{FORMATS[name].reader}")
    assert list(inspect.signature(reader.read_rows).parameters) == ["corpus", "origin", "wanted"]


def test_every_format_holds_a_kind_and_is_part_of_random_corpora() -> None:
    assert set(every_format()) == set(FORMATS) == {*WRITERS, "lines"}
