"""Tags of words, and the entities that they say."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.kinds.prediction import Prediction, put_on_one_line


@dataclass(frozen=True)
class Entity:
    """A labelled run of words.

    Attributes:
        type: as in the tags, without prefix.
        first, last: numbers of its words, both included.
        text: of the input, unchanged.
        start, end: characters ``[start, end)`` of the input's text.
    """

    type: str
    first: int
    last: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class TagsPrediction(Prediction):
    """Labelling: a tag for every word.

    Attributes:
        words: of the input.
        tags: as many.
        entities: what the tags say; none for tags without a scheme.
    """

    words: list[str]
    tags: list[str]
    entities: list[Entity]

    def to_line(self) -> str:
        return " ".join(map(put_on_one_line, self.tags))
