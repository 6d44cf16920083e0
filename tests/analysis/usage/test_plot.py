"""The plot is an image in the format that its name says, with everything that has a name named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.analysis.usage.measure import CorpusUsage, ExpertUsage
from skill_plugin.analysis.usage.plot import draw_usage
from skill_plugin.errors import InputError


def usage_of(corpora: int, layers: int, experts: int) -> ExpertUsage:
    random = np.random.default_rng(corpora)
    found = {
        f"corpus-{i}": CorpusUsage(
            ["en", "zh"][i % 2], 5, 100, random.multinomial(100, np.ones(experts) / experts, layers)
        )
        for i in range(corpora)
    }
    return ExpertUsage("mt_tag", "valid", tuple(range(1, layers + 1)), 1, found)


@pytest.mark.parametrize(("corpora", "layers", "experts"), [(1, 1, 2), (3, 2, 4), (20, 12, 10)])
def test_a_png_of_any_size(corpora: int, layers: int, experts: int, tmp_path: Path) -> None:
    from PIL import Image

    draw_usage(usage_of(corpora, layers, experts), tmp_path / "made" / "usage.PNG")
    with Image.open(tmp_path / "made" / "usage.PNG") as image:
        assert image.format == "PNG"
        colours = image.convert("RGB").getcolors(1 << 24)
        assert colours is not None and len(colours) > 20
    assert len(list((tmp_path / "made").iterdir())) == 1


def test_other_formats(tmp_path: Path) -> None:
    for suffix in ("svg", "pdf"):
        draw_usage(usage_of(3, 2, 4), tmp_path / f"usage.{suffix}")
    drawn = (tmp_path / "usage.svg").read_text()
    assert "<svg" in drawn
    for name in ("corpus-0", "corpus-2", "all zh", "layer 1", "layer 2", "overlap, mean over layers"):
        assert f"<!-- {name} -->" in drawn  # matplotlib draws letters as shapes, and says in a comment what they say
    assert (tmp_path / "usage.pdf").read_bytes().startswith(b"%PDF")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "usage.png").mkdir()
    with pytest.raises(InputError, match=r"usage\.png: is a directory"):
        draw_usage(usage_of(2, 1, 2), tmp_path / "usage.png")
    assert [path.name for path in tmp_path.iterdir()] == ["usage.png"]
