"""Looks at raw corpora before anything is made of them: how much there is, and what they cannot be trained with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from skill_plugin.checkpoints.reuse import find_reuse
from skill_plugin.kinds.registry import kind_named
from skill_plugin.options.allowed_values import LARGEST
from skill_plugin.pipeline.choose_options import Data
from skill_plugin.pipeline.start import NONE, Start
from skill_plugin.readers.example import Fault
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec.corpora_file import CorporaFile
from skill_plugin.store.encoder_faults import find_encoder_faults
from skill_plugin.store.prepare import FaultyCorporaError
from skill_plugin.text.learn_pieces import learn_model
from skill_plugin.text.sentencepiece_tokenizer import SentencePieceTokenizer, list_pieces
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary


def look_at_corpora(
    spec: CorporaFile,
    start: Start,
    encoder: TextEncoder | None,
    text_to_text: bool,
    max_length: int,
    on_reading: Callable[[str], None],
) -> Data:
    """Reads all rows.

    Args:
        spec: the corpora.
        start: what the model starts from.
        encoder: makes ids of texts; None where pieces are to be learned.
        text_to_text: whether answers are to be texts.
        max_length: tokens of the longest sequence, where a corpus says nothing else.
        on_reading: called with the name of each corpus, before it is read.

    Raises:
        FaultyCorporaError: the raw data is at fault, or is none for this model.
        InputError: a corpus or skill is to start from what the checkpoint lacks.
    """
    known = (encoder or _stand_in()).read_by(text_to_text)
    reader, faults, rows, validation_rows = CorpusReader(spec), list[Fault](), 0, 0
    labels: dict[str, tuple[str, ...]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for corpus in spec.corpora.values():
        on_reading(corpus.name)
        data = reader.read(corpus)
        faults += data.faults
        if data.faults:
            continue
        # how many pieces names have is not known before pieces are learned
        length = LARGEST if encoder is None and text_to_text else corpus.max_length or max_length
        faults += find_encoder_faults(data, known, length)
        labels[corpus.name] = data.labels or ()
        if start.bundle is not None:
            facts[corpus.name] = kind_named(corpus.kind).storage.facts(corpus, data.splits, data.labels)
        if "train" in data.splits:
            rows += len(data.splits["train"].examples) if data.trained is None else data.trained
        if "valid" in data.splits:
            validation_rows += len(data.splits["valid"].examples)
    if faults:
        raise FaultyCorporaError(faults)
    if start.bundle is not None and start.bundle.is_text_to_text == text_to_text:
        path = str(spec.path)
        run = replace(start.bundle, corpora_text=spec.text, corpora_path=path, labels=labels, facts=facts)
        find_reuse(run, start.bundle, str(start.path))
    trained = [name for name, corpus in spec.corpora.items() if "train" in corpus.sources]
    answered = {*spec.corpora} - {*spec.untrained(trained)} | {*start.corpora}
    scored = [corpus for name, corpus in spec.corpora.items() if name in answered and "valid" in corpus.sources]
    return Data(rows, any(corpus.in_average for corpus in scored), validation_rows)


def _stand_in() -> TextEncoder:
    """For pieces that are to be learned: like these it spells by bytes, so that the same texts have the same ids."""
    model = learn_model([NONE], 1000)
    vocabulary = Vocabulary.from_pieces(list_pieces(model), mask=True)
    return TextEncoder(SentencePieceTokenizer(model, vocabulary), vocabulary, Template(2, token_types=False))
