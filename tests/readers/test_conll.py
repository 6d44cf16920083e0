"""conll: words, comments, borders of sentences and documents; whatever is written is read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.one_corpus import Read, faults, notices, read_data

NER = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}")
# a word with anything but what ends cells and lines, or is all white space
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), min_size=1, max_size=6)
tags = st.sampled_from(["O", "B-x", "I-x", "B-creative-work"])
sentences = st.lists(st.lists(st.tuples(words, tags), min_size=1, max_size=5), min_size=1, max_size=5)


@given(sentences, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\t", " "]))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, written: list, end: str, blank: str
) -> None:
    folder = tmp_path_factory.mktemp("conll")
    content = "".join("".join(f"{w}\t{t}{end}" for w, t in sentence) + blank + end for sentence in written)
    if content.startswith("\ufeff"):
        return  # a byte order mark by any reading
    data = read_data(folder, *NER, "labels: [O, B-x, I-x, B-creative-work]", train=content)
    assert faults(data) == []
    found = data.splits["train"].examples
    assert [[e.texts[0][a:b] for a, b in e.words] for e in found] == [[w for w, _ in s] for s in written]
    assert [e.answer for e in found] == [tuple(t for _, t in s) for s in written]
    assert [e.texts[0] for e in found] == [" ".join(w for w, _ in s) for s in written]
    line = 1
    for sentence, example in zip(written, found, strict=True):
        assert example.line == line
        line += len(sentence) + 1


def test_white_space_separates_only_where_there_is_no_tab(read: Read) -> None:
    data = read(*NER, train="New York\tB-LOC\n\u3000 O\nand  O\n\u00a0 O\n")
    example = data.splits["train"].examples[0]
    assert [example.texts[0][a:b] for a, b in example.words] == ["New York", "\u3000", "and", "\u00a0"]
    data = read(*NER, "separator: '|'", train="a b|O\nc\td|B-x\n")
    example = data.splits["train"].examples[0]
    assert [example.texts[0][a:b] for a, b in example.words] == ["a b", "c\td"]


def test_a_hash_is_a_word_where_it_has_the_columns_of_one(read: Read) -> None:
    content = "# id = 5\n# newdoc\n#\tO\n#tag\tB-x\n#a = b\tO\na\tO\n\n#just\tO\n#tags\tO\n\n# comment\nb\tO\n"
    data = read(*NER, train=content)
    assert faults(data) == []
    found = [[e.texts[0][a:b] for a, b in e.words] for e in data.splits["train"].examples]
    assert found == [["#", "#tag", "#a = b", "a"], ["#just", "#tags"], ["b"]]
    data = read(*NER, train="# some comment here\n# O\n#x B-x\na O\n")
    assert [e.texts for e in data.splits["train"].examples] == [("# #x a",)]


CONLLU = """\
# newdoc id = d1
# text = Vámonos al mar.
1-2\tVámonos\t_\t_
1\tVamos\tir\tVERB
2\tnos\tnosotros\tPRON
3-4\tal\t_\t_
3\ta\ta\tADP
4\tel\tel\tDET
5\tmar\tmar\tNOUN
5.1\tes\tser\tAUX
6\t.\t.\tPUNCT

# text = Bien.
1\tBien\tbien\tADV
2\t.\t.\tPUNCT

