"""The format squad: articles, paragraphs, questions and answers, in four dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from skill_plugin.errors import nearest
from skill_plugin.files.repeated_keys import SeveralValues, mark_repeated
from skill_plugin.readers.json_scanner import JsonScanner
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.jsonl import parse_line
from skill_plugin.readers.row import BadRow, FileNotice, Row, RowStream, UnreadableError, Wanted, shorten
from skill_plugin.readers.text_lines import Line, read_document, read_lines
from skill_plugin.spec.corpus import Corpus, RawFiles

_NESTED = ("data", "paragraphs", "qas")
_CONTEXT = ("context", "context_text")
_QUESTION = ("question", "query_text")
_ID = ("qid", "query_id", "id")  # MRQA's scorer goes by qid; id there names the story of some of its sets


class _Lined(dict[str, Any]):
    """A JSON object that knows the line where it begins."""

    line = 1


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The questions of a SQuAD-like file, each as a row with ``question``, ``context``, ``answers``, ``id`` …

    - SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): ``data`` of articles of ``paragraphs``; ``is_impossible`` = no
      answer. DRCD and CMRC 2018's SQuAD style are the same.
    - CMRC 2018's own form (Cui et al. 2019): a list of contexts with ``context_text``, ``qas`` with ``query_text`` and
      answers without offsets.
    - MRQA (Fisch et al. 2019): JSON lines, with or without the header line; ``char_spans`` have INCLUSIVE ends.

    ``articles`` of the file, as ``first:last``, are those (lines of MRQA) that Python's slices take; the others are not
    of this split. All columns are given, whichever are wanted.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: not JSON from some line on, or none of these forms.
    """
    path, chosen = origin.file, origin.articles
    lines = partial(read_lines, path, corpus.encoding, returns_are_space=True)
    first_line = next((line for line in lines() if line.text.strip()), None)
    if first_line is not None and _is_mrqa(first_line):
        articles = _mrqa_articles(lines())
    else:
        articles = iter(_articles(read_document(path, corpus.encoding)))
    start, end = _slice(chosen)
    count = 0
    for number, (line, article) in enumerate(articles):
        count = number + 1
        if start <= number and (end is None or number < end):
            yield from [article] if isinstance(article, BadRow) else _of_article(number, _paragraphs(article, line))
    if end is not None and end > count:
        yield FileNotice(1, f"articles: {chosen!r}, but the file has {count}")


def _of_article(number: int, rows: RowStream) -> RowStream:
    for row in rows:
        yield replace(row, group=str(number)) if isinstance(row, Row) else row


def _slice(articles: str | None) -> tuple[int, int | None]:
    if articles is None:
        return 0, None
    start, _, end = articles.partition(":")
    return int(start or 0), int(end) if end else None


