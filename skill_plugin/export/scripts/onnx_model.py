"""Runs model.onnx, which lies beside it. Needs onnxruntime and numpy."""
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(Path(__file__).parent / "model.onnx")

def run(sequences: Sequence[tuple[list[int], list[int]]], **more: Any) -> np.ndarray:
    """What the model says of sequences of ids and token types, as one batch, which is padded; see config.json."""
    longest = max(len(ids) for ids, _ in sequences)

    def padded(rows: Sequence[Sequence[int]], padding: int) -> np.ndarray:
        return np.array([[*row, *[padding] * (longest - len(row))] for row in rows], np.int64)

    ids, types = zip(*sequences, strict=True)
    inputs = {"input_ids": padded(ids, 1), "token_type_ids": padded(types, 0), **more}
    inputs["attention_mask"] = padded([[1] * len(one) for one in ids], 0)
    logits: np.ndarray = session.run(None, {one.name: inputs[one.name] for one in session.get_inputs()})[0]
    return logits
