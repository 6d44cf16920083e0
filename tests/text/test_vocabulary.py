from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.errors import InputError
from skill_plugin.text.vocabulary import MASK, SPECIALS, Vocabulary

ODD = ["▁a", "\u0085", "\u00a0", "\u3000", "x\u0085y", "\u2028", "a b", " ", "1", "\t", "a\rb", "🙂"]


def test_ids_are_in_fairseq_order() -> None:
    vocabulary = Vocabulary.from_pieces(["a", "b"])
    assert vocabulary.symbols == ["<s>", "<pad>", "</s>", "<unk>", "a", "b", "<mask>"]
    assert (vocabulary.bos, vocabulary.pad, vocabulary.eos, vocabulary.unk, vocabulary.mask) == (0, 1, 2, 3, 6)
    assert [vocabulary.index(s) for s in ("b", "<mask>", "nowhere")] == [5, 6, 3]
    assert len(vocabulary) == 7
    assert "a" in vocabulary
    assert "c" not in vocabulary


def test_pieces_that_split_would_destroy_survive(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    Vocabulary.from_pieces(ODD[:-2] + ODD[-1:]).write_dict_txt(path)
    assert Vocabulary.from_dict_txt(path, mask=True).symbols == [*SPECIALS, *ODD[:-2], ODD[-1], MASK]
    assert MASK not in Vocabulary.from_dict_txt(path)


def test_fairseq_reads_the_same_dictionary(tmp_path: Path) -> None:
    from fairseq.data import Dictionary

    vocabulary = Vocabulary.from_pieces(["▁a", "\u0085", "\u00a0", "\u3000", "x\u0085y", "1", "🙂"])
    vocabulary.write_dict_txt(tmp_path / "dict.txt")
    theirs = Dictionary.load(str(tmp_path / "dict.txt"))
    theirs.add_symbol("<mask>")
    assert theirs.symbols == vocabulary.symbols
    theirs.save(str(tmp_path / "theirs.txt"))
    assert Vocabulary.from_dict_txt(tmp_path / "theirs.txt") == vocabulary  # <mask> is a line of its own there


@given(st.lists(st.text(min_size=1).filter(lambda s: "\n" not in s and "\r" not in s), min_size=1, unique=True))
def test_any_pieces_round_trip(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    pieces = [p for p in pieces if p not in (*SPECIALS, MASK)]
    path = tmp_path_factory.mktemp("v") / "dict.txt"
    Vocabulary.from_pieces(pieces, mask=False).write_dict_txt(path)
    assert Vocabulary.from_dict_txt(path).symbols == [*SPECIALS, *pieces]


def test_overwrite_flag_as_in_camembert(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("a 3\n<unk> 0 #fairseq:overwrite\nb 1\n", encoding="utf-8")
    vocabulary = Vocabulary.from_dict_txt(path)
    assert vocabulary.symbols[4:] == ["a", "<unk>", "b"]
    assert vocabulary.index("nowhere") == 3
    vocabulary.write_dict_txt(tmp_path / "again.txt")
    assert Vocabulary.from_dict_txt(tmp_path / "again.txt") == vocabulary


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a 1\nb\n", "dict.txt:2: expected 'piece count', found 'b'"),
        (b"a 1\nb x\n", "dict.txt:2: expected 'piece count', found 'b x'"),
        (b"a 1\na 2\n", "dict.txt:2: the piece 'a' occurs twice"),
        (b"a 1\n\xff 1\n", "dict.txt: not UTF-8"),
        (None, "dict.txt: no such file"),
    ],
)
def test_bad_dictionaries_are_told(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "dict.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as error:
        Vocabulary.from_dict_txt(path)
    assert message in str(error.value)


def test_line_ends_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line end"):
        Vocabulary.from_pieces(["a\rb"]).write_dict_txt(tmp_path / "dict.txt")
    with pytest.raises(ValueError, match="line end"):
        Vocabulary.from_pieces(["a\nb"])


def test_an_empty_dictionary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dict.txt").write_text("\n")
    with pytest.raises(InputError, match=r"dict\.txt: is empty; expected lines of 'piece count'"):
        Vocabulary.from_dict_txt(tmp_path / "dict.txt")


def test_rows_of_a_vocabulary_that_was_cut() -> None:
    whole = Vocabulary.from_pieces(["a", "b", "c"])
    assert whole.rows_of(whole) == list(range(8))
    assert whole.rows_of(Vocabulary.from_pieces(["a", "c"])) == [0, 1, 2, 3, 4, 6, 7]
    assert whole.rows_of(Vocabulary.from_pieces(["b"], mask=False)) == [0, 1, 2, 3, 5]
    for other in (["a", "d"], ["b", "a"], ["<unk>"]):
        assert whole.rows_of(Vocabulary.from_pieces(other)) is None
    twice = Vocabulary.from_pieces(["a", "<unk>", "a", "b"])
    assert twice.rows_of(Vocabulary.from_pieces(["<unk>", "a"])) == [0, 1, 2, 3, 5, 6, 8]
