"""What holds for the recipes of all papers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("recipe", sorted(EXAMPLES.rglob("*.sh")), ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_it_is_shell_without_syntax_errors(recipe: Path) -> None:
    subprocess.run(["bash", "-n", recipe], check=True)
