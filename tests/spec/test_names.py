"""Names that would break a module, a folder or an option later are refused when the corpora file is read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec.names import RESERVED, check_name


def test_reserved_names_are_the_attributes_of_module_dict() -> None:
    # in a process of its own, since other libraries add attributes to torch's modules
    program = "import torch; print(*(name for name in dir(torch.nn.ModuleDict()) if not name.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    attributes = set(done.stdout.split())
    assert attributes <= RESERVED, "this torch has attributes that the list lacks"


@pytest.mark.parametrize("name", ["nli-en", "T5", "a_b", "2018", 2018])
def test_names(name: str | int) -> None:
    assert check_name(name, "corpus", "f", 1) == str(name)


@pytest.mark.parametrize("name", ["", "_modules", "-x", "a.b", "a b", "ä", "a\n", "train", None, True, 1.5])
def test_no_names(name: object) -> None:
    with pytest.raises(InputError, match=r"^f:1: "):
        check_name(name, "corpus", "f", 1)
