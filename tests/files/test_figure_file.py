"""Figures are written in the format that the name says, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from skill_plugin.errors import InputError
from skill_plugin.files.figure_file import save_figure


def test_the_suffix_says_the_format(tmp_path: Path) -> None:
    figure = Figure()
    for name, begin in (("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("new/a.svg", b"<?xml")):
        save_figure(figure, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)


@pytest.mark.parametrize("name", ["a", "a.txt", "a.png.gz"])
def test_other_names_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a name that ends with one of \..*, \.png") as caught:
        save_figure(Figure(), tmp_path / name)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())
