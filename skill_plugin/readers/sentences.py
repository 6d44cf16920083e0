"""A document to its sentences, by rules that hold for most scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

# sentence ends of scripts with spaces (Latin, Cyrillic, Arabic, Devanagari, Armenian, Ethiopic …) need white space
# behind them; those of Chinese and Japanese do not. Quotes and brackets that close belong to the sentence.
_CLOSING = "[\"'”’»)\\]}」』）】》〉]*"
_END = re.compile(f"(?:[.!?…؟۔।॥։።፧]+{_CLOSING}(?=\\s)|[。！？｡]+{_CLOSING}|\\n)")
_INITIAL = re.compile(r"(?:^|[\s(])(?:\w|Dr|Mr|Mrs|Ms|St|Prof|Nr|Sr|Sra|vs|cf|etc|bzw|z\.B|e\.g|i\.e|[0-9]{1,3})\.$")


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text, without outer space; a line end is always a border.

    Only a pre-training task of sentence order uses this: a wrong border now and then does no harm.

    >>> list(split_sentences("It rained. We met Mr. Smith!\\n他走了。我没有。"))
    ['It rained.', 'We met Mr. Smith!', '他走了。', '我没有。']
    """
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        following = text[end : end + 2].strip()[:1]
        if text[end - 1] != "\n" and (
            following.islower() or (text[end - 1] == "." and _INITIAL.search(text, max(start, end - 8), end))
        ):
            continue
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end
    if text[start:].strip():
        yield text[start:].strip()
