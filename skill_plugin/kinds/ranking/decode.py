"""Ranks: ``python decode.py QUERY [QUESTION] CANDIDATE…``. Lies beside the model, texts.py and model.py."""
import sys
from collections.abc import Sequence
from itertools import chain

import numpy as np
from model import run
from texts import how, join, kept, pieces

def rank(texts: Sequence[str], candidates: Sequence[str]) -> tuple[list[float], np.ndarray]:
    """The score of each candidate, of which the highest is best; and the logits [candidates, outputs]."""
    query, sequences = [pieces(text) for text in texts], []
    for candidate in candidates:
        found = [*query, pieces(candidate)]
        *before, last = (ids[:size] for ids, size in zip(found, kept(*map(len, found)), strict=True))
        sequences.append(join([*chain(*before)], last) if how["joined"] else join(*before, last))
    logits = run(sequences).astype(np.float64)
    axis = 0 if logits.shape[1] == 1 else 1  # candidates side by side, or the classes of each
    shares = np.exp(logits - logits.max(axis, keepdims=True))
    shares /= shares.sum(axis, keepdims=True)
    scores = {
        "": lambda: shares[:, 0],
        "probability": lambda: shares[:, 1],
        "logit": lambda: logits[:, 1],
        "expected": lambda: shares @ np.arange(shares.shape[1]),
        "likeliest": lambda: shares.argmax(1).astype(float),
    }[how["ranked_by"]]()
    return scores.tolist(), logits

if __name__ == "__main__":
    texts, candidates = sys.argv[1 : 1 + how["texts"]], sys.argv[1 + how["texts"] :]
    print(*[f"{score:.4f}\t{one}" for one, score in zip(candidates, rank(texts, candidates)[0], strict=True)], sep="\n")
