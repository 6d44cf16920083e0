"""TextEmb against a loop over examples, each alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from skill_plugin.analysis.relatedness.text_embedding import text_embedding
from skill_plugin.nn.packed_batch import pack
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import CORPORA, World, examples, make_world


@pytest.fixture(scope="module")
def world(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: {"train": examples(name, 9)} for name in CORPORA}
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, rows, variant="dense", skill_layers=None)


@pytest.mark.parametrize("name", CORPORA)
def test_the_mean_over_examples_of_the_mean_over_tokens(world: World, name: str) -> None:
    encoder, split = world.model().model.encoder, world.examples(name, "train", training=True)
    found = text_embedding(encoder, split, torch.device("cpu"), 3, 60, lambda *_: None)
    means = []
    with torch.no_grad():
        for index in range(len(split)):
            sequences = split.sequences(index)
            if name == "mlm":  # nothing is hidden
                assert all(world.bundle.text_encoder.vocabulary.symbols[t] != "<mask>" for t in sequences[0].tokens)
            alone = [
                encoder(pack([(split.active, split.head, [one])], world.bundle.reads_token_types)).hidden
                for one in sequences
            ]
            means.append(torch.cat(alone).double().mean(0))
    np.testing.assert_allclose(found, torch.stack(means).mean(0).numpy(), rtol=1e-4, atol=1e-5)
