"""An update draws the numbers that fairseq would have drawn, and leaves no call behind for devices not in use."""

from types import SimpleNamespace

import torch
from fairseq.trainer import Trainer

from skill_plugin.compat.update_seeds import set_seed


def test_the_numbers_are_fairseqs_and_nothing_is_put_off():
    trainer = SimpleNamespace(
        cfg=SimpleNamespace(common=SimpleNamespace(seed=7)), get_num_updates=lambda: 5, cuda=False
    )
    original = getattr(Trainer._set_seed, "__wrapped__", Trainer._set_seed)
    original(trainer)
    expected = torch.rand(3)
    put_off = torch.mtia._lazy_seed_tracker.manual_seed_all_cb
    set_seed(original, trainer)
    assert torch.equal(torch.rand(3), expected)
    assert torch.mtia._lazy_seed_tracker.manual_seed_all_cb is put_off
    original(trainer)
    assert torch.mtia._lazy_seed_tracker.manual_seed_all_cb is not put_off, "is the patch still needed?"
