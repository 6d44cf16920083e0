"""A small part of the damage trial: whatever is done to a file that carries checksums, it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.conftest import ROOT, execute

pytestmark = pytest.mark.slow


def test_damage_is_named(tmp_path: Path) -> None:
    status, out, err = execute(ROOT / "scripts/damage_trial", "--trials", "63", "--work", tmp_path)
    assert status == 0, out + err
    assert "Traceback" not in err
    total = next(line for line in out.splitlines() if line.startswith("63 trials"))
    same, named, unnamed, _, traceback = map(int, total.removeprefix("63 trials").split())
    assert (unnamed, traceback) == (0, 0)
    assert named > 30
    assert same < 25
