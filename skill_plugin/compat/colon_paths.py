"""A data folder may have a colon in its path.

Fault: fairseq 0.12.3 (``data_utils._find_extra_valid_paths``) takes the path of the data for several, divided by
colons, and looks for files of further validation splits in each; a folder ``a:b`` is a traceback.

No longer needed: when training on a folder whose path has a colon starts without ``install()``.
"""

from __future__ import annotations

from collections.abc import Callable

from fairseq.data import data_utils

from skill_plugin.compat.patching import wrap


def _find_extra_valid_paths(original: Callable[[str], set[str]], dataset_path: str) -> set[str]:
    """The task has its splits in a folder of each corpus, and none beside them."""
    return set() if ":" in dataset_path else original(dataset_path)


def install() -> None:
    """Patches ``data_utils._find_extra_valid_paths``."""
    wrap(data_utils, "_find_extra_valid_paths", _find_extra_valid_paths)
