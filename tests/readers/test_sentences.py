from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_plugin.readers.sentences import split_sentences

TEXTS = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from('.!?。！V\n\r\u2028\u00a0 "“”()[]1aA-*…')), max_size=80
)


def ink(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=500)
@given(TEXTS, st.sampled_from(["en", "de", "es", "zh", "zh-TW", "cs", "ja", "th", "hi", "qq", ""]))
def test_no_text_is_lost(text: str, language: str) -> None:
    sentences = split_sentences(text, language)
    assert ink("".join(sentences)) == ink(text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)
    assert all(len(sentence.splitlines()) == 1 for sentence in sentences)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            ["Dr. Smith went to Washington on Jan. 5.", "He paid $5.50.", 'He said: "Hello!"', "Then he left... What?"],
        ),
        ("de", ["Am 5. Mai fuhr Dr. Müller z. B. nach Berlin.", "Er kam an.", "Das kostet 5,50 €."]),
        ("es", ["¿Qué tal?", "El Sr. García vive en EE. UU. desde 1990.", "¡Hola!"]),
        ("cs", ["Dne 5. května přijel Dr. Novák.", "To je např. pes.", "Kdo?", "Já!"]),
        ("qq", ["Hello there.", "How are you?", "Fine."]),
    ],
)
def test_sentences_of_a_paragraph(language: str, sentences: list[str]) -> None:
    found = split_sentences(" ".join(sentences), language)
    assert " ".join(found) == " ".join(sentences)
    assert set(sentences[:2]) <= set(found)


def test_chinese_with_a_region() -> None:
    text = "今天天气很好。我们去公园吧！你去吗？价格是3.5元；很贵。"
    expected = ("今天天气很好。", "我们去公园吧！", "你去吗？", "价格是3.5元；很贵。")
    assert split_sentences(text, "zh") == split_sentences(text, "zh_TW") == expected


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u202f", "\u2005"])
@pytest.mark.parametrize("language", ["en", "de", "ru", "ja", "qq"])
def test_wide_spaces_do_not_stop_the_library(space: str, language: str) -> None:
    assert split_sentences(f"Kapitel V{space}. Ende.", language)[0].startswith(f"Kapitel V{space}.")
    assert ink("".join(split_sentences(f"A{space}.{space}B. c", language))) == "A.B.c"


def test_a_panic_of_the_library_leaves_a_line_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(code: str, line: str) -> list[str]:
        raise PanicException if line == "A. B." else KeyboardInterrupt

    monkeypatch.setattr("sentencex.segment", panic)
    assert split_sentences("A. B.", "en") == ("A. B.",)
    with pytest.raises(KeyboardInterrupt):
        split_sentences("stop", "en")


def test_lines_end_sentences() -> None:
    text = "A title without a sign\r\nA sentence that\nis broken.  Another.\n\n \u2028New"
    assert split_sentences(text, "en") == ("A title without a sign", "A sentence that", "is broken.", "Another.", "New")
    assert split_sentences("", "en") == split_sentences(" \n\u3000", "en") == ()
