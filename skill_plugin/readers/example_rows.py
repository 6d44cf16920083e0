"""The examples of a split, in blocks: while they are few in memory, else in a temporary file.

A hundred megabytes of raw text would be a gigabyte of objects. So examples are kept as columns, a block at a time, and
are made into objects when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice, repeat
from typing import Any, cast, overload

from skill_plugin.readers.example import Answer, Example, names_in
from skill_plugin.readers.spilled import SpilledBlocks
from skill_plugin.readers.text_columns import TextColumns

BLOCK = 1024  # examples
_RARE: dict[str, Any] = {"candidates": (), "words": (), "spans": (), "ids": ""}  # columns that most kinds leave empty
_make: Callable[[tuple[Any, ...]], Example] = partial(tuple.__new__, Example)  # a third of the time of Example(...)


@dataclass(slots=True)
class ExampleBlock:
    """Some examples as columns, each as long as the block; see ``Example``.

    Attributes:
        texts: of each example; by column where all have equally many, as in every kind but one.
        answers, files, lines: a value for each example.
        candidates, words, spans, ids: the same, or None where no example has any.
    """

    texts: Sequence[tuple[str, ...]] = ()
    answers: list[Answer | None] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    candidates: list[tuple[str, ...]] | None = None
    words: list[tuple[tuple[int, int], ...]] | None = None
    spans: list[tuple[tuple[int, int, int], ...]] | None = None
    ids: list[str] | None = None

    @classmethod
    def of(cls, examples: Sequence[Example]) -> ExampleBlock:
        columns = [list(column) for column in zip(*examples, strict=True)] or [[] for _ in Example._fields]
        rare = [column if any(column) else None for column in columns[4:]]
        return cls(TextColumns.of(columns[0]) or columns[0], *columns[1:4], *rare)

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Example]:
        rare = [getattr(self, name) or repeat(empty) for name, empty in _RARE.items()]
        return map(_make, zip(self.texts, self.answers, self.files, self.lines, *rare))  # noqa: B905  some are endless

    def example(self, number: int) -> Example:
        """The example with this number in the block."""
        columns = [getattr(self, column.name) for column in fields(self)]
        return Example(
            *[
                column[number] if column is not None else empty
                for column, empty in zip(columns, (None, None, None, None, *_RARE.values()), strict=True)
            ]
        )

    def text_column(self, place: int) -> Sequence[str]:
        """The text at this place of each example."""
        return self.texts.columns[place] if isinstance(self.texts, TextColumns) else [row[place] for row in self.texts]

    def extend(self, other: ExampleBlock) -> None:
        """Appends the examples of another block."""
        for name, empty in _RARE.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None or theirs is not None:
                setattr(self, name, (mine or [empty] * len(self)) + (theirs or [empty] * len(other)))
        self.texts = _join_texts(self.texts, other.texts)
        self.answers += other.answers
        self.files += other.files
        self.lines += other.lines


def _join_texts(some: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
    if not some or not others:
        return some or others
    both = some.joined(others) if isinstance(some, TextColumns) and isinstance(others, TextColumns) else None
    return both or [*some, *others]


class ExampleRows(Sequence[Example]):
    """The examples of a split, in order. They are appended one by one or in runs, and read as often as needed."""

    def __init__(self, examples: Iterable[Example] = ()) -> None:
        self._blocks: SpilledBlocks[list[Any]] = SpilledBlocks()  # of full blocks the columns
        self._ends: list[int] = []  # the number of examples up to the end of each
        self._waiting: list[Example] = []
        self._run = ExampleBlock()  # examples that wait before those of _waiting
        self._labels = Counter[str]()  # of full blocks
        self._unanswered = 0  # of full blocks
        for example in examples:
            self.append(example)

    def append(self, example: Example) -> None:
        self._waiting.append(example)
        if len(self._waiting) >= BLOCK:
            self._join_waiting()

    def extend(self, block: ExampleBlock) -> None:
        self._join_waiting()
        self._run.extend(block)
        self._write_full()

    def __len__(self) -> int:
        return (self._ends[-1] if self._ends else 0) + len(self._run) + len(self._waiting)

    def blocks(self) -> Iterator[ExampleBlock]:
        """All examples, some at a time."""
        self._join_waiting()
        for number in range(len(self._blocks)):
            yield self._read(number)
        if len(self._run):
            yield self._run

    def label_counts(self) -> Counter[str]:
        """How often each label or tag occurs in the answers, in the order in which they occur first."""
        self._join_waiting()
        counts = self._labels.copy()
        _count_labels(self._run.answers, counts)
        return counts

    def unanswered(self) -> int:
        """How many examples have no answer."""
        self._join_waiting()
        return self._unanswered + self._run.answers.count(None)

    def __iter__(self) -> Iterator[Example]:
        for block in self.blocks():
            yield from block

    @overload
    def __getitem__(self, index: int) -> Example: ...

    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...

    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return list(islice(self._from(start), max(stop - start, 0)))
            return [self[i] for i in range(start, stop, step)]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return next(self._from(place))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(a == b for a, b in zip(self, other))  # noqa: B905

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ExampleRows({list(self)!r})"

    def _from(self, start: int) -> Iterator[Example]:
        """The examples from the one with this number on."""
        self._join_waiting()
        first = bisect_right(self._ends, start)
        start -= self._ends[first - 1] if first else 0
        for number in range(first, len(self._blocks)):
            yield from islice(self._read(number), start, None)
            start = 0
        yield from islice(self._run, start, None)

    def _join_waiting(self) -> None:
        if not self._waiting:
            return
        self._run.extend(ExampleBlock.of(self._waiting))
        self._waiting = []
        self._write_full()

    def _write_full(self) -> None:
        """Writes what waits, if it is a block or more."""
        if len(self._run) < BLOCK:
            return
        self._ends.append((self._ends[-1] if self._ends else 0) + len(self._run))
        _count_labels(self._run.answers, self._labels)
        self._unanswered += self._run.answers.count(None)
        self._blocks.append([getattr(self._run, column.name) for column in fields(ExampleBlock)])
        self._run = ExampleBlock()

    def _read(self, number: int) -> ExampleBlock:
        return ExampleBlock(*self._blocks[number])


def _count_labels(answers: list[Answer | None], counts: Counter[str]) -> None:
    """Adds the labels and tags of answers to counts."""
    if set(map(type, answers)) == {str}:
        counts.update(cast("list[str]", answers))
    else:
        counts.update(name for answer in answers for name in names_in(answer))
