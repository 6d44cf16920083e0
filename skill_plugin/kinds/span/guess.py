"""Whether a sample looks like questions whose answers stand in a context."""

from __future__ import annotations

from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.json_layout import columns_of
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.sample import Sample
from skill_plugin.readers.cell_values import parse_whole_number

_QUESTION = ("question", "query")
_CONTEXT = ("context", "passage", "passage_text", "paragraph", "document", "article", "text")
_ANSWERS = ("answers", "answer", "answer_text", "answers_text")
_STARTS = ("answer_start", "answers_answer_start", "start", "answer_offset", "start_char")
_FOUND = 0.8  # share of answers that stand in their context


def guess_span(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    if sample.known:
        why = "the format holds questions about contexts, and nothing else"
        return KindGuess({}, 1.0, why, skills=("token", "interact"))
    return _of_rows(sample) or _of_lists(sample) or _of_places(sample)


def _of_rows(sample: Sample) -> KindGuess | None:
    plain = Sample(sample.format, [column for column in sample.columns if column.scalars])
    question, context = plain.called(*_QUESTION), plain.called(*_CONTEXT)
    answers = sample.called(*_ANSWERS)
    if question is None or context is None or answers is None or len({id(question), id(context), id(answers)}) < 3:
        return None
    texts: list[str] = [str(value) for value in context.values]
    written = list(map(_texts, answers.values))
    asked = [(text, found) for text, found in zip(texts, written, strict=False) if found]
    inside = sum(any(one in text for one in found) for text, found in asked)
    if not asked or inside < _FOUND * len(asked) or _are_few([one for _, found in asked for one in found]):
        return None
    columns: dict[str, Any] = {"question": question.reference, "context": context.reference}
    inner, start = sample.column(f"{answers.reference}.text"), sample.called(*_STARTS)
    columns["answers"] = answers.reference if inner is None else inner.reference
    if start is not None:
        columns["answer_start"] = start.reference
    why = f"{inside} of {counted(len(asked), 'answer')} stand in {context.reference!r} as they are"
    return KindGuess(columns, 0.96, why, skills=("token", "interact"))


def _of_lists(sample: Sample) -> KindGuess | None:
    """A list of questions about one context."""
    for column in sample.columns:
        items = [(row, item) for row, one in zip(_rows(sample), column.lists, strict=False) for item in one]
        if not items or not all(isinstance(item, dict) for _, item in items):
            continue
        inner = Sample(sample.format, columns_of([{**row, **item} for row, item in items]))
        if (guess := _of_rows(inner)) is not None:
            guess.each = str(column.reference)
            guess.why = f"each element of {column.reference!r} is a question; {guess.why}"
            return guess
    return None


def _of_places(sample: Sample) -> KindGuess | None:
    """Columns of any names: what one holds stands in another where a third says, and a fourth has texts too."""
    texts = [column for column in sample.columns if column.is_text]
    for context in sorted(texts, key=lambda column: -column.mean_length):
        for start in (column for column in sample.columns if column.is_whole):
            for answers in (column for column in sample.columns if column.scalars and not column.is_number):
                others = [column for column in texts if column not in (context, answers)]
                if len(others) != 1 or answers is context or _are_few(answers.scalars):
                    continue
                asked = [row for row in zip(context.values, answers.values, start.values, strict=False) if row[1]]
                there = sum(_stands(*row) for row in asked)
                if there >= _FOUND * len(asked):
                    columns = {"question": others[0].reference, "context": context.reference}
                    columns |= {"answers": answers.reference, "answer_start": start.reference}
                    why = f"{there} of {counted(len(asked), 'answer')} stand in {context.reference!r} where "
                    why += f"{start.reference!r} says"
                    return KindGuess(columns, 0.93, why, skills=("token", "interact"))
    return None


def _stands(context: Any, answer: Any, start: Any) -> bool:
    place = parse_whole_number(start)
    return place is not None and place >= 0 and str(context).startswith(str(answer), place)


def _rows(sample: Sample) -> list[dict[str, Any]]:
    return [
        {
            str(column.reference): column.values[number]
            for column in sample.columns
            if not isinstance(column.values[number], list)
        }
        for number in range(sample.rows)
    ]


def _texts(value: Any) -> list[str]:
    """The texts of answers, however they are written."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return _texts(value.get("text"))
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return []


def _are_few(answers: list[str]) -> bool:
    """Whether a few answers come again and again, as labels do."""
    return len(set(answers)) <= max(3, len(answers) // 20)
