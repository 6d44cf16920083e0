"""Random corpora files with random raw files, and their rows counted by the standard library alone.

What people's files hold is all there: every kind in every format that it can be read from, scripts of many languages,
empty and long texts, quotes, line ends of three sorts, byte order marks, other encodings, compressed files, headers or
none, labels that look odd, and, in one corpus of three, something that is broken.

A new kind is a function of ``rows``, a new format one of ``formats``, a new key a line of ``section``.
"""

from tests.random_corpora.raw_files import PACKERS
from tests.random_corpora.write import Made, write_random_corpora

__all__ = ["PACKERS", "Made", "write_random_corpora"]
