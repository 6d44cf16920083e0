"""What counts of an answer's text: its tokens without case, punctuation and articles.

English follows the official script of SQuAD, every other language that of MLQA (Lewis et al. 2020), which differs in
removing all of Unicode's punctuation, in the articles, and in taking each Chinese character for a token.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache

from skill_plugin.spec.languages import UNSPACED_CHARACTER, primary_language, uses_spaces

_ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
    "ar": "ال",  # MLQA's expression has a second branch, which can never match
}
_MLQA_HAN = "[\u4e00-\u9fa5]"


def answer_tokens(text: str, language: str) -> list[str]:
    """Tokens of an answer that are compared.

    In languages written without spaces each character of their scripts is a token, other runs (Latin words, numbers)
    are cut at spaces; in all others tokens stand between spaces.

    Args:
        text: as predicted, or gold.
        language: its code, in any spelling that ``spec.languages`` knows.
    """
    without_spaces, language = not uses_spaces(language), primary_language(language)
    text = "".join(character for character in text.lower() if not _is_punctuation(character, language == "en"))
    if language in _ARTICLES:
        text = re.sub(_ARTICLES[language], " ", text)
    if without_spaces:
        text = re.sub(f"({_MLQA_HAN if language == 'zh' else UNSPACED_CHARACTER})", r" \1 ", text)
    return text.split()


@lru_cache(maxsize=4096)
def _is_punctuation(character: str, ascii_only: bool) -> bool:
    return character in string.punctuation or (not ascii_only and unicodedata.category(character)[0] == "P")