# newdoc id = d2
# text = No.
1\tNo\tno\tINTJ
"""


def test_conllu(read: Read) -> None:
    data = read("kind: labelling", "format: conll", "columns: {token: FORM, tag: UPOS}", train=CONLLU)
    examples = data.splits["train"].examples
    assert examples[0].texts == ("Vamos nos a el mar .",)
    assert examples[0].answer == ("VERB", "PRON", "ADP", "DET", "NOUN", "PUNCT")
    assert [e.line for e in examples] == [4, 14, 19]
    message = "lines of several words in one or of words that are not in the text, left out: 3"
    assert notices(data) == [f"3: {message}"]


def test_ranges_are_words_where_the_first_column_is_used_or_does_not_count(read: Read) -> None:
    data = read(*NER, train="1\tO\n3-4\tB-x\n8.1\tO\n")
    assert data.splits["train"].examples[0].texts == ("1 3-4 8.1",)
    data = read("kind: labelling", "format: conll", "columns: {token: 1, tag: 2}", train="x\ta\tO\n3-4\tb\tB-x\n")
    assert data.splits["train"].examples[0].texts == ("a b",)


def test_raw_text(read: Read) -> None:
    data = read("kind: masked_lm", "format: conll", train=CONLLU)
    assert [e.texts for e in data.splits["train"].examples] == [("Vámonos al mar.",), ("Bien.",), ("No.",)]
    data = read("kind: next_sentence", "format: conll", train=CONLLU)
    assert [e.texts for e in data.splits["train"].examples] == [("Vámonos al mar.", "Bien."), ("No.",)]
    content = "-DOCSTART- O\n\na O\nb O\n\nc O\n\n-DOCSTART- O\n\nd O\n"
    columns = ("format: conll", "columns: {token: 0}")
    data = read("kind: next_sentence", *columns, train=content)
    assert [e.texts for e in data.splits["train"].examples] == [("a b", "c"), ("d",)]
    assert len(read(*NER, train=content.replace("a O", "a B-x")).splits["train"].examples) == 3
    data = read("kind: masked_lm", *columns, language="zh", train="我 O\n爱 O\n")
    assert [e.texts for e in data.splits["train"].examples] == [("我爱",)]
    data = read("kind: masked_lm", "format: conll", train="a O\n\n# text = b\nb O\n")
    assert faults(data) == ["1: no comment '# text =' in this sentence; columns: {token: 1} joins the tokens instead"]
    assert data.splits["train"].skipped == {"no text": 1}


def test_lines_with_too_few_columns(read: Read) -> None:
    data = read(*NER, train="a\tB-x\nb\n\nc\tO\n")
    assert faults(data) == ["2: 1 cell; expected 2, as 2 of 3 lines have; the line is 'b'"]
    assert (len(data.splits["train"].examples), data.splits["train"].skipped) == (1, {"wrong number of cells": 1})
    data = read(*NER, "on_bad_row: skip", train="a\tB-x\nb\n\nc\tO\nd\tB-x\n")
    assert (faults(data), data.splits["train"].skipped.total()) == ([], 1)
    data = read(*NER, train="a\tB-x\nb\t\n\nc\tO\n\n\tO\n")
    assert faults(data) == [
        "2: the tag of word 1 (from 0) is empty; expected a string or a whole number",
        "6: the word 0 (from 0) is empty",
    ]


def test_every_word_has_as_many_cells_as_the_others(read: Read) -> None:
    content = "a\tb\tO\nc d\tO\n\ne\tf\tO\tx\n\ng\th\tB-x\n"
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}", "metric: accuracy")
    data = read(*lines, train=content)
    assert faults(data) == [
        "2: 2 cells; expected 3, as 2 of 4 lines have; the line is 'c d O'",
        "4: 4 cells; expected 3, as 2 of 4 lines have; the line is 'e f O x'",
    ]
    data = read(*lines, "extra_cells: drop", train=content)
    assert faults(data) == []
    assert notices(data) == ["4: words with more cells than the 3 of most (extra_cells: drop): 1"]
    assert [len(example.words) for example in data.splits["train"].examples] == [2, 1, 1]
    data = read(*NER, train="New York B-x\nis O\nbig O\n")  # a space within a word
    assert faults(data) == ["1: 3 cells; expected 2, as 2 of 3 lines have; the line is 'New York B-x'"]
    data = read("kind: labelling", "format: conll", "columns: {token: 0, tag: 5}", train="a\tO\n")
    assert faults(data)[0] == "1: 2 cells; expected 6 or more; the line is 'a O'"


def test_words_with_a_hash_in_the_first_sentence(read: Read) -> None:
    content = "#a\tO\n\n#b\tB-x\nc\tO\n# a note\nd\tO\n\n#e\n"
    data = read(*NER, train=content)
    assert [e.texts[0] for e in data.splits["train"].examples] == ["#a", "#b c d"]
    data = read(*NER, train="#x\tO\n#y\tB-x\n\n#z\tO\n")
    assert [e.texts[0] for e in data.splits["train"].examples] == ["#x #y", "#z"]
    data = read(*NER, train="a\tO\n#b\tO\tO\nc\tB-x\n")
    assert faults(data) == ["2: 3 cells; expected 2, as 2 of 2 lines have; the line is '#b O O'"]
    data = read(*NER, train="a O\nb B-x\n", test="#b\nc\n\n#d e\n")
    assert [e.texts[0] for e in data.splits["test"].examples] == ["#b c"]


def test_a_file_without_blank_lines(read: Read) -> None:
    long = "".join(f"w{n}x O\n" for n in range(199)) + "y B-x\n"
    message = "no blank line in the file, so that its 200 words are one sentence; expected a blank line after each"
    assert notices(read(*NER, train=long)) == [f"1: {message} sentence"]
    assert notices(read(*NER, train=long + "\n" + long)) == []
    assert notices(read(*NER, train=long.partition("\n")[2])) == []


def test_tokens_within_cells(read: Read) -> None:
    content = "I1 O\nam2 B-x\n\nyou3 O\n"
    data = read(*NER, "pattern: '(.+?)[0-9]'", train=content)
    assert [e.texts[0] for e in data.splits["train"].examples] == ["I am", "you"]
    lines = ("kind: masked_lm", "format: conll", "columns: {token: 0}", "pattern: '(.+?)[0-9]'")
    assert [e.texts for e in read(*lines, train=content).splits["train"].examples] == [("I am",), ("you",)]
    message = "the token 'x' does not match the pattern '(.+?)[0-9]'"
    assert faults(read(*lines, train=content + "x O\n")) == [f"5: {message}"]
    assert faults(read(*NER, "pattern: '(.+?)[0-9]'", train=content + "x O\n")) == [f"5: {message}"]


def test_tags_that_are_not_known(read: Read) -> None:
    lines = ("kind: labelling", "format: conll", "columns: {token: 0, tag: 1}", "metric: accuracy")
    data = read(*lines, train="a A\nb B\n", test="a _\nb _\n\nc _\n")
    assert [example.answer for example in data.splits["test"].examples] == [None, None]
    message = "sentences whose tags are all '_', which says that they are not known: 2, the first one here"
    assert (faults(data), notices(data, "test")) == ([], [f"1: {message}"])
    data = read(*lines, train="a A\nb B\n", valid="a _\nb _\n")
    assert faults(data) == ["1: no tags; expected one a word"]
    data = read(*lines, train="a A\nb _\n", test="a _\nb _\n")  # here it is a tag
    assert data.splits["test"].examples[0].answer == ("_", "_")


def test_a_test_split_without_tags(read: Read) -> None:
    data = read(*NER, train="a\tO\nb\tB-x\n", test="a\nb\n\nc\n")
    assert [(e.texts, e.answer) for e in data.splits["test"].examples] == [(("a b",), None), (("c",), None)]
    data = read(*NER, train="a\tO\nb\tB-x\n", test="a\tO\n\nc\n")
    assert faults(data) == ["3: no tag, though other rows of the split have one; expected one of: O, B-x"]


def test_columns_by_name(read: Read) -> None:
    content = "# global.columns = FORM NER\na\tO\nb\tB-x\n"
    data = read("kind: labelling", "format: conll", "columns: {token: FORM, tag: NER}", train=content)
    assert data.splits["train"].examples[0].answer == ("O", "B-x")
    data = read("kind: labelling", "format: conll", "columns: {token: FORM, tag: UPSO}", train=CONLLU)
    assert faults(data) == ["3: no column of the name 'UPSO'; give its number from 0; did you mean 'UPOS'?"]


def test_broken_bytes_leave_out_their_sentence(read: Read) -> None:
    data = read(*NER, train=b"a\tO\nb\xff\tO\n\nc\tO\nd\tB-x\n")
    assert len(data.splits["train"].examples) == 1
    assert faults(data)[0].startswith("2: not UTF-8: the byte 0xff at column 2")


def test_labels_are_the_tags_of_train_with_o_first(read: Read) -> None:
    data = read(*NER, "metric: accuracy", "label_map: {'-': O, Z: B-x}", train="a\tA\nb\t-\nc\tZ\n", valid="a\tnew\n")
    assert data.labels == ("O", "A", "B-x")
    assert data.splits["train"].examples[0].answer == ("A", "O", "B-x")
    message = "words with a tag that never occurs in train, so that no prediction can be right: 1, the first one here"
    assert (faults(data), notices(data, "valid")) == ([], [f"1: {message} ('new')"])
    assert data.splits["valid"].examples[0].answer == ("new",)
    data = read(*NER, "labels: [O, B-x]", train="a\tO\n", valid="a\tO\nb\tB-y\n")
    assert faults(data) == ["2: unknown tag 'B-y'; did you mean 'B-x'?"]
    data = read(*NER, "drop_labels: [B-y]", train="a\tO\nc\tB-x\n\na\tO\nb\tB-y\n")
    assert data.splits["train"].skipped == {"dropped label 'B-y'": 1}


def test_schemes(read: Read) -> None:
    data = read(*NER, "scheme: bmes", train="a\tB-x\nb\tI-x\n")
    assert faults(data)[0] == "2: the tag 'I-x' is not of the scheme bmes; expected O, B-TYPE, M-TYPE, E-TYPE, S-TYPE"
    data = read(*NER, train="a\tI-x\nb\tI-x\nc\tO\nd\tB-y\ne\tI-x\n")
    note = "words tagged I- after neither B- nor I- of their type (lenient: true lets them begin an entity)"
    assert notices(data) == [f"1: {note}: 2, the first one here"]


def test_gzip(read: Read, tmp_path: Path) -> None:
    import gzip

    packed = gzip.compress(b"a\tO\nb\tB-x\n")
    assert read(*NER, suffix=".gz", train=packed).splits["train"].examples[0].texts == ("a b",)
    assert "not a whole gzip file" in faults(read(*NER, suffix=".gz", train=packed[:-9]))[0]
    assert "not a whole gzip file" in faults(read(*NER, suffix=".gz", train=b"a\tO\n"))[0]
