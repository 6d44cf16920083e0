"""How often a verb looks for garbage: what it imports is a quarter of a million objects, which are none."""

from __future__ import annotations

import atexit
import gc

_NEW_OBJECTS = 100_000  # between two searches; Python's own number is 700


def search_garbage_rarely() -> None:
    """Has Python search seldom while the process runs, and not once more at its end.

    Both together cost half a second of a short `predict`. What is not garbage of cycles goes at once, as ever.
    """
    gc.set_threshold(_NEW_OBJECTS)
    atexit.register(gc.freeze)
