"""Ctrl-C for the process that launched the ranks stops them too.

Fault: fairseq 0.12.3 (``distributed/utils.py: call_main``) leaves its ranks to torch's ``spawn``. A SIGINT that reaches
the launching process alone (``kill -INT``, a notebook, a job scheduler) interrupts the waiting, but at its end Python
waits for the ranks again, until they have trained to theirs.

No longer needed: when ``kill -INT`` of the launching process stops a run of two ranks without ``install()``.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

from fairseq.distributed import utils as distributed_utils

from skill_plugin.compat.patching import wrap

PATIENCE = 10.0  # seconds that a rank has to end before it is killed


def call_main(original: Callable[..., None], cfg: Any, main: Callable[..., None], **kwargs: Any) -> None:
    """fairseq's; when it is interrupted, so are the ranks."""
    try:
        original(cfg, main, **kwargs)
    except KeyboardInterrupt:
        ranks = multiprocessing.active_children()
        for rank in ranks:
            rank.terminate()
        for rank in ranks:
            rank.join(PATIENCE)
            rank.kill()
        raise


def install() -> None:
    """Patches ``call_main``."""
    wrap(distributed_utils, "call_main", call_main)
