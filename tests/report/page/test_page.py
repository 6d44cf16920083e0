"""The page as a whole: what it says of texts that could be HTML, and how browsers show it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from skill_plugin.report.page.render import render
from skill_plugin.report.page.section import Cell, Code, Commands, Fact, Facts, Items, Missing, Section, Table, Words
from tests.chromium import Browser, check_shown
from tests.html_page import HtmlPage

MakePage = Callable[..., HtmlPage]
ODD = '</style><script>alert("1")</script> & \' \u202e مرحبا 中文 {{ 7 * 7 }}'


def test_texts_stay_texts(tmp_path: Path) -> None:
    blocks = [
        Table([ODD, f"{ODD}#"], [[Cell(ODD, [(ODD, "soft")], long=True), ODD]], ODD),
        Words(ODD), Items([(ODD, "bad")]), Code(ODD), Commands([(ODD, ODD)]), Missing(ODD, ODD),
        Facts([Fact(ODD, ODD, [(ODD, "good")])]),
    ]  # fmt: skip
    written = render(ODD, ODD, [Section("odd", ODD, blocks)])
    (tmp_path / "page.html").write_text(written, encoding="utf-8")
    page = HtmlPage.read(tmp_path / "page.html")
    assert not page.root.all("script")
    assert "<script" not in written and written.count("&lt;script&gt;") >= 15
    assert page.section("odd").all("p")[0].text == " ".join(ODD.split())


def test_a_browser_shows_it(run: Path, page: MakePage, browser: Browser, tmp_path: Path) -> None:
    baseline = shutil.copytree(run, tmp_path / "baseline")
    page(run, "--baseline", baseline)
    check_shown(browser, tmp_path / "report.html", tmp_path)
