"""A Hugging Face folder with an mT5 of random weights, and pieces that are learned from the training texts of corpora.

python random_mt5.py CORPORA.yaml FOLDER [--size small] [--pieces 8000]
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from sentencepiece import SentencePieceTrainer, sentencepiece_model_pb2
from transformers import MT5Config, MT5ForConditionalGeneration

from skill_plugin.errors import InputError
from skill_plugin.readers.read_corpus import CorpusReader
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.store.corpus_texts import training_texts
from skill_plugin.variants.t5_shape import T5_SIZES

SENTINELS = 100  # <extra_id_0> and so on, as mT5 has


def learn_pieces(corpora: Path, pieces: int) -> bytes:
    """A SentencePiece model with mT5's special symbols."""
    reader = CorpusReader(read_corpora_file(corpora))
    texts = (line for text in training_texts(reader, lambda name: None) for line in text.splitlines())
    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=texts, model_writer=written, vocab_size=pieces, hard_vocab_limit=False, pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, byte_fallback=True, character_coverage=0.9995, input_sentence_size=1_000_000,
        shuffle_input_sentence=True, minloglevel=2,
    )  # fmt: skip
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(written.getvalue())
    for number in reversed(range(SENTINELS)):
        model.pieces.add(piece=f"\u2581<extra_id_{number}>", score=0.0, type=model.SentencePiece.USER_DEFINED)
    return bytes(model.SerializeToString())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=T5_SIZES, default="small")
    parser.add_argument("--pieces", type=int, default=8000)
    given = parser.parse_args()
    try:
        model = learn_pieces(given.corpora, given.pieces)
    except InputError as error:
        sys.exit(str(error))
    shape = T5_SIZES[given.size]
    found = sentencepiece_model_pb2.ModelProto()
    found.ParseFromString(model)
    config = MT5Config(
        vocab_size=len(found.pieces), d_model=shape.width, d_kv=shape.head_width, d_ff=shape.inner,
        num_layers=shape.layers, num_decoder_layers=shape.decoder_layers, num_heads=shape.heads,
    )  # fmt: skip
    MT5ForConditionalGeneration(config).save_pretrained(given.folder)
    (given.folder / "spiece.model").write_bytes(model)


if __name__ == "__main__":
    main()