def _is_mrqa(line: Line) -> bool:
    try:
        value = json.loads(line.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and ("header" in value or ("context" in value and "qas" in value))


def _mrqa_articles(lines: Iterator[Line]) -> Iterator[tuple[int, Any]]:
    for line in lines:
        value = parse_line(line)
        if not (isinstance(value, dict) and "header" in value and "qas" not in value):
            yield line.number, value


def _articles(text: str) -> list[tuple[int, Any]]:
    document = _parse(text)
    if isinstance(document, dict):
        if "data" not in document:
            message = f"no key 'data', where the articles should be{nearest('data', document)}"
            raise UnreadableError(1, message)
        document = document["data"]
    if not isinstance(document, list):
        raise UnreadableError(1, f"the articles are {describe_value(document)}; expected a list")
    return [(getattr(article, "line", 1), article) for article in document]


def _paragraphs(article: Any, line: int) -> RowStream:
    if not isinstance(article, dict):
        yield BadRow(line, "not an object", f"an article is {describe_value(article)}; expected an object")
    elif "paragraphs" not in article:
        yield from _questions(article, line)  # CMRC's own form and MRQA
    elif not isinstance(article["paragraphs"], list):
        message = f"the paragraphs are {describe_value(article['paragraphs'])}; expected a list"
        yield BadRow(line, "not a list", message)
    else:
        for paragraph in article["paragraphs"]:
            yield from _questions(paragraph, getattr(paragraph, "line", line), article)


def _questions(paragraph: Any, line: int, article: Any = None) -> RowStream:
    if not isinstance(paragraph, dict):
        yield BadRow(line, "not an object", f"a paragraph is {describe_value(paragraph)}; expected an object")
        return
    context = _first(paragraph, _CONTEXT)
    questions = paragraph.get("qas")
    if context is None or not isinstance(questions, list):
        missing = "context" if context is None else "qas"
        message = f"a paragraph without {missing!r}: the keys are {shorten(list(paragraph), 200)}"
        if isinstance(questions, SeveralValues):
            message = f"the qas of a paragraph are {describe_value(questions)}; expected a list"
        for _ in questions if isinstance(questions, list) and questions else [None]:
            yield BadRow(line, "missing key", message)
        return
    title = (article or paragraph).get("title")
    for question in questions:
        here = getattr(question, "line", line)
        if not isinstance(question, dict):
            yield BadRow(here, "not an object", f"a question is {describe_value(question)}; expected an object")
            continue
        values: dict[str | int, Any] = {
            "question": _first(question, _QUESTION),
            "context": context,
            "id": _first(question, _ID, ""),
            "title": "" if title is None else title,
        }
        if "is_impossible" in question:
            values["is_impossible"] = question["is_impossible"]
        if "detected_answers" in question:
            values["answers"] = _detected(question["detected_answers"], context)
        elif "answers" in question:
            values["answers"] = question["answers"]
        elif "answer" in question:
            values["answers"] = question["answer"]
        yield Row(here, values)


def _first(value: dict[str, Any], keys: tuple[str, ...], default: Any = None) -> Any:
    return next((value[key] for key in keys if key in value), default)


def _detected(answers: Any, context: Any) -> Any:
    """Turns MRQA's answers into SQuAD's. Answers of another form stay as they are; the kind's reader reports them.

    The text of an answer is what stands at its offsets, which may differ from its own text in spaces. But if its own
    text is elsewhere in the context, the offsets are wrong, and its own text is used.
    """
    if not isinstance(answers, list) or not isinstance(context, str):
        return answers
    found: list[Any] = []
    for answer in answers:
        spans = answer.get("char_spans") if isinstance(answer, dict) else None
        if not isinstance(spans, list) or not all(map(_is_span, spans)):
            found.append(answer)
            continue
        text = answer.get("text")
        for start, end in spans:
            there = context[start : end + 1]
            if isinstance(text, str) and text.strip() and text.casefold() != there.casefold() and text in context:
                there = text
            found.append({"text": there, "answer_start": start})
    return found


def _is_span(span: Any) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 2
        and all(isinstance(place, int) for place in span)
        and 0 <= span[0] <= span[1]
    )


def _parse(text: str) -> Any:
    """Parses the document. Objects in ``data``, ``paragraphs`` and ``qas`` know their lines.

    Raises:
        UnreadableError: the file is not JSON; with the line.
    """
    scanner = JsonScanner(text)
    start = scanner.skip_space(0)
    if start == len(text):
        raise UnreadableError(1, "the file is empty; expected a JSON document")
    try:
        value = _value(scanner, start, nested=True)
    except RecursionError:
        raise UnreadableError(1, "not JSON that can be read: nested too deeply") from None
    after = scanner.skip_space(scanner.end)
    if after < len(text):
        raise scanner.fault(after, "text after the end of the JSON document; expected one document, or MRQA's lines")
    return value


def _value(scanner: JsonScanner, position: int, nested: bool) -> Any:
    opening = scanner.text[position : position + 1]
    if nested and opening == "{":
        found = _Lined()
        found.line = scanner.line_of(position)
        pairs = [(name, _value(scanner, start, name in _NESTED)) for name, start in scanner.members(position)]
        found.update(mark_repeated(pairs))
        return found
    if nested and opening == "[":
        return [
            _value(scanner, start, scanner.text[start : start + 1] == "{") for _, start in scanner.members(position)
        ]
    value, scanner.end = scanner.value(position)
    return value
