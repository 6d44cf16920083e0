"""Whether a sample looks like words with a tag each."""

from __future__ import annotations

from collections import Counter
from typing import Any

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.sample import Sample
from skill_plugin.spec.tag_schemes import OUTSIDE, RAW, find_scheme

_TOKENS = ("token", "tokens", "word", "words", "form", "text", "sentence")
_TAGS = ("ner_tags", "tags", "tag", "ner", "labels", "label", "pos_tags", "upos", "chunk_tags", "slots", "bio")
_ENTITIES = ("entities", "label", "labels", "spans", "annotations", "ner")
_SEPARATORS = (" ", "\x02", "\x01", "|", ",")
_NO_ENTITY = ("-", "_", "none", "NONE", "other", "OTHER")
_MOST_TAGS = 200


def guess_labelling(sample: Sample) -> KindGuess | None:
    """As ``Kind.guess``."""
    if sample.running:
        return _of_conll(sample)
    return _of_entities(sample) or _of_lists(sample) or _of_cells(sample) or _of_rows(sample)


def _of_conll(sample: Sample) -> KindGuess | None:
    """Words one below the other: the first column of words, the last of tags; of CoNLL-U the parts of speech."""
    form, tag = sample.column("FORM"), sample.column("UPOS")
    if form is not None and tag is not None:
        guess = KindGuess(
            {"token": "FORM", "tag": "UPOS"}, 0.8, "words with their parts of speech, as CoNLL-U has them",
            skills=("token",), doubts=["as raw text the same file is read by masked_lm and next_sentence"],
        )  # fmt: skip
        return _with_scheme(guess, _counts(tag))
    tags = [column for column in sample.columns if _are_tags(column)]
    entities = [column for column in tags if find_scheme(_counts(column)) != RAW]
    if not tags:
        return None
    tag = (entities or tags)[-1]
    tokens = [column for column in sample.columns if _are_words(column) and len(_counts(column)) > len(_counts(tag))]
    if not tokens:
        return None
    token = tokens[0]
    tags = [column for column in tags if column is not token]
    guess = KindGuess(
        {"token": token.reference, "tag": tag.reference}, 0.9, "a tag stands beside each word",
        {"token": counted(len(_counts(token)), "word"), "tag": counted(len(_counts(tag)), "tag")}, skills=("token",),
    )  # fmt: skip
    others = [column for column in tags if column is not tag]
    if others:
        guess.doubts.append(f"{', '.join(repr(one.reference) for one in others)} may be tags too")
    return _with_scheme(guess, _counts(tag))


def _of_lists(sample: Sample) -> KindGuess | None:
    """A list of words, and one of as many tags."""
    lists = [column for column in sample.columns if column.lists]
    for tag in sorted(lists, key=lambda column: column.name not in _TAGS):
        for token in sorted(lists, key=lambda column: column.name not in _TOKENS):
            if token is not tag and _go_together(token.lists, tag.lists):
                why = f"{token.reference!r} lists words, and {tag.reference!r} as many tags"
                return _paired(token, tag, why, Counter(str(one) for row in tag.lists for one in row), 0.95)
    return None


def _of_cells(sample: Sample) -> KindGuess | None:
    """Words in one cell, and as many tags in another."""
    plain = [column for column in sample.columns if column.scalars and not column.is_number]
    for separator in _SEPARATORS:
        parts = {id(one): [value.split(separator) for value in one.scalars] for one in plain}
        for tag in plain:
            for token in plain:
                if token is tag or not _go_together(parts[id(token)], parts[id(tag)]):
                    continue
                why = f"{tag.reference!r} has as many tags in a cell as {token.reference!r} has words"
                guess = _paired(token, tag, why, Counter(one for row in parts[id(tag)] for one in row), 0.96)
                if separator != " ":
                    guess.options["word_separator"] = (separator, "stands between words, and between tags")
                return guess
    return None


