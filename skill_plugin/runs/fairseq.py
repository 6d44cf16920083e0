"""fairseq as a program that others start, who need not have it themselves."""

from __future__ import annotations

from importlib.util import find_spec

from skill_plugin.errors import InputError


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
