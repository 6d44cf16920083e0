"""What has no value is not in a log.

Fault: fairseq's derived meters give a value at every step, so that a corpus of which nothing was drawn would have a
loss of 0, or one that is shown as ``None``. Here a derived value of None is left out.

No longer needed: when ``MetersDict.get_smoothed_values`` leaves out derived values of None itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from fairseq.logging.meters import MetersDict

from skill_plugin.compat.patching import wrap


def _without_absent(original: Callable[..., Any], meters: MetersDict) -> Any:
    return OrderedDict((key, value) for key, value in original(meters).items() if value is not None)


def install() -> None:
    """Patches what training and validation read their logs from."""
    wrap(MetersDict, "get_smoothed_values", _without_absent)