def _of_rows(sample: Sample) -> KindGuess | None:
    """A table with a row for each word, and a column that says in which sentence it is."""
    sentence = sample.called("sentence", "sentence_id", "sent_id", "sentence_number")
    token, tag = sample.called("word", "token", "form"), sample.called("tag", "ner", "ner_tag", "label", "upos", "pos")
    if sentence is None or token is None or tag is None or not tag.is_label_like:
        return None
    why = f"a row for each word, with {sentence.reference!r} for the sentence that it is in"
    columns = {"token": token.reference, "tag": tag.reference, "sentence": sentence.reference}
    return _with_scheme(KindGuess(columns, 0.96, why, skills=("token",)), tag.counts)


def _of_entities(sample: Sample) -> KindGuess | None:
    """A text with entities as spans of characters: ``[[0, 5, "LOC"]]``, objects with start and end, or CLUENER's."""
    texts = [column for column in sample.columns if column.is_text]
    text = sample.called("text", "sentence", "content", "data") or (texts[0] if texts else None)
    if text is None or not text.scalars:
        return None
    for name in _ENTITIES:
        column = sample.called(name)
        if column is not None and column is not text and column.filled and all(map(_are_spans, column.filled)):
            return KindGuess(
                {"text": text.reference, "entities": column.reference}, 0.95,
                f"{column.reference!r} has places of entities in {text.reference!r}", skills=("token",),
            )  # fmt: skip
    return None


def _are_spans(value: Any) -> bool:
    if isinstance(value, dict):  # CLUENER: {type: {surface: [[start, end]]}}
        surfaces = [one for types in value.values() if isinstance(types, dict) for one in types.values()]
        places = [place for one in surfaces if isinstance(one, list) for place in one]
        return bool(places) and all(isinstance(place, list) and len(place) == 2 for place in places)
    if not isinstance(value, list):
        return False
    return all(
        (isinstance(one, list) and len(one) == 3 and sum(isinstance(part, int) for part in one) == 2)
        or (isinstance(one, dict) and any(k.startswith("start") for k in one) and any(k.startswith("end") for k in one))
        for one in value
    )


def _paired(token: Column, tag: Column, why: str, counts: Counter[str], sure: float) -> KindGuess:
    guess = KindGuess({"token": token.reference, "tag": tag.reference}, sure, why, skills=("token",))
    if tag.classes:
        counts = Counter(name for name in tag.classes)
    return _with_scheme(guess, counts)


def _with_scheme(guess: KindGuess, counts: Counter[str]) -> KindGuess:
    """What the tags say of entities, and which one says that there is none."""
    scheme = find_scheme(counts)
    if scheme != RAW:
        guess.options["scheme"] = (scheme, f"{', '.join(sorted(counts)[:4])} …: tags say where entities are")
        return guess
    guess.options["scheme"] = (RAW, "tags do not say where entities begin")
    guess.options["metric"] = ("accuracy", "tags are no entities")
    common = counts.most_common(1)[0][0]
    if OUTSIDE not in counts and common in _NO_ENTITY:
        guess.options["label_map"] = ({common: OUTSIDE}, f"{common!r} is the tag of most words, which has no meaning")
    return guess


def _go_together(tokens: list[list[Any]], tags: list[list[Any]]) -> bool:
    """Whether rows have as many of one as of the other, of which the tags are few and the words many."""
    if not tokens or len(tokens) != len(tags) or any(len(a) != len(b) for a, b in zip(tokens, tags, strict=True)):
        return False
    if not all(isinstance(one, str | int) for row in (*tokens, *tags) for one in row):
        return False
    kinds, words = {str(one) for row in tags for one in row}, {str(one) for row in tokens for one in row}
    total = sum(map(len, tags))
    return (
        len(kinds) > 1
        and len(kinds) < len(words)
        and len(kinds) <= min(_MOST_TAGS, max(3, total // 4))
        and total > 1.5 * len(tags)
    )


def _counts(column: Column) -> Counter[str]:
    return Counter(str(one) for row in column.values for one in row)


def _are_tags(column: Column) -> bool:
    counts = _counts(column)
    words = counts.total()
    few = 1 < len(counts) <= min(_MOST_TAGS, max(3, words // 10))
    return few and not all(one.isdecimal() for one in counts) and max(map(len, counts)) <= 60


def _are_words(column: Column) -> bool:
    counts = _counts(column)
    return not all(one.isdecimal() for one in counts) and len(counts) > 5
