"""The report for people: short, within 120 columns, coloured on a terminal only."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checking.lengths import Histogram
from skill_plugin.report.check_table import WIDTH, draw_sparkline, fit_items, print_report
from skill_plugin.spec import read_corpora_file
from skill_plugin.text.tokenizer_files import open_tokenizer

Command = Callable[..., tuple[int, str, str]]


def printed(file: Path, tokenizer: Path | None = None, terminal: bool = False) -> str:
    report = check_corpora(read_corpora_file(file), None if tokenizer is None else open_tokenizer(tokenizer))
    out = io.StringIO()
    print_report(report, Console(file=out, width=200, force_terminal=terminal, highlight=False, legacy_windows=False))
    return out.getvalue()


@pytest.mark.parametrize("with_tokens", [False, True])
def test_the_eleven_corpora_fit(with_tokens: bool, shared: Path, sentencepiece_model: Path) -> None:
    file = shared / "corpora/skillnet_x.yaml"
    out = printed(file, sentencepiece_model if with_tokens else None)
    table = out.split("\n\n", 1)[0].splitlines()
    splits = sum(len(corpus.sources) for corpus in read_corpora_file(file).corpora.values())
    assert len(table) == 2 + splits  # a line a split
    assert max(map(len, table)) <= WIDTH
    assert sum(line.endswith("… of 15") or "… of 15 " in line for line in table) == 2  # tnews


@given(st.lists(st.text("ab", min_size=1, max_size=8), min_size=1, max_size=30), st.integers(20, 80))
def test_as_many_items_as_fit(items: list[str], width: int) -> None:
    text = fit_items("", items, "labels", width)
    assert len(text) <= width
    if text != ", ".join(items):
        shown = [item for item in text.removesuffix(f", … of {len(items)}").split(", ") if not item.endswith("labels")]
        assert items[: len(shown)] == shown
        longer = f"{', '.join(items[: len(shown) + 1])}, … of {len(items)}"
        assert len(longer) > width or len(shown) + 1 == len(items)


@given(st.lists(st.integers(0, 3000), min_size=1))
def test_a_bar_for_every_bin_that_holds_something(values: list[int]) -> None:
    histogram = Histogram.of(values)
    line = draw_sparkline(histogram, histogram.edges)
    assert len(line) == len(histogram.counts)
    assert [bar != " " for bar in line] == [count > 0 for count in histogram.counts]
    assert line[histogram.counts.index(max(histogram.counts))] == "█"


def corpora_file(folder: Path, kind: str, columns: str) -> Path:
    section = f"kind: {kind}, language: en, skills: [s], format: tsv, columns: {{{columns}}}, train: a.tsv"
    text = f"languages: [en, sw]\nskills: {{s: on}}\ncorpora:\n  a: {{{section}}}\n"
    (folder / "c.yaml").write_text(text, encoding="utf-8")
    return folder / "c.yaml"


@pytest.mark.parametrize(
    ("kind", "columns", "rows", "line"),
    [
        ("classification", "text_a: a, label: l", "x\tyes\ny\tno\nz\tno\n", "3        0  no 2, yes 1"),
        ("classification", "text_a: a, label: l", "x\t[b]yes\ny\tno\n", "2        0  [b]yes 1, no 1"),  # no markup
        ("multilabel", "text_a: a, label: l", "x\tp,q\ny\t\nz\tq\n", "3        0  1 without: p 1, q 2"),
        ("regression", "text_a: a, score: l", "x\t0\ny\t5\n", "2        0  score 0 to 5, mean 2.5"),
        (
            "ranking",
            "text_a: a, text_b: a, label: l",
            "x\t0\ny\t1\n",
            "2        0  2 candidates (1·1·1), 1 no relevant",
        ),
        ("labelling", "token: a, tag: l", "x y\tB-P O\nz\tB-Q\n", "2        0  3 words: P 1, Q 1"),
        ("span", "question: a, context: a, answers: l", "x y\tx\ny\t[]\n", "2        0  1 answered, 1 without answer"),
        ("masked_lm", "text: a", "abc\t\nde\t\n", "2        0  5 characters"),
        ("next_sentence", "text: a", "A cat. A dog.\t\n", "1        0  2 sentences, 12 characters"),
    ],
)
def test_what_each_kind_holds(kind: str, columns: str, rows: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(f"a\tl\n{rows}")
    assert line in printed(corpora_file(tmp_path, kind, columns))


def test_labels_of_a_head_in_two_languages(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tl\nx\tyes\ny\tno\nz\tno\n")
    (tmp_path / "b.tsv").write_text("a\tl\nx\tyes\n")
    file = corpora_file(tmp_path, "classification", "text_a: a, label: l")
    assert "labels of" not in printed(file)
    file.write_text(file.read_text() + "  b: {as: a, language: sw, test: b.tsv}\n")
    lines = [line.split() for line in printed(file).split("\n\n")[1].splitlines()]
    assert lines == [["labels", "of", "en", "sw"], ["a", "train", "test"], ["no", "2", "0"], ["yes", "1", "1"]]


def test_colour_is_for_terminals(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tl\nx\tyes\nx\tyes\ny\tno\n")
    file = corpora_file(tmp_path, "classification", "text_a: a, label: l")
    assert "\x1b[" in printed(file, terminal=True)
    assert "\x1b[" not in printed(file)


def test_the_same_files_give_the_same_report(shared: Path, command: Command) -> None:
    first, again = (command("check", shared / "corpora/skillnet_x_new.yaml", "--json") for _ in range(2))
    assert first == again
    assert first[0] == 0
