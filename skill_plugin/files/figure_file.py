"""Writes a figure of matplotlib's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from skill_plugin.errors import InputError
from skill_plugin.files.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_figure(figure: Figure, path: Path, dpi: int = 150) -> None:
    """Writes a figure; the file is there whole or not at all.

    Args:
        figure: the figure.
        path: its suffix says the format, one that matplotlib knows.
        dpi: dots an inch, where the format has dots.

    Raises:
        InputError: it cannot be written, or has another suffix.
    """
    kind, known = path.suffix[1:].lower(), figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise InputError(f"expected a name that ends with one of .{', .'.join(sorted(known))}", path)
    with whole_file(path) as beside:
        figure.savefig(beside, format=kind, dpi=dpi)
