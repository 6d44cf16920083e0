"""The script of an exported folder as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_BESIDE = ("texts", "model")


def load_script(folder: Path) -> ModuleType:
    """``decode.py`` of a folder, which imports what lies beside it; those of other folders stay as they are."""
    specification = importlib.util.spec_from_file_location("decode", folder / "decode.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    before = {name: sys.modules.pop(name) for name in _BESIDE if name in sys.modules}
    path, written = list(sys.path), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True  # nothing but what was exported is left in the folder
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path[:], sys.dont_write_bytecode = path, written
        for name in _BESIDE:
            sys.modules.pop(name, None)
        sys.modules.update(before)
    return module
