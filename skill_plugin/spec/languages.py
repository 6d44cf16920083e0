"""What is known of a language by its code: which one it is, and whether its words have spaces between them.

Codes are those of ISO 639-1 and 639-3 and of BCP 47, with ``-`` or ``_`` and in any case: ``zh``, ``zho``, ``cmn``,
``zh_TW`` and ``ZH-hant`` are one language. The tables are those of IANA and Unicode's CLDR, through ``langcodes``. What
a corpora file writes stays the name of the language skill and of the language in tables.
"""

from __future__ import annotations

import re
from functools import lru_cache

from langcodes import Language, standardize_tag
from langcodes.tag_parser import LanguageTagError

# codes of countries that are written for the language, and are no language's code
_COUNTRIES = {"cn": "zh", "jp": "ja", "kr": "ko", "cz": "cs", "dk": "da"}
_SCRIPTS_WITHOUT_SPACES = frozenset(
    ("Hani", "Hans", "Hant", "Hanb", "Bopo", "Jpan", "Hrkt", "Hira", "Kana")
    + ("Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Lana", "Tale", "Talu")
)
# their characters: Han with its extensions, kana, Thai, Lao, Khmer, Burmese, Tibetan and their relatives
UNSPACED_CHARACTER = (
    "[\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
    "\u0e00-\u0e7f\u0e80-\u0eff\u0f00-\u0fff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff\u1950-\u19df"
    "\u1a20-\u1aaf]"
)
_UNSPACED = re.compile(UNSPACED_CHARACTER)


def primary_language(code: str) -> str:
    """The language alone, by its shortest code; what is no code of a language is given back in lower case.

    >>> [primary_language(code) for code in ("zh_TW", "cmn", "CN", "deu", "en-US", "yue", "qq")]
    ['zh', 'zh', 'zh', 'de', 'en', 'yue', 'qq']
    """
    return _known(code)[0]


def uses_spaces(code: str) -> bool:
    """Whether words have spaces between them, by the script of the language; of an unknown one they have.

    >>> [uses_spaces(code) for code in ("de", "ko", "zh_TW", "tha", "zh-Latn", "qq")]
    [True, True, False, False, True, True]
    """
    return _known(code)[1] not in _SCRIPTS_WITHOUT_SPACES


def is_language(code: str) -> bool:
    """Whether the code is one of a language."""
    return _known(code)[2]


def is_mostly_unspaced(text: str) -> bool:
    """Whether most letters of a text are of scripts that are written without spaces."""
    letters = sum(character.isalpha() for character in text)
    return 2 * len(_UNSPACED.findall(text)) > letters


@lru_cache(maxsize=1024)
def _known(code: str) -> tuple[str, str | None, bool]:
    """The language, its likeliest script where the code says none, and whether it is one."""
    first, *rest = re.split("[-_]", code.strip().lower())
    tag = "-".join([_COUNTRIES.get(first, first), *rest])
    for attempt in (tag, tag.partition("-")[0]):  # what follows may be the user's own: zh-classical
        try:
            language = Language.get(standardize_tag(attempt, macro=True))
        except LanguageTagError:
            continue
        return language.language or first, language.maximize().script, Language.make(language.language).is_valid()
    return first, None, False
