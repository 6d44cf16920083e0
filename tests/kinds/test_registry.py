"""What holds for every kind that there is, and how kinds are found."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skill_plugin.kinds.registry import every_kind, forget_kind, kind_named, kind_names, register_kind
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.spec.section import KEYS
from tests.every_kind import CORPORA


@pytest.mark.parametrize("name", list(kind_names()))
def test_facts(name: str) -> None:
    kind = kind_named(name)
    assert kind.name == name
    assert kind.default_metric in kind.metrics
    assert set(kind.options) <= set(KEYS)
    assert kind.values.keys() <= set(kind.options)
    assert {*kind.texts, *kind.listed, *kind.flagged, *kind.unlined} <= set(kind.columns)
    assert ("labels" in kind.options) == kind.has_labels
    assert not (kind.has_labels and kind.fixed_labels)
    for one in kind.column_sets:
        assert kind.column_set(one.columns) == one
        assert not set(one.needed) & {*one.answers, *one.optional}
    assert issubclass(kind.reader, ItemReader)


def test_every_kind_is_part_of_the_tests_of_all() -> None:
    assert {line.partition("kind: ")[2].partition(",")[0] for line in CORPORA.values()} == set(kind_names())


def test_facts_need_no_torch() -> None:
    program = (
        "import sys; from skill_plugin.kinds.registry import every_kind\n"
        "kinds = [kind for kind in every_kind() if (kind.reader, kind.storage, kind.sequence_rule)]\n"
        "print(len(kinds), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(len(list(every_kind()))), "False"]


def test_registry_and_protocol_import_nothing_of_ours() -> None:
    code = (
        "import skill_plugin.kinds.kind, skill_plugin.kinds.registry, sys\n"
        "print(*sorted(name for name in sys.modules if name.startswith('skill_plugin.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["skill_plugin.kinds", "skill_plugin.kinds.kind", "skill_plugin.kinds.registry"]


def test_a_kind_of_one_process() -> None:
    with pytest.raises(KeyError):
        kind_named("opinion")
    register_kind("opinion", "skill_plugin.kinds.classification")
    try:
        assert kind_named("opinion") is kind_named("classification")
        assert list(kind_names())[-1] == "opinion"
    finally:
        forget_kind("opinion")
    with pytest.raises(KeyError):
        kind_named("opinion")
