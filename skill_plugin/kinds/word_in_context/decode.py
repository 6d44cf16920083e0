"""Compares words: ``python decode.py WORD TEXT WORD [TEXT]``. Lies beside the model, texts.py and model.py."""
import sys
from collections.abc import Sequence

import numpy as np
from model import run
from texts import how, join, kept, library
from tokenizers import Encoding

def answer(texts: Sequence[str], words: Sequence[tuple[int, int]]) -> tuple[dict[str, float], np.ndarray]:
    """The probability of each label, of a word of the first text and one of the last, by characters; and the logits."""
    found, places = [library.encode(text, add_special_tokens=False) for text in texts], [0, len(texts) - 1]
    firsts = [first(texts[place], found[place], *word) for place, word in zip(places, words, strict=True)]
    near = []
    for number, size in enumerate(kept(*map(len, found))):  # pieces next to the words are kept, in their order
        own = [one for place, one in zip(places, firsts, strict=True) if place == number]
        near.append(sorted(sorted(range(len(found[number])), key=lambda at: min(abs(at - one) for one in own))[:size]))
    ids, types = join(*([one.ids[at] for at in rows] for one, rows in zip(found, near, strict=True)))
    starts = [1, 1 + len(near[0]) + how["separators"]]
    at = [starts[place] + sum(one < own for one in near[place]) for place, own in zip(places, firsts, strict=True)]
    at = [min(one, starts[place] + len(near[place]) - 1) for one, place in zip(at, places, strict=True)]
    logits = run([(ids, types)], words=np.array([at], np.int64)).astype(np.float64)
    shares = np.exp(logits[0] - logits.max()) / np.exp(logits[0] - logits.max()).sum()
    return dict(zip(how["labels"], shares.tolist(), strict=True)), logits

def first(text: str, found: Encoding, start: int, end: int) -> int:
    """The first piece that has a visible character of a word; else the one that follows."""
    tokens = zip(found.tokens, found.offsets, strict=True)
    ink = [(a, b if token.strip("\u2581\u0120 ") else a) for token, (a, b) in tokens]
    ink = [(b - len(text[a:b].lstrip()), a + len(text[a:b].rstrip())) for a, b in ink]
    touching = (at for at, (a, b) in enumerate(ink) if max(a, start) < min(b, end))
    return next(touching, max(0, min(sum(a < start for a, _ in ink), len(ink) - 1)))

if __name__ == "__main__":
    texts, words = sys.argv[2::2], sys.argv[1::2]
    starts = [texts[place].index(word) for place, word in zip((0, -1), words, strict=True)]
    places = [(start, start + len(word)) for start, word in zip(starts, words, strict=True)]
    print(*[f"{label}\t{share:.4f}" for label, share in answer(texts, places)[0].items()], sep="\n")
