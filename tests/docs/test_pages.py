"""The pages say what is so: options that there are, corpora files that can be read, links that work everywhere."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
import yaml
from click import Context, Group, Option
from rich.text import Text

from skill_plugin.cli.main import skill_plugin as program
from skill_plugin.kinds.registry import every_format, kind_names
from skill_plugin.spec import parse_corpora_file
from skill_plugin.tasks.option_rows import option_rows
from skill_plugin.variants.catalogue import VARIANTS
from tests.docs.conftest import ROOT
from tests.warm_process import run

README, DOCS = ROOT / "README.md", ROOT / "docs"
TABLES = ("kinds.md", "formats.md")
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]*[a-z0-9]")


def _options(command: Group) -> set[str]:
    context, found = Context(command), {"--help", "--version"}
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        found |= {flag for one in inner.params if isinstance(one, Option) for flag in one.opts}
        found |= _options(inner) if isinstance(inner, Group) else set()
    return found


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Options of fairseq-train with the plugin, of every verb, and of what scripts call or take."""
    shown = run([sys.executable, "-m", "fairseq_cli.train", "--help"], capture_output=True, check=True).stdout.decode()
    scripts = [file for file in (ROOT / "scripts").rglob("*") if file.suffix in (".py", ".sh")]
    texts = "\n".join((shown, *(file.read_text(encoding="utf-8") for file in scripts)))
    return {row.flag for row in option_rows()} | _options(program) | set(OPTION.findall(texts))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_that_is_named_is_one(page: Path, known: set[str]) -> None:
    of_others = {"--config-dir", "--config-name", "--local-dir", "--basetemp"}  # fairseq-hydra-train, hf, pytest
    of_others |= {"--scale-parameter", "--relative-step"}  # which fairseq-train shows with --optimizer adafactor only
    assert set(OPTION.findall(page.read_text(encoding="utf-8"))) - known - of_others == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_script_that_is_named_is_there(page: Path) -> None:
    named = set(re.findall(r"(?<![\w/])scripts/[\w/*.]*\w", page.read_text(encoding="utf-8")))
    assert [name for name in named if not any(ROOT.glob(name))] == []


def test_every_file_that_contributing_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*[\w*]+\.(?:py|sh|toml|yaml|md)|(?:\w+/)+)`", text))
    assert len(named) > 30
    inside = ROOT / "skill_plugin", ROOT / "examples"
    found = {name: any((*ROOT.glob(name), *(one for folder in inside for one in folder.rglob(name)))) for name in named}
    assert [name for name in named if not found[name]] == []


@pytest.mark.parametrize("name", ["README.md", "docs/corpora-file.md", "docs/step-by-step.md"])
def test_corpora_files_on_pages_are_good(name: str) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    whole = [block for block in blocks if block.startswith("languages:")]
    assert len(whole) == 1
    more = [block for block in blocks if block.startswith("  ") and name == "docs/step-by-step.md"]
    corpora = parse_corpora_file(whole[0] + "".join(more), ROOT / name).corpora
    assert len(corpora) == len(yaml.safe_load(whole[0] + "".join(more))["corpora"])


def test_the_first_page_is_a_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    scripts = re.findall(r"^bash (scripts/\w+\.sh)", text, re.MULTILINE)
    assert scripts == ["scripts/quickstart.sh", "scripts/test.sh"]
    for target in (*scripts, *re.findall(r"\]\((?!https?:)([^)#]+)", text)):
        assert (ROOT / target).is_file(), target


def test_every_kind_format_and_variant_is_named() -> None:
    first, kinds, formats = (file.read_text(encoding="utf-8") for file in (README, *map(DOCS.joinpath, TABLES)))
    for name in {*kind_names(), *every_format(), *VARIANTS}:
        assert f"`{name}`" in first, name
    assert {f"| `{name}` |" for name in kind_names()} == set(re.findall(r"^(\| `\w+` \|)", kinds, re.MULTILINE))
    assert set(every_format()) <= set(re.findall(r"`(\w+)`", formats))


def test_an_index_of_packages_shows_no_link_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}
    monkeypatch.setattr("setuptools.setup", given.update)
    runpy.run_path(str(ROOT / "setup.py"))
    shown = given["long_description"]
    assert re.findall(r"!?\[[^]]*\]\((?!https?:)", shown) == []
    assert "[fairseq](https://" in shown and "Tutorial" in shown
    assert "table.svg" not in shown and "table.svg" in README.read_text(encoding="utf-8")


def test_the_picture_needs_no_network() -> None:
    picture = runpy.run_path(str(ROOT / "scripts/docs/table_picture.py"))["picture"]
    for svg in (picture(Text("a table")), (ROOT / "docs/images/table.svg").read_text(encoding="utf-8")):
        assert "<svg" in svg and "@font-face" not in svg and "url(http" not in svg and "src=" not in svg


def test_commits_are_checked_by_what_continuous_integration_runs() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert hook["entry"] == "bash scripts/lint.sh"
    assert f"check {hook['entry']}" in (ROOT / "scripts/test.sh").read_text(encoding="utf-8")
