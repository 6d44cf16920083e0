"""What a checkpoint's weights are to a model without its constraints."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from tests.checkpoints.test_bundle import BUNDLE


@pytest.mark.parametrize("r4f", [False, True])
def test_plain_weights_give_the_same_answers(r4f: bool) -> None:
    torch.manual_seed(0)
    bundle = replace(BUNDLE, r4f=r4f)
    model = build_model(bundle)
    torch.nn.init.normal_(model.heads["nli-en"].out_proj.weight)  # far outside the constraint
    trained = Checkpoint(bundle, model.state_dict())
    plain = build_model(BUNDLE)
    plain.load_state_dict(trained.plain_state())
    active = ActiveSet(("generic", "interact"), "en", "nli-en")
    sequence = EncodedSequence(torch.arange(5).numpy(), torch.zeros(5, dtype=torch.int64).numpy())
    batch = pack([(active, "nli-en", [sequence])], token_types=False)
    torch.testing.assert_close(plain.eval()(batch).answers, trained.model()(batch).answers, rtol=1e-6, atol=1e-6)
    unconstrained = Checkpoint(BUNDLE, model.state_dict()).model()(batch).answers[0]
    assert torch.allclose(unconstrained, plain(batch).answers[0], atol=1e-3) != r4f
