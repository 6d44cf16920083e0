"""Answers: ``python decode.py QUESTION CONTEXT``. Lies beside the model, texts.py and model.py."""
import sys
from unicodedata import category

import numpy as np
from model import run
from texts import how, join, library, pieces

def answer(question: str, context: str) -> tuple[list[tuple[int, int, float]], np.ndarray]:
    """Start, end and score of up to five answers, the given one first, (0, 0) is none; logits of all windows [U, 2]."""
    asked = pieces(question)[: min(how["max_question"], how["room"] // 2)]
    found, size = library.encode(context, add_special_tokens=False), how["room"] - len(asked)
    stride = min(how["stride"] or max(1, size // 2), size)
    tokens = zip(found.tokens, found.offsets, strict=True)
    ink = [(a, b if token.strip("\u2581\u0120 ") else a) for token, (a, b) in tokens]
    ink = [(b - len(context[a:b].lstrip()), a + len(context[a:b].rstrip())) for a, b in ink]
    for i, (a, b) in enumerate(ink):  # accents and jamo that the tokenizer joins are a part of their letters
        follows = ink[i + 1][0] if i + 1 < len(ink) else len(context)
        while a < b < follows and (category(context[b]) == "Mn" or "\u1160" <= context[b] <= "\u11ff"):
            b += 1
        ink[i] = (a, b)
    starts = range(0, stride * (1 + max(0, -((size - len(found.ids)) // stride))), stride)
    windows = [found.ids[start : start + size] for start in starts]
    outputs = run([join(asked, window) for window in windows])
    best: dict[tuple[int, int], float] = {}
    none, logits, before = float("inf"), [], 1 + len(asked) + how["separators"]
    for start, window, both in zip(starts, windows, outputs, strict=True):
        logits.append(both[[0, *range(before, before + len(window))]])
        none, values = min(none, float(both[0].sum())), logits[-1][1:].tolist()
        for first in range(len(values)):
            for last in range(first, min(first + how["max_answer"], len(values))):
                (a, b), (c, d) = ink[start + first], ink[start + last]
                if a < b and c < d:
                    best[a, d] = max(best.get((a, d), -1e9), values[first][0] + values[last][1])
    ranked = sorted(best, key=lambda place: -best[place])[:5]
    no_answer = not ranked or (how["no_answer"] and none - best[ranked[0]] > how["no_answer_threshold"])
    return [(a, b, best.get((a, b), none)) for a, b in [(0, 0)] * no_answer + ranked], np.concatenate(logits)

if __name__ == "__main__":
    print(sys.argv[2][slice(*answer(*sys.argv[1:3])[0][0][:2])])
