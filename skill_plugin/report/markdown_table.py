"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column says what a row is, and whose others hold numbers; bars inside cells are text.

    >>> print(markdown_table(["", "a|b"], [["one", "1.0"]]), end="")
    |  | a\\|b |
    | --- | ---: |
    | one | 1.0 |
    """
    rule = ["---", *["---:"] * (len(header) - 1)]
    lines = ([cell.replace("|", r"\|") for cell in line] for line in (header, rule, *rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
