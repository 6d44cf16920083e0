"""What a training program warned of, by its log."""

from __future__ import annotations

import re

_WARNING = re.compile(r"^[-\d]+ [:\d]+ \| WARNING \| skill_plugin\.[\w.]+ \| (.+)$", re.MULTILINE)


def warning_lines(log: str) -> list[str]:
    r"""The warnings of this plugin, each once, in order.

    >>> warning_lines("2026-01-31 10:20:30 | WARNING | skill_plugin.tasks.new_model | random weights are frozen\n")
    ['random weights are frozen']
    """
    return list(dict.fromkeys(_WARNING.findall(log)))
