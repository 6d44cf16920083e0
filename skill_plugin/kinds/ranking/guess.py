"""Whether a sample looks like queries with candidates."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.json_layout import columns_of
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import choose_label
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import choose_texts

_CHOICE = re.compile(r"(choice|option|ending|answer|sol|candidate|alternative|alt|quiz)_?([0-9]|[a-h])", re.IGNORECASE)
_LISTED = ("choices", "options", "candidates", "endings", "answers", "alternatives", "documents", "passages", "docs")
_CANDIDATE = ("text", "title", "answer", "document", "passage", "content", "choice", "body")
_PREMISE = ("premise", "context", "passage", "text", "article", "ctx", "sentence", "question_stem", "stem")
_RIGHT = ("label", "relevance", "is_correct", "correct", "score", "grade", "is_selected", "gold")
_MOST_LETTERS = 26
_MANY = 3  # candidates that a query has in the mean, in a file with a row for each


def guess_ranking(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    return _of_choice_columns(sample) or _of_objects(sample) or _of_lists(sample) or _of_rows(sample)


def _of_choice_columns(sample: Sample) -> KindGuess | None:
    """A column for each choice, as ``choice1`` and ``choice2``, and one that says which is right."""
    found: dict[str, list[Column]] = {}
    for column in sample.columns:
        if match := _CHOICE.fullmatch(str(column.reference)):
            found.setdefault(match[1].lower(), []).append(column)
    letters = [column for column in sample.columns if re.fullmatch("[a-hA-H]", str(column.reference))]
    choices = max([*found.values(), letters if len(letters) > _MANY else []], key=len, default=[])
    label = choose_label(sample, choices)
    if len(choices) < 2 or label is None or not _names_a_choice(label.column, choices):
        return None
    columns = {"choices": [column.reference for column in choices], "label": label.column.reference}
    why = f"{len(choices)} columns are named as choices are, and {label.column.reference!r} says which one is right"
    return _with_query(sample, columns, [*choices, label.column], why, 0.97)


def _names_a_choice(label: Column, choices: list[Column]) -> bool:
    values = set(label.counts)
    numbers = {str(number) for number in range(len(choices) + 1)}
    return bool(values) and (
        values <= numbers or values <= set("ABCDEFGH") or values <= {str(c.reference) for c in choices}
    )


def _of_objects(sample: Sample) -> KindGuess | None:
    """A list of candidates that are objects, with a text and with what says whether they are right."""
    for column in sample.columns:
        items = [item for one in column.lists for item in one]
        if not items or not all(isinstance(item, dict) for item in items):
            continue
        inner = Sample(sample.format, columns_of(items))
        text, right = inner.called(*_CANDIDATE), inner.called(*_RIGHT)
        if text is None or right is None:
            continue
        if not right.is_whole:
            if guess := _of_lettered(sample, column, text, right):
                return guess
            continue
        columns: dict[str, Any] = {
            "choices": column.reference, "candidate_text": text.reference, "candidate_label": right.reference,
        }  # fmt: skip
        why = f"{column.reference!r} lists candidates, each with {text.reference!r} and {right.reference!r}"
        guess = _with_query(sample, columns, [column], why, 0.97)
        if guess is not None:
            if len(right.counts) > 2:
                guess.options["metric"] = ("ndcg", f"candidates have {len(right.counts)} grades")
            return guess
    return _of_questions(sample)


def _of_lettered(sample: Sample, choices: Column, text: Column, letter: Column) -> KindGuess | None:
    """Candidates with a letter each, and a column with the letter of the right one, as ARC has them."""
    letters = [*letter.counts]
    keys = [column for column in sample.columns if column.counts and set(column.counts) <= set(letters)]
    if not keys or len(letters) > _MOST_LETTERS:
        return None
    columns = {"choices": choices.reference, "candidate_text": text.reference, "label": keys[0].reference}
    why = f"{choices.reference!r} lists candidates with letters, of which {keys[0].reference!r} names the right one"
    guess = _with_query(sample, columns, [choices, keys[0]], why, 0.97)
    if guess is not None:
        places = {one: str(place) for place, one in enumerate(sorted(letters))}
        guess.options["label_map"] = (places, "places of the candidates with these letters")
    return guess


def _of_questions(sample: Sample) -> KindGuess | None:
    """A list of questions about one passage, each with candidates."""
    for column in sample.columns:
        items = [item for one in column.lists for item in one]
        if not items or not all(isinstance(item, dict) for item in items):
            continue
        guess = _of_objects(Sample(sample.format, columns_of(items)))
        passage = next((one for one in sample.columns if one.is_text), None)
        if guess is not None and passage is not None and guess.each is None and "text_a" in guess.columns:
            guess.columns["question"] = guess.columns.pop("text_a")
            guess.columns["text_a"] = passage.reference
            guess.columns = {name: guess.columns[name] for name in sorted(guess.columns, key=_ORDER.index)}
            guess.each = str(column.reference)
            guess.why = f"each element of {column.reference!r} is a question about {passage.reference!r}; {guess.why}"
            guess.options["metric"] = ("f1a", "any number of a question's answers may be right")
            return guess
    return None


_ORDER = ("text_a", "question", "query", "text_b", "choices", "candidate_text", "candidate_label", "label")


def _of_lists(sample: Sample) -> KindGuess | None:
    """A list of choices, and the number of the right one."""
    for column in sample.columns:
        if column.name not in _LISTED or not all(isinstance(item, str) for one in column.lists for item in one):
            continue
        label = choose_label(sample, [column])
        sizes = [len(one) for one in column.lists]
        if label is None or not sizes or min(sizes) < 2 or not label.column.is_whole:
            continue
        if max(label.column.numbers) > max(sizes):
            continue
        columns = {"choices": column.reference, "label": label.column.reference}
        why = f"{column.reference!r} lists choices, and {label.column.reference!r} says which one is right"
        return _with_query(sample, columns, [column, label.column], why, 0.95)
    return None


def _of_rows(sample: Sample) -> KindGuess | None:
    """A row for each candidate: queries come again and again, each with other texts, of which few are right."""
    label = choose_label(sample)
    if label is None or not label.column.is_whole or not set(label.column.counts) <= {"0", "1", "2", "3", "4"}:
        return None
    texts = [
        column for column in sample.columns if column is not label.column and (column.is_text or column.mean_length > 4)
    ]
    texts = [column for column in texts if column.scalars and not column.is_number and not column.is_web_address]
    if len(texts) < 2 or "0" not in label.column.counts:
        return None
    query, candidate = texts[0], texts[1]
    sizes = Counter(query.scalars)
    rows = len(query.scalars)
    if (
        rows < _MANY * len(sizes)
        or len(candidate.counts) < 0.7 * rows
        or len(set(sizes.values())) < 2
        or len(sizes) < 3
    ):
        return None
    if label.column.counts["0"] < 0.5 * rows or not candidate.is_text:
        return None
    why = f"{len(sizes)} queries come {rows / len(sizes):.1f} times each with other texts, most of which are wrong"
    return KindGuess(
        {"text_a": query.reference, "text_b": candidate.reference, "label": label.column.reference}, 0.92, why,
        {"text_a": "comes again and again", "text_b": "differs from row to row", "label": label.why},
        {"metric": ("mrr", "how early the first right candidate comes")}, skills=("sentence", "interact"),
        doubts=["a row is taken for one candidate; if it is a pair by itself, the kind is classification"],
    )  # fmt: skip


def _with_query(
    sample: Sample, columns: dict[str, Any], besides: list[Column], why: str, sure: float
) -> KindGuess | None:
    plain = Sample(sample.format, [column for column in sample.columns if column.scalars])
    question, premise = plain.called("question"), plain.called(*_PREMISE)
    if question is not None and premise is not None and question not in besides and premise not in besides:
        query: dict[str, Any] = {"text_a": premise.reference, "question": question.reference}
        doubts: list[str] = []
    else:
        alone = question or premise
        texts = choose_texts(sample, besides)
        if alone is not None and alone not in besides and alone.is_text:
            query, doubts = {"text_a": alone.reference}, []
        elif texts is None:
            return None
        else:
            query, doubts = {"text_a": texts.columns["text_a"]}, list(texts.doubts)
            if "text_b" in texts.columns:
                query["question"] = texts.columns["text_b"]
    return KindGuess({**query, **columns}, sure, why, skills=("sentence", "interact"), doubts=doubts)
