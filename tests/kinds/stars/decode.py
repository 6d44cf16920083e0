"""Stars: ``python decode.py REVIEW``. Lies beside the model, texts.py and model.py."""

import sys

import numpy as np
from model import run
from texts import join, kept, pieces


def answer(*texts: str) -> tuple[int, np.ndarray]:
    """The stars of a review, and the logits [1, most]."""
    found = [pieces(text) for text in texts]
    logits = run([join(*(ids[:size] for ids, size in zip(found, kept(*map(len, found)), strict=True)))])
    return 1 + int(logits[0].argmax()), logits


if __name__ == "__main__":
    print("★" * answer(*sys.argv[1:])[0])
