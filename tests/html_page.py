"""An HTML page as a person finds it: sections, tables, texts. Reading it fails where it is not well formed."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

_EMPTY = {"meta", "link", "br", "img", "hr", "input", "col"}


@dataclass
class Element:
    """An element, with what is in it."""

    tag: str
    attributes: dict[str, str | None]
    content: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All its text, with one space between words."""
        return " ".join(self._text().split())

    def _text(self) -> str:
        return " ".join(part if isinstance(part, str) else part._text() for part in self.content)

    def all(self, tag: str) -> list[Element]:
        """The elements of a tag in it, at any depth."""
        found = []
        for part in self.content:
            if isinstance(part, Element):
                found += [part] * (part.tag == tag) + part.all(tag)
        return found

    def table(self, first: str) -> dict[str, list[str]]:
        """The cells of the rows of the first table whose first head is this, by their first cell's first words."""
        table = next(one for one in self.all("table") if one.all("th")[0].text == first)
        rows = [[cell for cell in row.content if isinstance(cell, Element)] for row in table.all("tr")]
        own = [" ".join("".join(part for part in row[0].content if isinstance(part, str)).split()) for row in rows]
        return {name: [cell.text for cell in row[1:]] for name, row in zip(own, rows, strict=True)}


class HtmlPage(HTMLParser):
    """A page.

    Attributes:
        root: the whole of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    @classmethod
    def read(cls, path: Path) -> HtmlPage:
        page = cls()
        page.feed(path.read_text(encoding="utf-8"))
        page.close()
        assert page._open == [page.root], f"not closed: {[one.tag for one in page._open]}"
        return page

    def section(self, name: str) -> Element:
        return next(one for one in self.root.all("section") if one.attributes.get("id") == name)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"an attribute twice: {attrs}"
        self._open[-1].content.append(element)
        if tag not in _EMPTY:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].content.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}> in line {self.getpos()[0]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].content.append(data)
