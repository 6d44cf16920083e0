"""fairseq as a program that others start, who need not have it themselves."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from skill_plugin.errors import InputError

PLUGIN = str(Path(__file__).parents[1])  # what --user-dir names


def train_command(data: str, options: Sequence[str]) -> list[str]:
    """The words that train in a process of its own, with this plugin.

    Args:
        data: the data folder.
        options: of ``fairseq-train``.
    """
    return [sys.executable, "-m", "fairseq_cli.train", data, "--user-dir", PLUGIN, *options]


def need_fairseq(otherwise: str = "") -> None:
    """Refuses to go on without it.

    Args:
        otherwise: what a person may do instead.

    Raises:
        InputError: it is not installed.
    """
    if find_spec("fairseq") is None:
        more = f", {otherwise}" if otherwise else ""
        raise InputError(f"training needs fairseq: pip install 'skill-plugin[train]'{more}")
