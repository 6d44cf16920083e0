"""How programs that run side by side share the cores."""

from __future__ import annotations

import os


def share_of_cores(jobs: int) -> dict[str, str]:
    """Variables for each of so many programs: its part of the cores, where nobody has said otherwise."""
    return {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS") or str(max(1, (os.cpu_count() or 1) // jobs))}
