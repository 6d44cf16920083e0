"""An index of weights names files beside itself, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from skill_plugin.errors import InputError
from skill_plugin.pretrained.huggingface_weights import read_weights


@pytest.mark.parametrize("name", ["../outside.bin", "/etc/passwd", "sub/inside.bin", "..", ""])
def test_files_outside_the_folder_are_not_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "encoder"
    (folder / "sub").mkdir(parents=True)
    for file in (tmp_path / "outside.bin", folder / "sub" / "inside.bin"):
        torch.save({"w": torch.zeros(1)}, file)
    index = folder / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": {"w": name}}))
    with pytest.raises(InputError) as caught:
        read_weights(index)
    assert str(caught.value) == f"{index}: places weights in {name!r}, expected the name of a file beside this one"
