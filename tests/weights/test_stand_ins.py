"""Objects of fairseq's and omegaconf's in files of weights: their values are read without these libraries."""

from __future__ import annotations

import argparse
import collections
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fairseq.logging import meters
from omegaconf import OmegaConf

from skill_plugin.weights.stand_ins import STAND_INS, StoredConfig
from skill_plugin.weights.torch_file import load_torch_file

OPTIONS = {
    "model": {"_name": "roberta", "heads": 4, "rate": 0.5, "half": True, "lr": [0.1, 0.2], "none": None},
    "common": {"seed": "${model.heads}", "user_dir": "???"},
}


def written(folder: Path) -> Path:
    average = meters.AverageMeter(round=3)
    average.update(2.0)
    content = {
        "cfg": OmegaConf.create(OPTIONS),
        "empty": [OmegaConf.create({}), OmegaConf.create(None)],
        "args": argparse.Namespace(arch="roberta_base"),
        "meters": collections.OrderedDict(loss=average, time=meters.TimeMeter(), wall=meters.StopwatchMeter()),
        "numbers": [np.float64(1.5), np.float32(2), np.int64(3), np.bool_(True), np.arange(3.0)],
        "model": {"weight": torch.arange(3.0)},
    }
    torch.save(content, folder / "model.pt")
    return folder / "model.pt"


def told(content: dict[str, Any]) -> list[Any]:
    model = content["cfg"]["model"]
    return [
        *({name: config[name] for name in config if name != "lr"} for config in (model, content["cfg"]["common"])),
        sorted(model) == sorted(OPTIONS["model"]),
        [dict(config) for config in content["empty"]],
        content["cfg"].get("task"),
        content["args"],
        {name: vars(meter) for name, meter in content["meters"].items() if name == "loss"},
        content["numbers"],
        content["model"],
    ]


def test_values_are_those_that_were_stored(tmp_path: Path) -> None:
    content = load_torch_file(written(tmp_path))
    assert isinstance(content["cfg"], StoredConfig)
    model, common = told(content)[:2]
    assert model == {name: value for name, value in OPTIONS["model"].items() if name != "lr"}
    assert common == OPTIONS["common"]
    assert (content["meters"]["loss"].sum, content["meters"]["loss"].round) == (2.0, 3)
    assert told(content)[2:6] == [True, [{}, {}], None, argparse.Namespace(arch="roberta_base")]
    # with the libraries' own classes, as a run that goes on reads it
    assert content["cfg"]["model"]["heads"] == OmegaConf.create(OPTIONS).model.heads


def test_the_same_where_the_libraries_are_not(tmp_path: Path) -> None:
    file = written(tmp_path)
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('fairseq', 'fairseq.logging', 'omegaconf'), None))\n"
        "from pathlib import Path\n"
        "from skill_plugin.weights.torch_file import load_torch_file\n"
        f"content = load_torch_file(Path({str(file)!r}))\n"
        "model, common = content['cfg']['model'], content['cfg']['common']\n"
        "print([*({n: c[n] for n in c if n != 'lr'} for c in (model, common)), vars(content['meters']['loss'])])\n"
    )
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    here = told(load_torch_file(file))
    assert alone == str([here[0], here[1], here[6]["loss"]])


def test_what_a_stand_in_stands_for_exists() -> None:
    """Every name is one that fairseq or omegaconf have, or that fairseq had before 0.9."""
    import pkgutil

    for name in STAND_INS:
        assert isinstance(pkgutil.resolve_name(name.replace("fairseq.meters.", "fairseq.logging.meters.")), type)
