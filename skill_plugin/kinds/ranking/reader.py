"""A query and its candidates, each with a relevance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from skill_plugin.errors import listing, nearest
from skill_plugin.kinds.ranking.keys import RankingKeys
from skill_plugin.readers.cell_values import parse_whole_number, read_scalar
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import PLAIN_ANSWER, ItemReader
from skill_plugin.readers.json_values import ABSENT, describe_value, look_up
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.placeholders import is_named_placeholder
from skill_plugin.readers.row import Row, cite_line, shorten
from skill_plugin.readers.split_reading import SplitReading

_NO_POSITIVE = "queries without a relevant candidate"
_BLANK = "choices without text, which are no candidates"
_ALONE = "queries of one candidate, where there is nothing to rank (are rows of one query told by another column?)"
_MANY = 3  # of them are told
_MOSTLY = 0.9  # of the queries, from which on a single candidate is told
_NAMED = "queries whose label, read as a place from 0, is the name of another choice (label_map gives places to names)"
_FROM_ONE = "queries of which none has the first choice as its right one, number 0 (are the numbers from 1?)"
_CHANCE = 0.05  # of that, where every choice is as likely; below it is told
_SAME_PLACE = 20  # queries from which on a right choice that is always the same looks like a placeholder


@dataclass
class _Query:
    """A query whose candidates stand in rows of their own."""

    texts: tuple[str, ...]
    line: int
    id: str
    candidates: list[str] = field(default_factory=list)
    relevance: list[int | None] = field(default_factory=list)


class RankingReader(ItemReader):
    """Either a row is a query with ``choices``, or a row is one candidate, and rows of one query may be scattered.

    Queries stand in the order of their first rows, candidates in that of theirs.
    """

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.queries: dict[str | tuple[str, ...], _Query] = {}
        self.places: set[int] = set()
        self.placed = 0
        self.first_line = 1
        self.by_name = self.elsewhere = 0  # labels that are what a choice is named, and what another one is named
        self.chance = 1.0  # that no query has choice 0 as its right one
        self.sizes: list[int] = []  # candidates of each query
        self.alone = 0  # line of the first query of one candidate

    def read(self, row: Row) -> Example | None:
        if "choices" in self.corpus.columns:
            return self.with_choices(row)
        relevance = self.relevance(self.value(row, "label"), "label")
        candidate = self.text(row, "text_b")
        texts = self.query_texts(row)
        identity = self.identity(row)
        query = self.queries.get(identity or texts)
        if query is None:
            query = self.queries[identity or texts] = _Query(texts, row.line, identity)
        elif query.texts != texts:
            message = f"the query {shorten(identity)} has another text here than in {cite_line(query.line, row.line)}"
            raise RejectedError("query with two texts", message, "query")
        if relevance is None and not self.reading.may_lack_answers:
            raise RejectedError("missing label", "no label; expected a relevance, a whole number from 0", "label")
        query.candidates.append(candidate)
        query.relevance.append(relevance)
        return None

    def is_no_answer(self, mark: str) -> bool:
        """Answers are places or relevances, whole numbers from 0."""
        return True

    def finish(self) -> Iterator[Example | tuple[int, RejectedError]]:
        for query in self.queries.values():
            known = [relevance for relevance in query.relevance if relevance is not None]
            if known and len(known) < len(query.relevance):
                missing = len(query.relevance) - len(known)
                message = f"{missing} of the {len(query.relevance)} candidates of the query that begins here have no"
                yield query.line, RejectedError("missing label", f"{message} label, though others have one", "label")
                continue
            if query.candidates:
                answer = tuple(known) if known else None
                self.note_query(answer, len(query.candidates), query.line)
                candidates = tuple(query.candidates)
                yield Example(query.texts, answer, self.reading.file, query.line, candidates=candidates, id=query.id)
        if self.placed >= _SAME_PLACE and len(self.places) == 1:
            message = f"queries whose right choice is number {min(self.places)}, as of all here (placeholders?)"
            self.reading.note(message, self.first_line, count=self.placed)
        elif self.elsewhere and self.by_name == self.placed:
            self.reading.note(_NAMED, self.first_line, count=self.elsewhere)
        elif self.placed and 0 not in self.places and self.chance < _CHANCE:
            self.reading.note(_FROM_ONE, self.first_line, count=self.placed)
        alone = self.sizes.count(1)
        if alone >= _MANY and alone >= _MOSTLY * len(self.sizes):
            self.reading.note(_ALONE, self.alone, f"of {len(self.sizes):,}", count=alone)

    def note_query(self, answer: tuple[int, ...] | None, candidates: int, line: int) -> None:
        """Remembers what is told of queries: none relevant, one candidate, how many they have."""
        if answer is not None and not any(answer):
            self.reading.note(_NO_POSITIVE, line)
        if candidates == 1:
            self.alone = self.alone or line
        self.sizes.append(candidates)

    def query_texts(self, row: Row) -> tuple[str, ...]:
        """What stands before each candidate."""
        names = ("text_a", "question") if "question" in self.corpus.columns else ("text_a",)
        return tuple([self.text(row, name) for name in names])

    def identity(self, row: Row) -> str:
        if "query" not in self.corpus.columns:
            return ""
        identity = self.id_in(row, "query", "the query's id").strip()
        if not identity:
            raise RejectedError("unusable id", f"the query's id is empty; expected {PLAIN_ANSWER}", "query")
        return identity

    def relevance(self, value: Any, name: str) -> int | None:
        """The relevance, None if there is none.

        Raises:
            RejectedError: not a whole number from 0.
        """
        if value is None or (isinstance(value, str) and not value.strip()) or is_named_placeholder(self.corpus, value):
            return None
        raw, problem = read_scalar(value)
        number = parse_whole_number(value if problem else self.mapped(raw.strip()).name)
        if number is None or number < 0:
            message = (
                f"the label is {describe_value(value)}; expected a relevance: a whole number from 0, true or false"
            )
            raise RejectedError("unusable label", message, name)
        grades = RankingKeys.of(self.corpus).grades
        if grades is not None and number >= grades:
            message = f"the label is {describe_value(value)}; expected a grade from 0 to {grades - 1}"
            raise RejectedError("unusable label", message, name)
        return number

    def with_choices(self, row: Row) -> Example:
        """A row with all candidates of a query."""
        choices = self.choices(row)
        texts = self.query_texts(row)
        written = [self.candidate(choice) for choice in choices]
        kept = [number for number, text in enumerate(written) if text.strip()]
        if not kept:
            raise RejectedError("unusable choices", "all choices are without text; expected one or more", "choices")
        if len(kept) < len(written):
            self.reading.note(_BLANK, row.line, count=len(written) - len(kept))
        candidates = tuple([written[number] for number in kept])
        if "candidate_label" in self.corpus.columns:
            answer = self.answer_inside([choices[number] for number in kept])
        else:
            answer = self.place(row, choices, kept)
        if answer is None and not self.reading.may_lack_answers:
            raise RejectedError("missing label", "no label; expected the place of the right choice, from 0", "label")
        identity = self.identity(row)
        self.note_query(answer, len(candidates), row.line)
        return Example(texts, answer, self.reading.file, row.line, candidates=candidates, id=identity)

    def choices(self, row: Row) -> list[Any]:
        columns = self.corpus.columns["choices"]
        if isinstance(columns, tuple):
            return [row.values.get(column) for column in columns]
        assert isinstance(columns, str | int)
        value = self.listed(row.values.get(columns), "choices")
        if not isinstance(value, list) or not value:
            message = f"the choices in column {columns!r} are {describe_value(value)}; expected a list with one or more"
            raise RejectedError("unusable choices", message, "choices")
        return value

    def candidate(self, choice: Any) -> str:
        """The text of a candidate as written: a text, or an object that has one."""
        key = self.column("candidate_text")
        if isinstance(choice, dict):
            if key is None:
                message = f"a choice is an object with {listing([*map(repr, choice)])}; say which is the text with the"
                raise RejectedError("unusable choices", f"{message} column candidate_text", "choices")
            found = look_up(choice, key)
            if found is ABSENT:
                message = f"a choice has no key {key!r}{nearest(str(key), choice)}"
                raise RejectedError("unusable choices", message, "choices")
            choice = found
        if isinstance(choice, list):
            return " ".join(part for part in self.paragraphs(choice, key, "choices") if part.strip())
        return "" if choice is None else self.checked_text(choice, "a choice", "choices")

    def answer_inside(self, choices: list[Any]) -> tuple[int, ...] | None:
        """The relevance that stands in each choice."""
        key = self.column("candidate_label")
        assert key is not None
        found = [look_up(choice, key) if isinstance(choice, dict | list) else ABSENT for choice in choices]
        relevance = [None if value is ABSENT else self.relevance(value, "candidate_label") for value in found]
        known = tuple([value for value in relevance if value is not None])
        if known and len(known) < len(relevance):
            message = f"{len(relevance) - len(known)} of {len(relevance)} choices have no {key!r}, though others have"
            raise RejectedError("missing label", message, "candidate_label")
        return known or None

    def place(self, row: Row, choices: list[Any], kept: list[int]) -> tuple[int, ...] | None:
        """1 for the right choice and 0 for the others, from its place; only of those choices that are kept."""
        value = self.value(row, "label")
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        raw, problem = read_scalar(value)
        place = parse_whole_number(value if problem else self.mapped(raw.strip()).name)
        expected = f"expected the place of the right choice, 0 to {len(choices) - 1}"
        if place is None or not 0 <= place < len(choices):
            hint = (
                "" if problem or place is not None else f" (label_map: {{{raw.strip()}: 0, …}} gives places to names)"
            )
            raise RejectedError("unusable label", f"the label is {describe_value(value)}; {expected}{hint}", "label")
        if place not in kept:
            message = f"the label is {describe_value(value)}, but that choice is without text"
            raise RejectedError("unusable label", message, "label")
        self.first_line = self.first_line if self.placed else row.line
        self.placed += 1
        self.places.add(place)
        named = self.named(raw.strip(), choices)
        self.by_name += bool(named)
        self.elsewhere += bool(named) and place not in named
        self.chance *= 1 - 1 / len(kept)
        return tuple([int(number == place) for number in kept])

    def named(self, label: str, choices: list[Any]) -> list[int]:
        """The places of the choices that the label names: of objects that differ in a value, the one that has it."""
        if not all(isinstance(choice, dict) for choice in choices):
            return []
        found: list[int] = []
        for key in choices[0]:
            names = [read_scalar(choice.get(key))[0].strip() for choice in choices]
            if key != self.column("candidate_text") and label in names and len(set(names)) == len(names):
                found.append(names.index(label))
        return found
