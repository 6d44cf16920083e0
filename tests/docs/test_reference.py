"""The reference that is made from the code has all that there is in it."""

from __future__ import annotations

import dataclasses
import re
import sys

import click
import pytest
from click.testing import CliRunner
from fairseq.criterions import CRITERION_DATACLASS_REGISTRY
from fairseq.models import MODEL_DATACLASS_REGISTRY
from fairseq.tasks import TASK_DATACLASS_REGISTRY

import skill_plugin.register  # noqa: F401
from skill_plugin.cli.main import skill_plugin as program
from skill_plugin.kinds.classification import ClassificationKind
from skill_plugin.kinds.registry import (
    every_format,
    every_kind,
    every_metric,
    every_own_option,
    forget_kind,
    register_kind,
)
from skill_plugin.spec.formats import OPTIONS_OF_FORMATS
from skill_plugin.spec.section import KEYS
from tests.docs.conftest import PAGES, ROOT, Rows


def test_every_option_of_fairseq_train(reference: dict[str, str]) -> None:
    registered = (
        TASK_DATACLASS_REGISTRY["multilingual_multitask"],
        MODEL_DATACLASS_REGISTRY["skill_encoder"],
        CRITERION_DATACLASS_REGISTRY["multitask_cross_entropy"],
        CRITERION_DATACLASS_REGISTRY["multitask_r3f"],
    )
    named = re.findall(r"^\| `(--[a-z0-9-]+)`", reference["options"], re.MULTILINE)
    assert len(set(named)) == len(named) > 40
    for field in (field for one in registered for field in dataclasses.fields(one)):
        if field.metadata.get("help") and field.name != "data":
            assert (field.metadata.get("argparse_alias") or f"--{field.name.replace('_', '-')}") in named


def test_every_key_with_its_meaning(rows: Rows) -> None:
    everywhere, kinds, formats = (rows("keys", section) for section in ("Every corpus", "Kinds", "Formats"))
    keys = [*KEYS, *every_own_option()]
    assert {*everywhere, *kinds, *formats} == set(keys)
    assert len(everywhere) + len(kinds) + len(formats) == len(keys)
    assert all(cells[0] for table in (everywhere, kinds, formats) for cells in table.values())
    assert set(formats) == set(OPTIONS_OF_FORMATS)
    assert kinds["loss"][1:] == ["**`pointwise`**, `listwise`, `graded`", "`ranking`"]
    assert everywhere["truncate"][1] == "**`longest`**, `right`"
    assert kinds["max_answer"][1] == "whole number from 1, **`30`**"


def test_every_kind_with_columns_metrics_formats_and_keys(reference: dict[str, str], rows: Rows) -> None:
    for kind in every_kind():
        section = rows("kinds", kind.name)
        for what, names in {
            "metrics": kind.metrics,
            "formats": kind.formats,
            "keys of its own": kind.all_options,
        }.items():
            assert re.findall(r"`(\w+)`", " ".join(section.get(what, []))) == list(names)
        assert set(kind.columns) <= set(re.findall(r"`(\w+)`", section["columns"][0]))
    for name in {*every_metric(), *every_format()}:
        assert f"`{name}`" in reference["kinds"]


def test_a_kind_of_another_package_is_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sarcasm(ClassificationKind):
        """Whether a text means what it says."""

        name = "sarcasm"
        metrics = ("irony", "accuracy")

    module = type("module", (), {"KIND": Sarcasm()})
    monkeypatch.setitem(sys.modules, "sarcasm_kind", module)
    register_kind("sarcasm", "sarcasm_kind")
    try:
        page = PAGES["reference/kinds.md"]()
    finally:
        forget_kind("sarcasm")
    assert "## sarcasm\n\nWhether a text means what it says.\n" in page and "`irony`" in page


def _verbs(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        found.append((*path, name))
        if isinstance(command, click.Group):
            found += _verbs(command, (*path, name))
    return found


@pytest.mark.parametrize("verb", _verbs(program), ids=" ".join)
def test_every_verb_as_its_help_shows_it(verb: tuple[str, ...], reference: dict[str, str], rows: Rows) -> None:
    shown = CliRunner().invoke(program, [*verb, "--help"], prog_name="skill-plugin").output
    usage = " ".join(shown.partition("\n\n")[0].removeprefix("Usage:").split())
    assert f"\n{usage}\n" in reference["commands"]
    options = set(re.findall(r"^  (--[a-z0-9-]+)", shown, re.MULTILINE)) - {"--help"}
    table = rows("commands", verb[-1]) if options else {}
    assert {flags.split()[0] for flags in table} == options


def test_every_fault_of_fairseq(reference: dict[str, str]) -> None:
    files = [file for file in (ROOT / "skill_plugin/compat").glob("*.py") if "Fault" in file.read_text()]
    assert reference["fairseq-faults"].count("\n## ") == len(files) > 10
    assert reference["fairseq-faults"].count("**No longer needed:**") == len(files)
