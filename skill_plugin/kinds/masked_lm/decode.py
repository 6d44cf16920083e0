"""Guesses masks: ``python decode.py "A <mask> text."``. Lies beside the model, texts.py and model.py."""
import sys

import numpy as np
from model import run
from texts import how, join, library, pieces

def fill(text: str) -> tuple[list[dict[str, float]], np.ndarray]:
    """The five likeliest pieces of each mask with their probabilities; and the logits [masks, pieces]."""
    parts = [pieces(part) for part in text.split("<mask>")]
    ids = [one for number, part in enumerate(parts) for one in ([how["mask"]] if number else []) + part]
    masks, room = [at for at, one in enumerate(ids) if one == how["mask"]], how["room"]
    stride = min(how["stride"] or room, room)
    bounds = [(at * stride, at * stride + room) for at in range(1 + max(0, -((room - len(ids)) // stride)))]
    bounds = [(start, min(end, len(ids))) for start, end in bounds]
    logits = run([join(ids[start:end]) for start, end in bounds])  # of the masks of all windows, in order
    rows = [(window, at) for window, (start, end) in enumerate(bounds) for at in masks if start <= at < end]
    best = [max(range(len(bounds)), key=lambda w: min(at - bounds[w][0], bounds[w][1] - 1 - at)) for at in masks]
    chosen = logits[np.array([rows.index(place) for place in zip(best, masks, strict=True)], np.int64)].astype(float)
    shares = np.exp(chosen - chosen.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    names = [[library.id_to_token(int(piece)) for piece in row.argsort()[:-6:-1]] for row in chosen]
    likeliest = np.sort(shares)[:, :-6:-1].tolist()
    return [dict(zip(own, row, strict=True)) for own, row in zip(names, likeliest, strict=True)], chosen

if __name__ == "__main__":
    for found in fill(sys.argv[1])[0]:
        print(*[f"{piece} {share:.4f}" for piece, share in found.items()], sep="\t")
