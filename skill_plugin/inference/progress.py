"""How far the reading of splits is."""

from __future__ import annotations

from collections.abc import Callable

ProgressCallback = Callable[[str, int, int], None]  # corpus, number of its batches, how many are done
