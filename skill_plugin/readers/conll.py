"""The format conll: one word on each line, with its columns; a blank line ends a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from skill_plugin.errors import counted, nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.row import (
    BadRow,
    FileNotice,
    Row,
    RowStream,
    UnreadableError,
    Wanted,
    count_cells_needed,
    shorten,
)
from skill_plugin.readers.text_lines import Line, read_lines
from skill_plugin.readers.token_pattern import describe_mismatch, extract_token
from skill_plugin.spec.columns import Column
from skill_plugin.spec.corpus import Corpus, RawFiles

# https://universaldependencies.org/format.html
CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_SPACES = re.compile("[ \t\v\f\r]+")  # no-break and ideographic spaces are tokens in some files
_NAMED_COMMENT = re.compile(r"#\s+(?:newdoc|newpar|[\w.:\[\]-]+\s*=)|#\s*(?:newdoc|newpar|sent_id|text)\s*=")
_TEXT = re.compile(r"#\s*text\s*=(.*)")
_DOCUMENT = re.compile(r"#\s*newdoc\b")
_COLUMNS = re.compile(r"#\s*global\.columns\s*=(.*)")
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # 3-4 is the surface form of two words; 8.1 is a word not in the text
START = "-DOCSTART-"
SAMPLED_LINES = 2000  # the number of cells of a word is found from this many lines
_LONG = 200  # a sentence with this many words is probably several


def read_rows(corpus: Corpus, origin: RawFiles, wanted: Wanted) -> RowStream:
    """The sentences of a conll file, each as one row.

    Labelling: the columns ``token`` and ``tag`` as lists. Raw text: ``text`` or ``sentence``, from the comment
    ``# text =``, else the tokens joined, and ``document``, the number of the document from 0.

    Columns are numbers, or names of ``# global.columns`` or of CoNLL-U. Cells stand between ``separator``; by default
    between tabs, or between spaces in a line without a tab. Every word must have as many cells as most lines of the
    file have, unless ``extra_cells`` allows more. A line that begins with ``#`` is a comment unless it looks like a
    word: with so many cells, or with a tab where words have tabs. Surface forms of several words and empty nodes of
    CoNLL-U are left out.

    Raises:
        OSError: the file cannot be opened.
        UnreadableError: the encoding breaks off, or there is no column of a name.
    """
    yield from _Reader(corpus, wanted).rows(read_lines(origin.file, corpus.encoding))


@dataclass
class _Count:
    """How many lines there are of some sort, and the first one."""

    count: int = 0
    first: int = 0

    def add(self, line: int) -> None:
        self.first = self.first or line
        self.count += 1


class _Reader:
    def __init__(self, corpus: Corpus, wanted: Wanted) -> None:
        self.corpus = corpus
        self.labelled = not kind_named(corpus.kind).running_text
        token = corpus.columns.get("token")
        assert token is None or isinstance(token, str | int)
        self.token = token
        self.optional = wanted.optional if self.labelled else ()
        self.required: tuple[Column, ...] = () if token is None else (token,)
        if self.labelled:
            self.required = wanted.required
        self.names: tuple[str, ...] = CONLLU
        self.width = 0  # cells of a word
        self.why = ""  # where the width is from, for messages
        self.tabs = True  # whether there are tabs between them
        self.longer = _Count()  # of words with more cells, which are allowed
        self.sentences: list[int] = []  # words of the first two sentences
        self.document = 0
        self.begun = False  # whether the document has a sentence
        self.marked = False  # whether the file says where documents begin, as far as read
        self.left_out = _Count()  # of surface forms and empty nodes

    def rows(self, lines: Iterator[Line]) -> RowStream:
        sample = list(islice(lines, SAMPLED_LINES))
        self.measure(sample)
        block: list[Line] = []
        for line in chain(sample, lines):
            if line.text.strip():
                block.append(line)
            else:
                yield from self.sentence(block)
                block = []
        yield from self.sentence(block)
        yield from self.notices()

    def measure(self, sample: Iterable[Line]) -> None:
        """Finds how many cells a word has: as many as most lines that cannot be comments; of equals the most."""
        written = [line.text for line in sample if line.text.strip() and not _NAMED_COMMENT.match(line.text)]
        words = [text for text in written if not text.startswith(("#", START))] or written
        widths = Counter(len(self.cells(text)) for text in words)
        if widths:
            self.width = max(widths, key=lambda width: (widths[width], width))
            of_lines = f"{len(words):,}" if len(written) < SAMPLED_LINES else f"the first {len(words):,}"
            self.why = f", as {widths[self.width]:,} of {of_lines} lines have"
            self.tabs = bool(self.corpus.separator) or any("\t" in text for text in words)

    def notices(self) -> Iterator[FileNotice]:
        if self.left_out.count:
            message = (
                f"lines of several words in one or of words that are not in the text, left out: {self.left_out.count}"
            )
            yield FileNotice(self.left_out.first, message)
        if self.longer.count:
            message = f"words with more cells than the {self.width} of most (extra_cells: drop): {self.longer.count:,}"
            yield FileNotice(self.longer.first, message)
        if len(self.sentences) == 1 and self.sentences[0] >= _LONG:
            message = (
                f"no blank line in the file, so that its {self.sentences[0]:,} words are one sentence; expected a "
                "blank line after each sentence"
            )
            yield FileNotice(1, message)

    def sentence(self, block: list[Line]) -> RowStream:
        """The row of the lines between two blank lines, if they hold a word."""
        problem = next((line for line in block if line.problem is not None), None)
        if problem is not None and problem.problem is not None:
            yield BadRow(problem.number, *problem.problem)
            return
        words: list[tuple[int, list[str]]] = []
        text = None
        for line in block:
            if self.is_comment(line.text):
                if match := _TEXT.fullmatch(line.text):
                    text = match[1].strip()
                elif match := _COLUMNS.fullmatch(line.text):
                    self.names = tuple(match[1].split())
                elif _DOCUMENT.match(line.text):
                    self.end_document()
            else:
                cells = self.cells(line.text)
                if START in (cells[0], *cells[1:2]):  # behind a number, where the first column counts the words
                    self.end_document()
                else:
                    words.append((line.number, cells))
        words = self.without_forms(words)
        if words:
            self.begun = True
            self.sentences[1:] = [len(words)]
            yield self.row(words, text)

    def end_document(self) -> None:
        self.document += self.begun
        self.begun = False
        self.marked = True

    def cells(self, text: str) -> list[str]:
        splits = -1 if self.corpus.max_cells is None else self.corpus.max_cells - 1
        if self.corpus.separator:
            return text.split(self.corpus.separator, splits)
        if "\t" in text:
            return text.split("\t", splits)
        return [cell for cell in _SPACES.split(text.strip(" \t\v\f\r"), max(splits, 0)) if cell] or [text]

    def is_comment(self, text: str) -> bool:
        if not text.startswith("#"):
            return False
        if not self.required or _NAMED_COMMENT.match(text):
            return True
        # better to report a broken word than to take it for a comment
        return "\t" not in text if self.tabs and not self.corpus.separator else len(self.cells(text)) != self.width

    def without_forms(self, words: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
        """Leaves out CoNLL-U's lines such as 3-4 and 8.1, if the first column is not used and numbers the words."""
        if any(
            self.place(reference, line) == 0 for reference in (*self.required, *self.optional) for line, _ in words[:1]
        ):
            return words
        extra = [line for line, cells in words if _NO_WORD.fullmatch(cells[0])]
        if not extra or not all(cells[0].isdecimal() for line, cells in words if line not in extra):
            return words
        for line in extra:
            self.left_out.add(line)
        return [(line, cells) for line, cells in words if line not in extra]

    def row(self, words: list[tuple[int, list[str]]], text: str | None) -> Row | BadRow:
        columns, needed, tagged = self.columns(words)
        if needed and (self.labelled or text is None):
            for line, cells in words:
                odd = len(cells) != self.width or needed > self.width
                if odd and self.wrong_cells(line, len(cells), needed, tagged):
                    return BadRow(line, "wrong number of cells", self.expected_cells(cells, needed))
        first = words[0][0]
        if self.labelled:
            return Row(first, dict(columns), tuple([line for line, _ in words]), self.group)
        found = self.joined(words, columns) if text is None else text
        if isinstance(found, BadRow):
            return found
        return Row(first, {"text": found, "sentence": found, "document": str(self.document)}, group=self.group)

    def columns(self, words: list[tuple[int, list[str]]]) -> tuple[dict[Column, list[str]], int, bool]:
        """The cells of each column, how many cells a line needs for that, and whether optional columns are there."""
        columns: dict[Column, list[str]] = {}
        places = {reference: self.place(reference, words[0][0]) for reference in (*self.required, *self.optional)}
        left = count_cells_needed(place for place in places.values() if place >= 0)
        needed, tagged = 0, True
        for reference, place in places.items():
            least = place + 1 if place >= 0 else left - place
            if reference in self.optional and all(len(cells) < least for _, cells in words):
                tagged = False
                continue
            needed = max(needed, least)
            columns[reference] = [cells[place] for _, cells in words if len(cells) >= least]
        return columns, needed, tagged

    def joined(self, words: list[tuple[int, list[str]]], columns: dict[Column, list[str]]) -> str | BadRow:
        """The text of a sentence that has no comment with it: its tokens, one behind the other."""
        if self.token is None:
            message = "no comment '# text =' in this sentence; columns: {token: 1} joins the tokens instead"
            return BadRow(words[0][0], "no text", message)
        tokens = columns[self.token]
        if (pattern := self.corpus.pattern) is not None:
            found = [extract_token(token, pattern) for token in tokens]
            if None in found:
                number = found.index(None)
                return BadRow(words[number][0], "no token", describe_mismatch(tokens[number], pattern))
            tokens = [token for token in found if token is not None]
        return (" " if self.corpus.join == "space" else "").join(tokens)

    @property
    def group(self) -> str:
        """The number of the document, if the file marks documents."""
        return str(self.document) if self.marked else ""

    def wrong_cells(self, line: int, count: int, needed: int, tagged: bool) -> bool:
        """Whether a word has a wrong number of cells. Without a tag it may have fewer cells than the others."""
        if count > self.width and self.corpus.extra_cells == "drop":
            self.longer.add(line)
        elif count >= needed and (count == self.width or self.corpus.extra_cells == "drop"):
            return False
        elif tagged or count > self.width:
            return True
        return count < needed

    def expected_cells(self, cells: list[str], needed: int) -> str:
        expected = f"{needed} or more" if needed > self.width else f"{self.width}{self.why}"
        return f"{counted(len(cells), 'cell')}; expected {expected}; the line is {shorten(' '.join(cells))}"

    def place(self, reference: Column, line: int) -> int:
        """The number of a column.

        Raises:
            UnreadableError: no column has this name.
        """
        if isinstance(reference, int):
            return reference
        if reference not in self.names:
            message = f"no column of the name {reference!r}; give its number from 0{nearest(reference, self.names)}"
            raise UnreadableError(line, message)
        return self.names.index(reference)
