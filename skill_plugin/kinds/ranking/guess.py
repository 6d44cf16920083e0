"""Whether a sample looks like queries with candidates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.json_layout import columns_of
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import choose_label
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import choose_texts
from skill_plugin.spec.languages import is_mostly_unspaced

_CHOICE = re.compile(r"(choice|option|ending|answer|sol|candidate|alternative|alt|quiz)_?([0-9]|[a-h])", re.IGNORECASE)
_NUMBERED = re.compile(r"(\w*[^\W\d])_?([0-9]|(?<=_)[a-hA-H])")  # opcion_a, Antwort1: several are choices too
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
        elif (match := _NUMBERED.fullmatch(str(column.reference))) and column.is_text:
            found.setdefault(match[1], []).append(column)
    letters = [column for column in sample.columns if re.fullmatch("[a-hA-H]", str(column.reference))]
    usual = [columns for name, columns in found.items() if _CHOICE.fullmatch(f"{name}1")]
    others = [columns for columns in [*found.values(), letters] if len(columns) >= _MANY]
    choices = max([*usual, *others], key=len, default=[])
    label = choose_label(sample, choices)
    if len(choices) < 2 or label is None:
        return None
    places = _places(label.column, [str(column.reference) for column in choices])
    if places is None:
        return None
    columns = {"choices": [column.reference for column in choices], "label": label.column.reference}
    why = f"{len(choices)} columns are named as choices are, and {label.column.reference!r} says which one is right"
    return _with_places(_with_query(sample, columns, [*choices, label.column], why, 0.97), places)


def _places(label: Column, names: Sequence[str]) -> dict[str, str] | None:
    """The places, from 0, that the values of a column mean; empty where they are these; None where they are none.

    Args:
        label: says which choice is right.
        names: of the choices, in their order.
    """
    values, size = {*label.counts}, len(names)
    if not values:
        return None
    if values <= {str(place) for place in range(size)}:
        return {}
    from_one = [str(place + 1) for place in range(size)]
    for known in (from_one, ascii_uppercase[:size], ascii_lowercase[:size], names):
        if values <= {*known}:
            return {name: str(place) for place, name in enumerate(known)}
    return None


def _with_places(guess: KindGuess | None, places: dict[str, str]) -> KindGuess | None:
    if guess is not None and places:
        guess.options["label_map"] = (places, "places of the choices from 0")
    return guess


def _of_objects(sample: Sample) -> KindGuess | None:
    """A list of candidates that are objects, with a text and with what says whether they are right."""
    for column in sample.columns:
        items = [item for one in column.lists for item in one]
        if not items or not all(isinstance(item, dict) for item in items):
            continue
        inner = Sample(sample.format, columns_of(items))
        text = inner.called(*_CANDIDATE) or _only(one for one in inner.columns if one.is_text)
        right = inner.called(*_RIGHT) or _only(one for one in inner.columns if _says_which(one, column))
        if text is None or right is None:
            continue
        if not right.is_whole and not _is_truth(right):
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


def _only(columns: Iterable[Column]) -> Column | None:
    """The column, where there is one only."""
    found = list(columns)
    return found[0] if len(found) == 1 else None


def _is_truth(column: Column) -> bool:
    return set(column.counts) == {"true", "false"}


def _says_which(inner: Column, candidates: Column) -> bool:
    """Whether a column of objects in lists, whatever its name, has 0 or 1, or true or false, for each of several."""
    several = [one for one in candidates.lists if len(one) > 1]
    if len(several) < 0.5 * len(candidates.lists) or not (_is_truth(inner) or set(inner.counts) == {"0", "1"}):
        return False
    right = [sum(item.get(inner.reference) in (True, "1", "true") for item in one) for one in several]  # 1 == True
    return sum(count == 1 for count in right) > 0.5 * len(right)


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
    """A list of choices, and the number or letter of the right one."""
    for column in sample.columns:
        sizes = [len(one) for one in column.lists]
        if not sizes or min(sizes) < 2 or not all(isinstance(item, str) for one in column.lists for item in one):
            continue
        label = choose_label(sample, [column])
        places = None if label is None else _places(label.column, [""] * max(sizes))
        if label is None or places is None:
            continue
        usual = column.name in _LISTED
        if not usual and not _are_choices(column, [places.get(one, one) for one in label.column.scalars]):
            continue
        columns = {"choices": column.reference, "label": label.column.reference}
        why = f"{column.reference!r} lists choices, and {label.column.reference!r} says which one is right"
        return _with_places(_with_query(sample, columns, [column, label.column], why, 0.95 if usual else 0.92), places)
    return None


def _are_choices(listed: Column, places: Sequence[str]) -> bool:
    """Whether lists, whatever their name, are of texts, each of which has the place that stands beside it."""
    texts = [item for one in listed.lists for item in one]
    spoken = is_mostly_unspaced("".join(texts[:200])) or sum(" " in text for text in texts) > 0.5 * len(texts)
    return (
        spoken
        and len({*texts}) > 0.5 * len(texts)
        and len(places) == len(listed.lists)
        and all(int(place) < len(one) for place, one in zip(places, listed.lists, strict=True))
        and {*places} >= {str(place) for place in range(min(map(len, listed.lists)))}
    )


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
