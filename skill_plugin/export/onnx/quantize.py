"""A graph whose matrices are 8-bit integers."""

from __future__ import annotations

import logging
from pathlib import Path


def quantize(file: Path, out: Path) -> None:
    """Writes a graph with matrices in 8 bits, a scale a column; what they are multiplied with is rounded as it comes.

    Args:
        file: a graph in float32.
        out: a new file.
    """
    from onnxruntime.quantization import quantize_dynamic

    logger = logging.getLogger()  # which it tells to run its own clean-up of graphs of exporters first
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        quantize_dynamic(file, out, per_channel=True)
    finally:
        logger.setLevel(before)
