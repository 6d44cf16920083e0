"""What init guesses of the public data sets, compared with the corpora files that read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.conftest import ROOT, execute

pytestmark = pytest.mark.slow


def test_most_public_sets_are_guessed_right(shared: Path, tmp_path: Path) -> None:
    status, out, err = execute(ROOT / "scripts/init_trial", shared / "data/raw", "--keep", tmp_path / "c.yaml")
    assert status == 0, err
    rows = {line.split(" | ")[0].removeprefix("| "): line.strip("|").split(" | ")[1:] for line in out.splitlines()}
    right, open_, wrong, silent = map(int, rows["all (79)"][:4])
    assert right + open_ + wrong == 79
    assert right >= 74
    assert silent == 0
    right, open_, wrong, silent = map(int, rows["held-out (26)"][:4])
    assert (right + open_ + wrong, right >= 24, silent) == (26, True, 0)
