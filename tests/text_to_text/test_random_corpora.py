"""Whatever people's files hold: what check calls good for a text-to-text model is prepared, read, learned and asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.collate import collate
from skill_plugin.data.corpus_examples import CorpusExamples, corpus_examples
from skill_plugin.data.segment_examples import SegmentExamples
from skill_plugin.kinds.registry import kinds_with
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.corpus_store import read_corpus_facts, read_corpus_labels
from skill_plugin.store.prepare import FaultyCorporaError, prepare_corpora
from skill_plugin.text.sentencepiece_tokenizer import SentencePieceTokenizer, list_all_pieces
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import SPECIALS, Vocabulary
from skill_plugin.variants.t5_shape import T5Shape
from tests.pretrained.test_mt5 import t5_model  # noqa: F401
from tests.random_corpora import write_random_corpora


@pytest.fixture(scope="module")
def encoder(t5_model: bytes) -> TextEncoder:  # noqa: F811
    """mT5's: bytes spell whatever has no piece."""
    vocabulary = Vocabulary.from_pieces([p for p in list_all_pieces(t5_model) if p not in SPECIALS], mask=False)
    template = Template(1, token_types=False, begins=False)
    return TextEncoder(SentencePieceTokenizer(t5_model, vocabulary), vocabulary, template)


def read_all(examples: CorpusExamples, longest: int) -> None:
    """Reads every example, and packs all of them."""
    made = [examples.example(number, epoch=1) for number in range(len(examples))]
    segment = SegmentExamples(0, examples.active, examples.head, np.arange(len(made)), made)
    assert (segment.lengths <= examples.lengths).all()
    assert max(len(one.tokens) for example in made for one in example.sequences) <= longest
    sample = collate([segment], token_types=False)
    targets = PackedBatch(**sample["net_input"]).targets
    assert targets is not None
    assert min(targets.counts) == max(targets.counts) > 0
    if examples.training:
        assert targets.tokens.tolist() == sample["targets"][0]["classes"].tolist()
    for example in made if not examples.training else ():
        assert example.encoded is not None


@pytest.mark.parametrize("seed", range(40))
def test_what_check_calls_good_is_read(seed: int, encoder: TextEncoder, tmp_path: Path) -> None:
    write_random_corpora(tmp_path, seed)
    whole = read_corpora_file(tmp_path / "corpora.yaml")
    names = [name for name, corpus in whole.corpora.items() if corpus.kind in kinds_with("prefix")]
    if not names:
        return
    spec, data = whole.select(names), tmp_path / "data"
    faults = check_corpora(spec, encoder).faults
    if faults:
        with pytest.raises(FaultyCorporaError):
            prepare_corpora(spec, data, encoder)
        return
    prepare_corpora(spec, data, encoder)
    bundle = Bundle(
        variant="mt5",
        shape=T5Shape(2, 2, 16, 2, 8, 32, len(encoder.vocabulary)),
        corpora_text=spec.text,
        corpora_path=str(spec.path),
        labels={name: read_corpus_labels(data, spec.corpora[name]) for name in names},
        facts={name: read_corpus_facts(data, spec.corpora[name]) for name in names},
        max_length=48,
        text=encoder.to_state(),
        prefixed=True,
    )
    for name in names:
        for split in spec.corpora[name].sources:
            for training in (False, True):
                examples = corpus_examples(bundle, name, str(data), split, training)
                if examples.left_out is None:
                    read_all(examples, bundle.length_of(name))
