"""Checks whether a tokenizer's offsets can be trusted, since answers and words are cut out of texts with them."""

from __future__ import annotations

import re
import unicodedata

from skill_plugin.text.tokenizer import IntArray, Tokenizer

# Scripts with and without spaces, capitals, marks above and below letters, single characters that stand for several
# letters, and characters beyond the basic plane.
TEXTS = (
    "Vandaag woont Jan in Groningen, aan zee (Utrecht).",
    'It\'s 3.50 $ — or 1,000 %: "A/B" #5!',
    "Die Straße überquert İstanbul; ﬁn, cafe\u0301 à la crème, Việt Nam tiếng",
    "Ελληνικά Привет, Ёлка Їжак ქართული Հայերեն አማርኛ",
    "العَرَبِيَّة ﷺ עִבְרִית فارسی اردو",
    "हिन्दी में বাংলা தமிழ் ภาษาไทย ພາສາລາວ မြန်မာ ខ្មែរ",
    "我爱北京。今天 日本語をカタカナ、ﾊﾟｿｺﾝ ＡＢＣ 한국어를",
    "🙂 cat  dog 𝒳 𠀀 👩\u200d🔬",
)
_WORD = re.compile(r"\S+")


def check_offsets(tokenizer: Tokenizer) -> str | None:
    """Says which letter, digit or sign of ``TEXTS`` the tokenizer's offsets leave out; None if they leave out none."""
    words = [word for text in TEXTS for word in _WORD.findall(text)]
    found = [(text, encoding.offsets) for text, encoding in zip(TEXTS, tokenizer.encode_batch(TEXTS), strict=True)]
    found += zip(words, (one.offsets for one in tokenizer.encode_batch(words, continuing=True)), strict=True)
    for text, offsets in found:
        if lost := _first_left_out(text, offsets):
            start, end = lost
            word = next(match.group() for match in _WORD.finditer(text) if match.end() > start)
            return (
                f"the tokenizer's offsets leave out {text[start:end]!r} of {word!r}; answers of span and tags of "
                "labelling would lose such characters"
            )
    return None


def _first_left_out(text: str, offsets: IntArray) -> tuple[int, int] | None:
    """The first run of visible characters that are in no range. Marks do not count, since normalisers drop them."""
    covered = {place for start, end in offsets.tolist() for place in range(start, end)}
    lost = [unicodedata.category(c)[0] in "LNPS" and place not in covered for place, c in enumerate(text)]
    if not any(lost):
        return None
    start = lost.index(True)
    return start, next((place for place in range(start, len(text)) if not lost[place]), len(text))
