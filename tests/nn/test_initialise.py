"""Fresh weights, and none where they would be overwritten."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.nn.initialise import STANDARD_DEVIATION, NoFreshWeights, initialise
from tests.checkpoints.test_bundle import BUNDLE


def test_as_bert_draws_them() -> None:
    part = nn.Sequential(nn.Linear(200, 300), nn.Embedding(500, 40), nn.LayerNorm(7))
    initialise(part)
    for weight in (part[0].weight, part[1].weight):
        assert float(weight.detach().std()) == pytest.approx(STANDARD_DEVIATION, rel=0.05)
        assert float(weight.detach().mean()) == pytest.approx(0, abs=0.001)
    assert not part[0].bias.any() and bool((part[2].weight == 1).all())


def test_none_are_drawn() -> None:
    before = torch.random.get_rng_state()
    with NoFreshWeights():
        weight = nn.init.ones_(nn.init.normal_(torch.zeros(2, 2)))
        assert not nn.init.zeros_(tensor=weight).any()
        nn.Linear(3, 3)
    assert torch.equal(before, torch.random.get_rng_state())
    assert nn.init.ones_(weight).all()


def test_a_loaded_model_has_the_weights_of_its_file_alone() -> None:
    """Every parameter and buffer is loaded, so that nothing is left of what memory held before."""
    state = {
        name: torch.full_like(tensor, 0.25) if tensor.is_floating_point() else tensor
        for name, tensor in build_model(BUNDLE).state_dict().items()
    }
    model = Checkpoint(BUNDLE, state).model()
    assert all(bool((tensor == 0.25).all()) for tensor in (*model.parameters(), *model.buffers()))


def test_sizes_do_not_need_the_compiler() -> None:
    code = (
        "import sys, torch\n"
        "from skill_plugin.nn.initialise import NoFreshWeights, initialise\n"
        "with torch.device('meta'), NoFreshWeights():\n"
        "    initialise(torch.nn.Linear(3, 4))\n"
        "print('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
