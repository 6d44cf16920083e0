"""The forms of input that ``predict`` takes: by default one or more texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from skill_plugin.errors import InputError, counted, nearest
from skill_plugin.files.json_file import parse_json
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Example
from skill_plugin.spec.corpus import Corpus

RawInput = str | Sequence[str] | Mapping[str, Any]

_SYNONYMS = {"query": "text_a", "choices": "candidates", "token": "words", "tokens": "words"}


class InputForm:
    """One to three texts. In a line they are separated by tabs.

    Args:
        corpus: the corpus for which answers are predicted.
        texts: the names of the texts; by default those of the corpus.

    Attributes:
        takes_objects: whether a line may be a JSON object.
        keys: the keys that an object may have.
    """

    takes_objects: ClassVar[bool] = False

    def __init__(self, corpus: Corpus, texts: tuple[str, ...] | None = None) -> None:
        self.corpus = corpus
        self.texts = kind_named(corpus.kind).text_names(corpus) if texts is None else texts
        self.keys = self.texts

    def parse_line(self, line: str) -> RawInput:
        """Parses a line of a file.

        Raises:
            InputError: the line begins like a JSON object but is none, or is none although the kind needs one.
        """
        return self.parse_object(line) if self.takes_objects and line.lstrip().startswith("{") else self.divide(line)

    def parse_object(self, line: str) -> RawInput:
        """Parses a line that begins like a JSON object."""
        value: Mapping[str, Any] = parse_json(line)
        return value

    def divide(self, line: str) -> RawInput:
        """Parses a line that is no JSON object."""
        return line.split("\t", len(self.texts) - 1)

    def has_spare_tabs(self, value: RawInput) -> bool:
        """Whether a divided line had more tabs than it needs, so that its last text holds tabs."""
        return not isinstance(value, Mapping) and "\t" in (value if isinstance(value, str) else value[-1])

    def example(self, value: RawInput) -> Example:
        """Makes an example, without an answer, of an input.

        Args:
            value: a text, a list of texts, or a mapping with the keys of the kind.

        Raises:
            InputError: a key is missing, unknown or of the wrong type, or an offset is outside of its text.
        """
        if isinstance(value, str):
            return self.from_text(value)
        if not isinstance(value, Mapping):
            return self.from_texts(check_texts(value, "expected a text, a list of texts or a mapping"))
        renamed = {canonical_key(key): part for key, part in value.items()}
        for key in renamed:
            if key not in self.keys:
                raise InputError(f"unknown key {key!r}{nearest(str(key), self.keys)}")
        return self.from_mapping(renamed)

    def from_text(self, text: str) -> Example:
        """What a line, or a string in Python, asks."""
        return self.from_texts((text,))

    def from_texts(self, texts: tuple[str, ...]) -> Example:
        """Makes an example of texts in their order; missing ones are empty."""
        if len(texts) > len(self.texts):
            raise InputError(f"{counted(len(texts), 'text')}; the corpus {self.corpus.name!r} has {len(self.texts)}")
        return make_example((*texts, *[""] * (len(self.texts) - len(texts))))

    def from_mapping(self, value: Mapping[str, Any]) -> Example:
        """Makes an example of texts by their names; all keys are known."""
        if not value:
            raise InputError(f"expected texts under {' and '.join(map(repr, self.keys))}, the keys are none")
        return make_example(tuple(get_text(value, key) if key in value else "" for key in self.keys))

    def sample(self, texts: tuple[str, str]) -> Example:
        """An example of some texts, which are used again where it needs more, to try a model on."""
        count = len(self.texts)
        return self.from_text(texts[0]) if count == 1 else self.from_texts((texts * 2)[:count])


def make_input_form(corpus: Corpus) -> InputForm:
    """The form of input that ``predict`` takes for a corpus."""
    return kind_named(corpus.kind).input_form(corpus)


def read_inputs(form: InputForm, inputs: Iterable[RawInput], first: int = 0) -> Iterator[Example]:
    """The example of each input, in order.

    Raises:
        InputError: an input that is none, with its number.
    """
    for number, value in enumerate(inputs, first):
        try:
            yield form.example(value)
        except InputError as error:
            raise InputError(f"inputs[{number}] for {form.corpus.name!r}: {error.message}") from None


def canonical_key(key: str) -> str:
    """The key for another usual name of it."""
    return _SYNONYMS.get(key, key)


def make_example(texts: tuple[str, ...], **parts: Any) -> Example:
    """Makes an example of texts that are from no file."""
    return Example(texts, None, "", 0, **parts)


def get_text(value: Mapping[str, Any], key: str) -> str:
    """The text under a key.

    Raises:
        InputError: there is no text under the key.
    """
    if not isinstance(value.get(key), str):
        found = f"not {value[key]!r}" if key in value else f"the keys are {', '.join(map(repr, value)) or 'none'}"
        raise InputError(f"expected a text under {key!r}, {found}")
    return str(value[key])


def check_texts(value: Any, expected: str) -> tuple[str, ...]:
    """Checks that a value is a list of texts.

    Raises:
        InputError: it is not.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{expected}, not {value!r}")
    return tuple(value)
