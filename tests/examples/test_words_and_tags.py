"""Words and tags of the collection: what the data's README says of their files, held against what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.readers.example import Example
from skill_plugin.spec import CorporaFile
from tests.examples import direct
from tests.examples.conftest import Read


def words_of(example: Example) -> list[str]:
    return [example.texts[0][start:end] for start, end in example.words]


@pytest.mark.parametrize("file", ["ner", "tagging"])
def test_words_and_tags_of_every_conll_file(
    raw: Path, collection: dict[str, CorporaFile], read: Read, file: str
) -> None:
    """Tab-only separators, tokens that are a quote or hold U+200B and U+FEFF, index columns, spaces, 3-4, 8.1."""
    sections = direct.written(direct.COLLECTION / f"{file}.yaml", raw)
    for name, corpus in collection[file].corpora.items():
        if corpus.format != "conll":
            continue
        token, tag = (1, 3) if name.startswith("pos-") else (corpus.columns["token"], corpus.columns["tag"])
        blocks = [block for split in corpus.sources for block in direct.blocks(sections[name][split])]
        examples = read(file, name)
        assert [words_of(example) for example in examples] == [[cells[token] for cells in block] for block in blocks]
        expected = [tuple("O" if cells[tag] == "-" else cells[tag] for cells in block) for block in blocks]
        assert [example.answer for example in examples] == expected
        joint = "" if corpus.language == "zh" else " "
        assert all(example.texts[0] == joint.join(words_of(example)) for example in examples)


def test_odd_tokens_of_wnut17_are_kept(raw: Path, read: Read) -> None:
    words = {word for example in read("ner", "wnut17") for word in words_of(example)}
    assert '"' in words
    assert any("\u200b" in word for word in words)
    assert any("\ufeff" in word for word in words)
    assert b"\n\t\n" in (raw / "wnut17/wnut17train.conll").read_bytes()
    tags = {tag for example in read("ner", "wnut17") for tag in example.answer}  # type: ignore[union-attr]
    assert "B-creative-work" in tags


def test_surface_forms_of_several_words_are_no_words(read: Read) -> None:
    words = [words_of(example) for example in read("tagging", "pos-de")]
    assert sum("im" in sentence for sentence in words) == 0  # 3-4 im, 3 in, 4 dem
    assert any(sentence[i : i + 2] == ["in", "dem"] for sentence in words for i in range(len(sentence)))


def test_characters_of_msra_are_between_bytes_0x02(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.lines_of(raw / f"msra-ner/{split}.tsv")[1:]]
    for example, row in zip(read("ner", "msra-ner"), rows, strict=True):
        characters, tags = (cell.split("\x02") for cell in row.split("\t"))
        assert (words_of(example), example.answer) == (characters, tuple(tags))
        assert example.texts[0] == "".join(characters)


def test_entities_of_cluener_have_inclusive_ends(raw: Path, read: Read) -> None:
    rows = [row for split in ("train", "dev") for row in direct.objects(raw / f"cluener/{split}.json")]
    differ = []
    for example, row in zip(read("ner", "cluener"), rows, strict=True):
        assert example.texts == (row["text"],)
        expected = {
            (start, end + 1, name)
            for name, surfaces in row["label"].items()
            for spans in surfaces.values()
            for start, end in spans
        }
        found = {(start, end, name) for start, end, name in entities(example)}
        if found != expected:
            differ.append(example.line)
            assert found < expected
            for start, end, _ in expected - found:  # what is left out lies within something longer
                assert any(s < end and start < e and e - s > end - start for s, e, _ in found)
    assert differ == [1507]


def entities(example: Example) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for (start, end), tag in zip(example.words, example.answer, strict=True):  # type: ignore[arg-type]
        if str(tag).startswith("B-"):
            found.append((start, end, str(tag)[2:]))
        elif str(tag).startswith("I-"):
            found[-1] = (found[-1][0], end, found[-1][2])
    return found
