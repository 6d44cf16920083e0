"""The format conll: words one below the other, and a blank line between sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from skill_plugin.errors import counted
from skill_plugin.guessing.column import Column
from skill_plugin.guessing.layout import Layout
from skill_plugin.readers.conll import CONLLU

_COMMENT = re.compile(r"#\s*[\w.:]+(\s|$)[^\t]*$")  # of CoNLL-U: a name, mostly with a value
_SPACES = re.compile("[ \t]+")
_FEWEST = 1.5  # words of a sentence in the mean; a table with blank lines has fewer
_MOST_CELLS = 20


def conll_layout(lines: Sequence[str]) -> Layout | None:
    """The layout of a file of words; None if it is none."""
    blocks, texts = _blocks(lines)
    words = [line for block in blocks for line in block]
    if len(blocks) < 2 or len(words) < _FEWEST * len(blocks):
        return None
    tabs = sum("\t" in line for line in words) > 0.9 * len(words)
    sentences = [[_split(line, tabs) for line in block] for block in blocks]
    rows = [row for sentence in sentences for row in sentence]
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if not 2 <= width <= _MOST_CELLS or count < 0.95 * len(words) or not _are_words(sentences):
        return None
    named = width == len(CONLLU) and (texts > 0 or all(row[0][:1].isdigit() for row in rows))
    columns = [Column(CONLLU[place] if named else place, _cells_at(place, sentences, width)) for place in range(width)]
    what = "CoNLL-U's ten columns" if named else f"{counted(width, 'column')} between {'tabs' if tabs else 'spaces'}"
    why = f"words one below the other in {counted(len(blocks), 'block')}, with {what}"
    return Layout("conll", why, columns, running=True, commented=texts > 0.9 * len(blocks))


def _blocks(lines: Sequence[str]) -> tuple[list[list[str]], int]:
    """The lines between blank ones without comments, and how many comments say the text of a sentence."""
    blocks: list[list[str]] = [[]]
    texts = 0
    for line in lines:
        if not line.strip():
            blocks.append([])
        elif _COMMENT.match(line):
            texts += line.startswith("# text =")
        else:
            blocks[-1].append(line)
    return [block for block in blocks if block], texts


def _cells_at(place: int, sentences: list[list[list[str]]], width: int) -> list[list[str]]:
    """A column by sentences; rows of another width are left out."""
    return [[row[place] for row in sentence if len(row) == width] for sentence in sentences]


def _split(line: str, tabs: bool) -> list[str]:
    return line.split("\t") if tabs else _SPACES.split(line.strip(" \t"))


def _are_words(sentences: list[list[list[str]]]) -> bool:
    """Whether cells are words: texts of several words are of a table."""
    cells = [cell for sentence in sentences[:200] for row in sentence for cell in row]
    return sum(" " in cell.strip() for cell in cells) < 0.1 * len(cells)
