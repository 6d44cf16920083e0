"""Answers for texts: ``python decode.py TEXT…``. Lies beside the model, texts.py and model.py."""
import sys

import numpy as np
from model import run
from texts import how, join, kept, pieces

def encode(*texts: str) -> tuple[list[int], list[int]]:
    """The sequence of a row's texts, for ``run``, which takes any number of them."""
    found = [pieces(text) for text in texts]
    ids, types = join(*(ids[:size] for ids, size in zip(found, kept(*map(len, found)), strict=True)))
    return ids, types

def answer(*texts: str) -> tuple[dict[str, float], np.ndarray]:
    """The probability of each label, or the score; and the logits [1, outputs]."""
    logits = run([encode(*texts)]).astype(np.float64)
    shares = logits[0]
    if how["problem"] == "single_label_classification":
        shares = np.exp(shares - shares.max()) / np.exp(shares - shares.max()).sum()
    elif how["problem"] == "multi_label_classification":
        shares = 1 / (1 + np.exp(-shares))
    return dict(zip(how["labels"], shares.tolist(), strict=True)), logits

if __name__ == "__main__":
    print(*[f"{label}\t{share:.4f}" for label, share in answer(*sys.argv[1:])[0].items()], sep="\n")
