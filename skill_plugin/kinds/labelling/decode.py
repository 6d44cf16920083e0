"""Tags words: ``python decode.py TEXT…``. Lies beside the model, texts.py and model.py, and needs regex."""
import sys

import numpy as np
import regex
from model import run
from texts import how, join, library

LEAD = "\ue000"  # of no text: behind it a word that becomes a space and a mark, as ¨, keeps the space

def pieces(word: str, before: str) -> tuple[list[int], int]:
    """Ids of a word's pieces, and which of them is its first visible one."""
    if how["spaced"]:
        encoded = library.encode(before + word, add_special_tokens=False)
        found = list(zip(encoded.ids, encoded.tokens, strict=True))
    else:  # as in the middle of a text, with no space before it
        plain = library.normalizer.normalize_str(LEAD + word) if library.normalizer else word
        plain = plain[plain.find(LEAD) + 1 :]  # all of it where the lead is taken for nothing
        found = [(token.id, token.value) for token in library.model.tokenize(plain.strip())]
    seen = (place for place, (_, token) in enumerate(found) if token.strip("\u2581\u0120 "))
    return ([one for one, _ in found], next(seen, 0)) if found else ([how["unk"]], 0)

def tag(text: str | list[str]) -> tuple[list[tuple[str, str]], np.ndarray]:
    """The words of a text (or words) with their tags, and logits [words, tags]; in windows with most context."""
    words = [match.group() for match in regex.finditer(how["words"], text)] if isinstance(text, str) else text
    found = [pieces(word, " " if number else "") for number, word in enumerate(words)]
    ids, room = [one for own, _ in found for one in own], how["room"]
    firsts = [sum(len(own) for own, _ in found[:number]) + first for number, (_, first) in enumerate(found)]
    stride = min(how["stride"] or max(1, room // 2), room)
    bounds = [(at * stride, at * stride + room) for at in range(1 + max(0, -((room - len(ids)) // stride)))]
    bounds = [(start, min(end, len(ids))) for start, end in bounds]
    logits = run([join(ids[a:b]) for a, b in bounds])
    best = [max(range(len(bounds)), key=lambda w: min(at - bounds[w][0], bounds[w][1] - 1 - at)) for at in firsts]
    rows = [logits[w][1 + at - bounds[w][0]] for w, at in zip(best, firsts, strict=True)]
    tags = [how["labels"][int(row.argmax())] for row in rows]
    return list(zip(words, tags, strict=True)), np.array(rows).reshape(len(rows), len(how["labels"]))

if __name__ == "__main__":
    print(*["\t".join(map("/".join, tag(text)[0])) for text in sys.argv[1:]], sep="\n")
