"""A file that is none is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.weights.torch_file import load_torch_file


def test_a_runs_folder_in_place_of_its_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder, expected a file$"):
        load_torch_file(tmp_path)
    (tmp_path / "checkpoint_last.pt").touch()
    (tmp_path / "checkpoint_best.pt").touch()
    with pytest.raises(InputError, match=re.escape(f"did you mean {tmp_path / 'checkpoint_best.pt'}?")):
        load_torch_file(tmp_path)
