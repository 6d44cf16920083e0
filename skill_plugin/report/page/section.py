"""What a page is made of: sections of blocks. Texts are plain, and become HTML in ``render`` alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from markupsafe import Markup

Tone = Literal["", "best", "bad", "good", "soft"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: what it says.
        notes: smaller lines below it.
        tone: ``best`` of its kind, what should be looked at (``bad``), its contrary (``good``), or ``soft``.
        bar: a share from 0 to 1, drawn behind the text; None for none.
        long: whether it is a text of people, which is broken into lines and has a direction of its own.
    """

    text: str
    notes: Sequence[tuple[str, Tone]] = ()
    tone: Tone = ""
    bar: float | None = None
    long: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        columns: the heads of the columns; those that end in ``#`` (which is not shown) hold numbers.
        rows: of cells; a string is a plain one. The first cell of a row says what the row is.
        caption: what is told of the table as a whole.
        last: how many of the last rows are sums or means of the others.

    Raises:
        ValueError: a row has more or fewer cells than there are columns.
    """

    template: ClassVar[str] = "table"

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    last: int = 0

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("numbers of other corpora or parts than it names")

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """The head of each column, and whether it holds numbers."""
        return [(column.removesuffix("#"), column.endswith("#")) for column in self.columns]

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, each cell a ``Cell``."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]


@dataclass(frozen=True)
class Panel:
    """A drawing: its title, the SVG, and in words what it shows."""

    title: str
    svg: Markup
    shows: str


@dataclass(frozen=True)
class Figure:
    """Drawings side by side, and the numbers that they are drawn from.

    Attributes:
        panels: the drawings, as many in a line as there is room for.
        caption: what they show, and how to read them.
        numbers: the numbers.
        wide: whether each takes the whole width.
        legend: colour and name of each sort of line or mark.
    """

    template: ClassVar[str] = "figure"

    panels: Sequence[Panel]
    caption: str
    numbers: Sequence[Table]
    wide: bool = False
    legend: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Fact:
    """A number that stands out: its name, its value, and smaller lines below."""

    name: str
    value: str
    notes: Sequence[tuple[str, Tone]] = ()


@dataclass(frozen=True)
class Facts:
    """Numbers that stand out, side by side."""

    template: ClassVar[str] = "facts"

    facts: Sequence[Fact]


@dataclass(frozen=True)
class Heading:
    """Begins a part of a section."""

    template: ClassVar[str] = "heading"

    text: str


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    template: ClassVar[str] = "words"

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Items:
    """A list, each item with a tone."""

    template: ClassVar[str] = "items"

    items: Sequence[tuple[str, Tone]]


@dataclass(frozen=True)
class Code:
    """Lines of a file, as they are."""

    template: ClassVar[str] = "code"

    text: str


@dataclass(frozen=True)
class Commands:
    """Commands, each with what it is."""

    template: ClassVar[str] = "commands"

    commands: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Missing:
    """What is not there, and the command that makes it."""

    template: ClassVar[str] = "missing"

    what: str
    command: str = ""


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown when they are asked for, and are not printed."""

    template: ClassVar[str] = "folded"

    title: str
    blocks: Sequence[Block]


Block = Table | Figure | Facts | Heading | Words | Items | Code | Commands | Missing | Folded


@dataclass(frozen=True)
class Section:
    """A section: its name in links, its heading, and its blocks."""

    name: str
    title: str
    blocks: Sequence[Block] = field(default_factory=list)
