"""Random texts of words in many scripts, and of what looks like something else."""

from __future__ import annotations

from tests.random_corpora.drawn import Drawn

WORDS = [
    "the", "cat", "sat", "mat", "dog", "Straße", "läuft", "niño", "manzana", "北京", "天气", "很好", "이것은", "книга",
    "كتاب", "किताब", "ภาษาไทย", "12345", "U.S.", "el.", "a,b", "c;d", "🙂", "x|y", "don't", "'so'", "#", "<s>",
    "</s>", "<mask>", "[CLS]", "[SEP]", "\u00a0", "e\u0301", "ＡＢ", "-DOCSTART-", "null", "N/A", "0", "1", "nan",
]  # fmt: skip


def any_text(drawn: Drawn, least: int = 0) -> str:
    """A text of ``least`` words or more, one in fifty very long, one in seven with a sign that files may mangle."""
    rng = drawn.rng
    words = [rng.choice(WORDS) for _ in range(rng.choice([least, 3, 8, 8, 8, 20]))]
    if rng.random() < 0.02:
        words *= 100
    text = " ".join(words)
    if rng.random() < 0.15:
        odd = ['"', "'", "\u2028", "\u200b", "\u3000", "\\", "\x85" if drawn.encoding != "gb18030" else "\u2029"]
        odd += ["\n", "\t", drawn.separator] if drawn.quoted else []
        text += rng.choice(odd) + rng.choice(WORDS)
    return text


def plain_text(drawn: Drawn) -> str:
    """A text that is the words that ``split`` gives, with one space between them."""
    rng = drawn.rng
    words = [rng.choice(WORDS) for _ in range(rng.choice([2, 6, 12]))]
    return " ".join([word for word in words if word.strip("\u00a0")] or ["word"]).strip()
