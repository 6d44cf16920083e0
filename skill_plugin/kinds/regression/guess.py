"""Whether a sample looks like texts with a score."""

from __future__ import annotations

from skill_plugin.guessing.column import Column
from skill_plugin.guessing.kind_guess import KindGuess
from skill_plugin.guessing.labels import NAMES as LABELS
from skill_plugin.guessing.sample import Sample
from skill_plugin.guessing.texts import ChosenTexts, choose_texts

_NAMES = (
    "score",
    "scores",
    "similarity",
    "rating",
    "value",
    "strength",
    "valence",
    "intensity",
    "label",
    "target",
    "y",
)
_SAYING = _NAMES[:8]  # that the value is a number
_HIGHEST, _STEPS = 10, 4  # of a scale of whole numbers: its end at most, and its values at least
_ALIKE = 2.0  # how much longer one of two texts of the same sort is at most, in the mean
_FEWEST = 5  # values that a scale with decimal places has at least
_WIDEST = 1000.0  # of a scale that people use


def guess_regression(sample: Sample) -> KindGuess | None:
    """A number with decimal places is a score, and so are whole numbers of a scale where their column is named so, or
    where there are two texts."""
    scored = [column for column in sample.columns if _is_score(column)]
    if not scored:
        return _of_scale(sample)
    named = [column for name in _NAMES for column in scored if column.is_called(name)]
    column = named[0] if named else scored[-1]
    texts = choose_texts(sample, scored)
    if texts is None:
        return None
    low, high = min(column.numbers), max(column.numbers)
    why = f"numbers with decimal places from {low:g} to {high:g}"
    guess = KindGuess(
        {**texts.columns, "score": column.reference}, 0.93 if named else 0.88, why,
        {"text_a": texts.why, "score": why}, skills=texts.skills, doubts=list(texts.doubts),
    )  # fmt: skip
    if len(scored) > 1:
        others = ", ".join(repr(other.reference) for other in scored if other is not column)
        guess.doubts.append(f"{others} may be the score too")
    scale = _scale(low, high)
    guess.options["score_range"] = (scale, f"scores of the sample lie between {low:g} and {high:g}")
    if column.decimal != ".":
        guess.options["decimal"] = (column.decimal, "a comma stands before decimal places")
    return guess


def _of_scale(sample: Sample) -> KindGuess | None:
    """Whole numbers, each of a scale, as how alike two texts are from 0 to 5."""
    whole = [column for column in sample.columns if column.is_whole and column.share_filled >= 0.9]
    named = [column for name in _SAYING for column in whole if column.is_called(name) and len(column.counts) > 2]
    scales = named or [column for column in whole if _is_scale(column)]
    if not scales:
        return None
    column = named[0] if named else scales[-1]
    texts = choose_texts(sample, scales)
    if texts is None or not (named or _are_alike(sample, texts)):
        return None
    low, high = int(min(column.numbers)), int(max(column.numbers))
    why = f"whole numbers from {low} to {high}, which are taken for a scale"
    return KindGuess(
        {**texts.columns, "score": column.reference}, 0.92 if named else 0.8, why, {"text_a": texts.why, "score": why},
        {"score_range": ([low, high], "the lowest and the highest")}, skills=texts.skills,
        doubts=[*texts.doubts, "if the numbers are names of classes, the kind is classification"],
    )  # fmt: skip


def _are_alike(sample: Sample, texts: ChosenTexts) -> bool:
    """Whether they are two texts of the same sort, which a title and its text are not."""
    lengths = [column.mean_length for name in texts.columns.values() if (column := sample.column(name)) is not None]
    return len(lengths) == 2 and max(lengths) <= _ALIKE * min(lengths)


def _is_scale(column: Column) -> bool:
    """Whether whole numbers may be a scale though their column has no name that says so: 0 or 1 to 4 or more."""
    if column.is_called(*LABELS):
        return False
    return min(column.numbers) in (0, 1) and 4 <= max(column.numbers) <= _HIGHEST and len(column.counts) >= _STEPS


def _is_score(column: Column) -> bool:
    if not column.is_number or column.share_filled < 0.9:
        return False
    fractions = any(number != int(number) for number in column.numbers)
    spread = max(map(abs, column.numbers)) <= _WIDEST
    return fractions and spread and len(set(column.numbers)) >= _FEWEST


def _scale(low: float, high: float) -> list[float]:
    """The usual scale that holds the scores: whole numbers at both ends."""
    for first, last in ((0, 1), (-1, 1), (0, 5), (1, 5), (0, 10), (0, 100), (-100, 100)):
        if first <= low and high <= last and high - low > 0.5 * (last - first):
            return [first, last]
    return [int(low // 1), int(-(-high // 1))]
