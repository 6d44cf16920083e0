"""The registry of kinds is asked from every room, and so needs none."""

from __future__ import annotations

import subprocess
import sys


def test_registry_and_protocol_import_nothing_of_ours() -> None:
    code = (
        "import skill_plugin.kinds.kind, skill_plugin.kinds.registry, sys\n"
        "print(*sorted(name for name in sys.modules if name.startswith('skill_plugin.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["skill_plugin.kinds", "skill_plugin.kinds.kind", "skill_plugin.kinds.registry"]
