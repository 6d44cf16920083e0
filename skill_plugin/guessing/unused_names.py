"""Names of corpora, each of which is given once."""

from __future__ import annotations


class UnusedNames:
    """Gives a name as it is, or with a number where a corpus has it already."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        wanted, number = name, 2
        while wanted in self._taken:
            wanted, number = f"{name}-{number}", number + 1
        self._taken.add(wanted)
        return wanted
