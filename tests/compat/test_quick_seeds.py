"""The random numbers of an update are those that fairseq's seed gives."""

from types import SimpleNamespace

import torch
from fairseq import utils

from skill_plugin.compat import quick_seeds


def trainer(task):
    cfg = SimpleNamespace(common=SimpleNamespace(seed=7))
    return SimpleNamespace(cfg=cfg, task=task, cuda=torch.cuda.is_available(), get_num_updates=lambda: 5)


def test_the_same_numbers_as_fairseqs():
    before = torch.get_rng_state()
    try:
        utils.set_torch_seed(12)
        expected = torch.rand(5)
        torch.manual_seed(0)
        quick_seeds.set_seed(lambda self: None, trainer(SimpleNamespace(update_losses=None)))
        assert torch.equal(torch.rand(5), expected)
    finally:
        torch.set_rng_state(before)


def test_other_tasks_are_seeded_by_fairseq():
    asked = []
    quick_seeds.set_seed(asked.append, trainer(SimpleNamespace()))
    assert len(asked) == 1
