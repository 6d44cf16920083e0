"""transformers' pipeline over a file of texts, as its documentation shows it; started by ``predict.py``.

python pipeline_program.py FOLDER TEXTS OUTPUT [--device cuda]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from transformers import pipeline

BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("texts", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    texts = given.texts.read_text(encoding="utf-8").split("\n")[:-1]
    classify = pipeline("text-classification", given.folder, device=given.device, batch_size=BATCH, top_k=None)
    with given.output.open("w", encoding="utf-8") as file:
        for found in classify(texts, truncation=True):
            shares = " ".join(f"{one['label']}={one['score']:.4f}" for one in sorted(found, key=lambda x: x["label"]))
            file.write(f"{max(found, key=lambda one: one['score'])['label']}\t{shares}\n")


if __name__ == "__main__":
    main()
