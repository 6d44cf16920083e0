"""The section of data: what `check` says, from its file or from the raw files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.html_page import HtmlPage

MakePage = Callable[..., HtmlPage]
Command = Callable[..., tuple[int, str, str]]
CORPORA = """\
languages: [en]
corpora:
  news: {kind: classification, language: en, format: tsv, columns: {text_a: t, label: l}, train: t.tsv, valid: v.tsv}
"""


def test_what_check_found_is_shown(
    scored: Callable[..., Path], page: MakePage, command: Command, tmp_path: Path
) -> None:
    run = scored("run", news_en=0.7)
    (tmp_path / "corpora.yaml").write_text(CORPORA)
    (tmp_path / "t.tsv").write_text("t\tl\n" + "a text\tx\nanother <b>text</b>\ty\nthe last\ty\n")
    (tmp_path / "v.tsv").write_text("t\tl\na text\tx\nnone\t\n")
    status, out, _ = command("check", tmp_path / "corpora.yaml", "--json")
    (run / "check.json").write_text(out)
    section = page(run).section("data")
    rows = {tuple(cell.text for cell in row.all("td")[:4]) for row in section.all("tr")}
    assert ("train", "3", "0", "x 1, y 2") in rows and ("valid", "1", "1", "x 1") in rows
    assert f"rows that also occur in train: 1, the first one here {tmp_path / 'v.tsv'}:2" in section.text
    assert status == 1 and "1 fault: rows" in section.text and f"{tmp_path / 'v.tsv'}:3" in section.text


def test_why_there_is_nothing(run: Path, page: MakePage, tmp_path: Path, command: Command) -> None:
    """A checkpoint whose corpora file is elsewhere, and a file that is none of check's."""
    text = page(run).section("data").text
    assert "The raw files were not read" in text and "skill-plugin check CORPORA.yaml --json" in text
    (tmp_path / "other.json").write_text("{}")
    status, _, err = command("report", run, "--check", tmp_path / "other.json", "--out", tmp_path / "page.html")
    assert status == 1
    assert err == f"{tmp_path / 'other.json'}: not what `skill-plugin check --json` writes\n"


def test_the_page_may_be_named_behind_the_run(scored: Callable[..., Path], tmp_path: Path, command: Command) -> None:
    run, out = scored("a", rte=0.7), tmp_path / "page.html"
    status, said, err = command("report", run, out)
    assert (status, said, err) == (0, f"wrote {out}\n", "") and out.is_file()
    assert command("report", run, out)[:2] == (0, f"wrote {out}, in place of an earlier one\n")
    status, _, err = command("report", run, out, "--out", tmp_path / "other.html")
    assert status == 2 and "not both" in err
