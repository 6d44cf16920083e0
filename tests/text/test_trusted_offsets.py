"""Offsets that leave out what has ink are told when a tokenizer is imported or opened; others never are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from skill_plugin.text.tokenizer_files import find_tokenizer, open_tokenizer
from skill_plugin.text.trusted_offsets import TEXTS, check_offsets

Command = Callable[..., tuple[int, str, str]]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
LOSSES = "; answers of span and tags of labelling would lose such characters"


def said_of(path: Path) -> str | None:
    tokenizer = open_tokenizer(path).tokenizer
    assert tokenizer is not None
    return check_offsets(tokenizer)


def save(library: Tokenizer, folder: Path) -> Path:
    library.add_special_tokens(SPECIAL)
    library.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def unigram(normalizer: normalizers.Normalizer) -> Tokenizer:
    library = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -2.0), ("▁a", -3.0), *((c, -4.0) for c in "abcde")], 0))
    library.normalizer = normalizer
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    return library


def byte_level(pre_tokenizer: pre_tokenizers.PreTokenizer, trim: bool = True) -> Tokenizer:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizer
    library.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    library.train_from_iterator(TEXTS, trainer)
    library.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim, True)
    return library


def test_small_tokenizers_of_which_most_is_unknown(word_piece_vocabulary: Path, sentencepiece_model: Path) -> None:
    assert said_of(word_piece_vocabulary) is None
    assert said_of(sentencepiece_model) is None


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("prefix", [True, False])
def test_byte_level_bpe(tmp_path: Path, trim: bool, prefix: bool) -> None:
    assert said_of(save(byte_level(pre_tokenizers.ByteLevel(add_prefix_space=prefix), trim), tmp_path)) is None


@pytest.mark.parametrize(
    "normalizer",
    [
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]),
        normalizers.Sequence([normalizers.NFKC(), normalizers.Strip()]),
        normalizers.BertNormalizer(clean_text=True, strip_accents=True, lowercase=True),
        normalizers.Replace(Regex(r"\p{M}|\p{C}"), ""),
    ],
)
def test_normalisers_that_drop_marks_and_controls(tmp_path: Path, normalizer: normalizers.Normalizer) -> None:
    assert said_of(save(unigram(normalizer), tmp_path)) is None


def test_the_case_of_trimmed_offsets(shared: Path) -> None:
    assert said_of(shared / "cases/39-robbert-offsets/hf/tokenizer.json") is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_real_encoders(checkpoints: Path, name: str) -> None:
    source = find_tokenizer(checkpoints / name)
    assert source is not None
    assert check_offsets(source.build(source.arrange()[0])) is None


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """A tokenizer that drops the letters ro."""
    split = pre_tokenizers.Split("ro", behavior="removed")
    return save(
        byte_level(pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False)])), tmp_path
    )


def test_the_first_piece_that_is_left_out_is_named(lossy: Path) -> None:
    assert said_of(lossy) == f"the tokenizer's offsets leave out 'ro' of 'Groningen,'{LOSSES}"


def test_a_letter_that_a_normaliser_drops(tmp_path: Path) -> None:
    path = save(unigram(normalizers.Replace("G", "")), tmp_path)
    assert said_of(path) == f"the tokenizer's offsets leave out 'G' of 'Groningen,'{LOSSES}"


def test_check_says_it_once_and_goes_on(command: Command, lossy: Path) -> None:
    (lossy.parent / "t.tsv").write_text("t\tl\nx\ta\ny\tb\n")
    columns = "format: tsv, columns: {text_a: t, label: l}"
    (lossy.parent / "c.yaml").write_text(
        f"languages: [en]\ncorpora:\n  c: {{kind: classification, language: en, {columns}, train: t.tsv}}\n"
    )
    status, out, err = command("check", lossy.parent / "c.yaml", "--tokenizer", lossy, "--json")
    assert status == 0
    assert json.loads(out)["faults"] == []
    assert err.count("leave out 'ro' of") == 1
    assert next(line for line in err.splitlines() if "leave out" in line).startswith(f"{lossy}: the tokenizer's ")
