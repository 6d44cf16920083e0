"""The page as a whole: what it says of texts that could be HTML, and how browsers show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skill_plugin.report.page.render import render
from skill_plugin.report.page.section import Cell, Code, Commands, Fact, Facts, Items, Missing, Section, Table, Words
from tests.chromium import Browser, chromium, find_chromium
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed (apt install chromium)")
    with chromium(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


def check_shown(browser: Browser, file: Path, pictures: Path) -> None:
    """No error, nothing from elsewhere, nothing wider than the window, and a print."""
    for width, dark in ((360, False), (1280, False), (1280, True)):
        shown = browser.open(file, width, dark=dark)
        shown.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert shown.evaluate(wide) <= 0, f"wider than {width} pixels"
        assert shown.errors == [] and shown.asked == [file.resolve().as_uri()]
        shown.screenshot(pictures / f"{width}{'-dark' * dark}.png")
        assert (pictures / f"{width}{'-dark' * dark}.png").stat().st_size > 10_000
    shown.pdf(pictures / "print.pdf")
    assert (pictures / "print.pdf").read_bytes().startswith(b"%PDF-")


def test_a_browser_shows_it(run: Path, page: MakePage, browser: Browser, tmp_path: Path) -> None:
    page(run, "--baseline", run)
    check_shown(browser, tmp_path / "report.html", tmp_path)
