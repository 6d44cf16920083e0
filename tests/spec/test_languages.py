"""A language is the same one however its code is written, in joining, splitting, answers and sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.kinds.span.metric import Span
from skill_plugin.spec import parse_corpora_file, read_corpora_file
from skill_plugin.spec.languages import is_language, is_mostly_unspaced, primary_language, uses_spaces

CHINESE = ("zh", "ZH", "zho", "ZHO", "chi", "cmn", "cn", "zh_TW", "zh-Hant", "zh-hant-HK", "zh-cmn", "cmn-Hans_CN")
ENGLISH = ("en", "EN", "eng", "ENG", "en_US", "en-GB", "eng-Latn")


def join_of(language: str) -> str:
    text = (
        f"languages: [{language}]\ncorpora:\n  a:\n    kind: labelling\n    language: {language}\n    format: conll\n"
        "    columns: {token: 0, tag: 1}\n    train: a.txt\n"
    )
    return parse_corpora_file(text, Path("corpora.yaml")).corpora["a"].join


@pytest.mark.parametrize("code", CHINESE)
def test_every_code_of_chinese(code: str) -> None:
    assert (primary_language(code), uses_spaces(code), is_language(code)) == ("zh", False, True)
    assert join_of(code) == "none"
    metric = Span("f1", code)
    state = np.zeros(metric.size)
    metric.count(state, ["北京"], [["北京市中"]], [0])
    assert metric.value(state) == pytest.approx(2 / 3)  # 2 of 2 and 2 of 4 characters


@pytest.mark.parametrize("code", ENGLISH)
def test_every_code_of_english(code: str) -> None:
    assert (primary_language(code), uses_spaces(code), is_language(code)) == ("en", True, True)
    assert join_of(code) == "space"
    metric = Span("exact_match", code)
    state = np.zeros(metric.size)
    metric.count(state, ["the “End”"], [["an “end”"]], [0])  # articles go, and no signs but those of ASCII
    metric.count(state, ["End"], [["“end”"]], [1])
    assert metric.value(state) == 0.5


def test_other_languages() -> None:
    assert [primary_language(code) for code in ("deu", "GER", "nob", "jpn", "jp", "yue", "arb")] == [
        *("de", "de", "nb", "ja", "ja", "yue", "ar")
    ]
    unspaced = ("ja", "th", "tha", "lo", "km", "khm", "my", "mya", "bur", "bo", "dz", "yue", "wuu", "lzh", "zh-yue")
    assert not any(map(uses_spaces, unspaced))
    assert all(map(uses_spaces, ("ko", "kor", "vi", "ar", "hi", "zh-Latn", "sr-Latn", "de-AT-1996", "")))
    assert [primary_language(code) for code in ("zh-classical", "Klingonese", "q_9")] == ["zh", "klingonese", "q"]
    assert not any(map(is_language, ("xx", "klingonese", "q_9", "")))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["", "zh-", "x-", "i_", "und-", "-"]))
def test_any_name_may_be_asked_about(name: str, before: str) -> None:
    code = before + name
    assert primary_language(code) == primary_language(code.lower())
    assert uses_spaces(code) or is_language(code)  # an unknown one has spaces


def test_scripts_without_spaces() -> None:
    assert all(map(is_mostly_unspaced, ("王先生住在 A 1", "ไม่มีช่องว่าง", "ひらがな", "မြန်မာ", "ភាសាខ្មែរ")))
    assert not any(map(is_mostly_unspaced, ("Peking (北京) 1", "한국어 漢字", "हिन्दी", "123 。", "")))


def test_the_case_of_codes(shared: Path) -> None:
    folder = shared / "cases/09-iso-639-3"
    for name in ("zh", "zho", "cmn", "cn"):
        spec = read_corpora_file(folder / f"{name}.yaml")
        report = check_corpora(spec)
        assert (report.faults, spec.corpora["ner"].join, spec.languages) == ([], "none", (name,))
        assert not any("spaces" in notice.fault.message for notice in report.notices)


def test_an_unknown_code_is_told_where_texts_have_no_spaces(shared: Path) -> None:
    folder = shared / "cases/09-iso-639-3"
    told = {}
    for code in ("xx", "en"):
        text = (folder / "zh.yaml").read_text(encoding="utf-8").replace("zh", code)
        notices = check_corpora(parse_corpora_file(text, folder / "zh.yaml")).notices
        told[code] = [(n.corpus, n.fault.line, n.fault.message) for n in notices if "spaces" in n.fault.message]
    for code, what in (("xx", "is unknown and taken to have them"), ("en", "has them")):
        message = (
            f"most letters are of scripts without spaces between words, but the language {code!r} {what}; expected a "
            "code such as zh, ja or th"
        )
        assert told[code] == [("ner", 4, message), ("qa", 12, message)]
