"""What holds for every kind that there is, and how kinds are found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.kinds import registry
from skill_plugin.kinds.kind import Kind
from skill_plugin.kinds.registry import every_kind, forget_kind, kind_named, kind_names, register_kind
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.spec.section import KEYS
from tests.every_kind import CORPORA
from tests.random_corpora.rows import ROWS


@pytest.mark.parametrize("name", list(kind_names()))
def test_facts(name: str) -> None:
    kind = kind_named(name)
    assert kind.name == name
    assert kind.default_metric in kind.metrics
    assert set(kind.costs) <= set(kind.metrics)
    assert set(kind.options) <= set(KEYS)
    assert not set(kind.own_options) & set(KEYS)
    assert set(kind.head_options) <= set(kind.all_options)
    assert kind.keys is None or kind.keys()  # all have defaults
    assert {*kind.texts, *kind.listed, *kind.flagged, *kind.unlined} <= set(kind.columns)
    assert ("labels" in kind.options) == kind.has_labels
    assert ("text_names" in kind.options) == bool(kind.named_texts(kind.columns))
    assert ("prefix" in kind.options) == (type(kind).answer_texts is not Kind.answer_texts)
    assert not (kind.has_labels and kind.fixed_labels)
    for one in kind.column_sets:
        assert kind.column_set(one.columns) == one
        assert not set(one.needed) & {*one.answers, *one.optional}
    assert issubclass(kind.reader, ItemReader)


def test_every_kind_is_part_of_the_tests_of_all() -> None:
    assert {line.partition("kind: ")[2].partition(",")[0] for line in CORPORA.values()} == set(kind_names())
    assert set(ROWS) == set(kind_names())


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


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What the registry has found is looked for anew, before the test and after it."""
    registry._installed.cache_clear()
    kind_named.cache_clear()
    yield
    registry._installed.cache_clear()
    kind_named.cache_clear()


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (None, "importing odd_kind ends in ModuleNotFoundError: No module named 'odd_kind'"),
        ("1 / 0\n", "importing odd_kind ends in ZeroDivisionError: division by zero"),
        ("kind = 1\n", "odd_kind has no KIND; expected a Kind named 'odd'"),
        ("KIND = 1\n", "odd_kind has the KIND 1; expected a Kind named 'odd'"),
        (
            "from skill_plugin.kinds.classification import KIND\n",
            "odd_kind has the KIND 'classification'; expected a Kind named 'odd'",
        ),
        (
            "from skill_plugin.kinds.classification import ClassificationKind\n"
            "from skill_plugin.spec.kind_keys import KindKeys\n"
            "class Keys(KindKeys): train: str = ''\n"
            "class Odd(ClassificationKind): name, keys = 'odd', Keys\n"
            "KIND = Odd()\n",
            "it brings the key 'train', which corpora of all kinds have",
        ),
    ],
)
def test_an_installed_kind_that_cannot_be_loaded(
    module: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgetful: None,
    command: Callable[..., tuple[int, str, str]],
) -> None:  # fmt: skip
    installed = tmp_path / "odd_package-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: odd-package\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[skill_plugin.kinds]\nodd = odd_kind\nclassification = odd_kind\n")
    if module is not None:
        (tmp_path / "odd_kind.py").write_text(module)
    monkeypatch.delitem(sys.modules, "odd_kind", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "train.tsv").write_text("text\tlabel\na\tx\nb\ty\n")
    for kind, metric, status in (("odd", "", 1), ("classification", "metric: acc, ", 1), ("classification", "", 0)):
        (tmp_path / "corpora.yaml").write_text(
            f"languages: [en]\nskills: {{all: always on}}\ncorpora: {{a: {{kind: {kind}, {metric}language: en, "
            "skills: [all], format: tsv, columns: {text_a: text, label: label}, train: train.tsv}}\n"
        )
        done, _, err = command("check", tmp_path / "corpora.yaml", "--json")
        assert done == status, err
        if status:
            assert err == f"the kind 'odd' of the installed package odd-package cannot be loaded: {expected}\n"
    assert kind_named("classification").name == "classification"  # a name that is taken stays what it is
    with pytest.raises(InputError):
        kind_named("odd")
