"""One or two texts and a number."""

from __future__ import annotations

from collections.abc import Sequence

from skill_plugin.kinds.regression.keys import RegressionKeys
from skill_plugin.readers.cell_values import parse_finite_number, read_scalar
from skill_plugin.readers.example import Example
from skill_plugin.readers.item_reader import ItemReader
from skill_plugin.readers.json_values import describe_value
from skill_plugin.readers.left_out import RejectedError
from skill_plugin.readers.row import Row
from skill_plugin.readers.split_reading import SplitReading


class RegressionReader(ItemReader):
    """A finite number, within ``score_range`` where the corpus has one."""

    def __init__(self, reading: SplitReading) -> None:
        super().__init__(reading)
        self.own = RegressionKeys.of(self.corpus)

    def read(self, row: Row) -> Example:
        score = self.score(row)
        texts = self.texts(row)
        if score is None and not self.reading.may_lack_answers:
            raise RejectedError("missing score", "no score; expected a number", "score")
        return Example(texts, score, self.reading.file, row.line)

    def is_no_answer(self, mark: str) -> bool:
        score, known = parse_finite_number(mark), self.own.score_range
        return score is None or (known is not None and score < known[0])

    def only_placeholders(self, examples: Sequence[Example]) -> bool:
        """Scores of -1, where they may be any number."""
        if self.own.score_range is not None or any(example.answer not in (None, -1) for example in examples):
            return False
        return any(example.answer == -1 for example in examples)

    def score(self, row: Row) -> float | None:
        value = self.value(row, "score")
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        self.mapped(read_scalar(value)[0].strip())  # drop_labels: a mark for rows without a score
        decimal = self.own.decimal
        score = parse_finite_number(value, decimal)
        if score is None:
            message = f"the score is {describe_value(value)}; expected a finite number, as 3{decimal}5"
            if other := next(
                (one for one in ",." if one != decimal and parse_finite_number(value, one) is not None), ""
            ):
                message += f'; is "{other}" before its decimal places (decimal: "{other}")?'
            raise RejectedError("unusable score", message, "score")
        low, high = self.own.score_range or (score, score)
        if not low <= score <= high:
            message = f"the score {score:g} is outside score_range; expected {low:g} to {high:g}"
            raise RejectedError("score outside score_range", message, "score")
        return score
