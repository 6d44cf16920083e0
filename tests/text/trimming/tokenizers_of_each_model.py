"""A tokenizer of every model that can lose pieces, trained on pages of this repository and lines in other scripts."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.conftest import LINES

ROOT = Path(__file__).parents[3]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PAGES = [line for page in ("README.md", "CONTRIBUTING.md") for line in (ROOT / page).read_text("utf-8").splitlines()]
TRAINING = PAGES + LINES * 5
MODELS = (
    "sentencepiece unigram",
    "sentencepiece bpe",
    "sentencepiece bytes",
    "word piece",
    "byte level",
    "unigram",
    "gpt2",
)


def make_tokenizer(model: str, folder: Path) -> TextEncoder:
    """Trains one of ``MODELS``, and opens its file."""
    kind, _, more = model.partition(" ")
    if kind == "sentencepiece":
        return open_tokenizer(_sentencepiece(folder, "bpe" if more == "bpe" else "unigram", more == "bytes"))
    if model == "gpt2":
        return _gpt2(folder)
    library = {"word piece": _word_piece, "byte level": _byte_level, "unigram": _unigram}[model]()
    library.save(str(folder / "tokenizer.json"))
    return open_tokenizer(folder / "tokenizer.json")


def _sentencepiece(folder: Path, kind: str, byte_fallback: bool = False) -> Path:
    import sentencepiece

    (folder / "text.txt").write_text("\n".join(TRAINING), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"),
        model_prefix=str(folder / "spm"),
        vocab_size=1200,
        model_type=kind,
        byte_fallback=byte_fallback,
        user_defined_symbols=["--init-from"],
        character_coverage=0.999,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "spm.model"


def _word_piece() -> Tokenizer:
    library = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    library.normalizer = normalizers.BertNormalizer(lowercase=True)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    library.train_from_iterator(TRAINING, trainers.WordPieceTrainer(vocab_size=1200, special_tokens=special))
    library.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return library


def _byte_level() -> Tokenizer:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1200, special_tokens=SPECIAL, initial_alphabet=alphabet)
    library.train_from_iterator(TRAINING, trainer)
    library.add_special_tokens(["<mask>"])
    library.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return library


def _unigram() -> Tokenizer:
    library = Tokenizer(models.Unigram())
    library.normalizer = normalizers.NFKC()
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=1000, special_tokens=[*SPECIAL, "<mask>"], unk_token="<unk>")
    library.train_from_iterator(TRAINING, trainer)
    return library


def _gpt2(folder: Path) -> TextEncoder:
    """fairseq's RoBERTa: GPT-2's files, and a dict.txt whose symbols are their numbers, the most frequent first."""
    model = json.loads(_byte_level().to_str())["model"]
    (folder / "encoder.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    merges = "\n".join(" ".join(pair) for pair in model["merges"])
    (folder / "vocab.bpe").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    numbers = sorted(range(len(SPECIAL), len(model["vocab"]) - 3), key=lambda i: i * 7 % 1000)  # lacks the last three
    (folder / "dict.txt").write_text("".join(f"{i} 1\n" for i in numbers) + "madeupword0000 0\n", encoding="utf-8")
    return open_tokenizer(folder / "vocab.bpe", folder / "dict.txt")
