"""The parameters of a model that is not there are those of the one that is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.pipeline.count_parameters import count_parameters
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS
from skill_plugin.variants.model_shape import make_shape

CORPORA = """
languages: [en, de, zh]
skills: {generic: always on, sentence: one text}
corpora:
  nli: {kind: classification, language: en, skills: [generic], labels: [right, wrong], format: tsv,
        train: a.tsv, columns: {text_a: 0, label: 1}}
  rte: {kind: classification, language: de, skills: [generic, sentence], labels: [right, wrong], format: tsv,
        train: a.tsv, columns: {text_a: 0, label: 1}}
"""


@pytest.mark.parametrize("variant", MODELS)
def test_as_many_as_are_built(variant: str) -> None:
    spec = parse_corpora_file(CORPORA, Path("c.yaml"))
    shape = make_shape(ARCHITECTURES[f"{variant}_tiny"][1], vocabulary=300)
    labels = {name: corpus.labels or () for name, corpus in spec.corpora.items()}
    model = build_model(Bundle(variant, shape, CORPORA, "c.yaml", labels, {name: {} for name in labels}, 64, {}))
    own = [p.numel() for name, p in model.named_parameters() if not name.startswith("heads.")]
    assert count_parameters(variant, shape, spec) == sum(own)
