"""A corpora file of three corpora, two of which share a head, and the shape of a tiny encoder."""

from __future__ import annotations

from skill_plugin.variants.encoder_shape import EncoderShape

FILE = """\
languages: [en, zh]
skills: {generic: always on, sentence: single texts, interact: pairs}
corpora:
  nli: {kind: classification, language: en, skills: [generic, interact], labels: [a, b, c], format: tsv,
        columns: {text_a: 0, label: 1}, header: false, train: t.tsv}
  topic: {kind: classification, language: zh, skills: [sentence], labels: [a, b], format: tsv,
          columns: {text_a: 0, label: 1}, header: false, train: t.tsv}
  nli-zh: {as: nli, language: zh, test: t.tsv}
"""
LABELS = {"nli": ("a", "b", "c"), "topic": ("a", "b"), "nli-zh": ("a", "b", "c")}
SHAPE = EncoderShape(3, 16, 2, 24, vocabulary=50, positions=40, token_types=2)
