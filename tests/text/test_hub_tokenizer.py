from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from skill_plugin.errors import InputError
from skill_plugin.text.spans import find_character_range, find_token_range
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.text.words import encode_words_batch

TEXTS = [
    "The cat sat.",
    "Der Hund läuft über die Straße",
    "我爱北京。",
    "🙂 cat  dog",
    "a\u2028cat",
    "",
    "  ",
    "[SEP] cat",
]


def test_word_piece_vocabulary_order(word_piece_vocabulary: Path, word_piece_tokens: list[str]) -> None:
    encoder = open_tokenizer(word_piece_vocabulary)
    special = {"[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"}
    rest = [token for token in word_piece_tokens if token not in special]
    assert encoder.vocabulary.symbols == ["<s>", "<pad>", "</s>", "<unk>", *rest, "<mask>"]
    assert encoder.template.separators == 1
    assert encoder.template.token_types


def test_word_piece_equals_transformers(word_piece_vocabulary: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.BertTokenizer(str(word_piece_vocabulary), do_lower_case=True)
    encoder = open_tokenizer(word_piece_vocabulary)
    names = {"[UNK]": "<unk>"}
    for text in TEXTS[:-1]:
        expected = [encoder.vocabulary.index(names.get(t, t)) for t in theirs.tokenize(text)]
        assert encoder.encode(text).ids.tolist() == expected


def test_case_is_told_from_the_vocabulary_or_the_settings(word_piece_vocabulary: Path) -> None:
    assert open_tokenizer(word_piece_vocabulary).tokenizer.describe() == "WordPiece, lower-cased"
    (word_piece_vocabulary.parent / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))
    assert open_tokenizer(word_piece_vocabulary).tokenizer.describe() == "WordPiece"
    (word_piece_vocabulary.parent / "tokenizer_config.json").unlink()
    with word_piece_vocabulary.open("a", encoding="utf-8") as file:
        file.write("Berlin\n")
    assert open_tokenizer(word_piece_vocabulary).tokenizer.describe() == "WordPiece"


def test_word_piece_offsets(word_piece_vocabulary: Path) -> None:
    encoder = open_tokenizer(word_piece_vocabulary)
    text = "The\u2028Cat, 🙂 ＳＴＲＡßＥ"
    found = [text[a:b] for a, b in encoder.encode(text).offsets.tolist()]
    assert found[:4] == ["The", "Cat", ",", "🙂"]


@pytest.mark.parametrize("word", ["cafe\u0301", "e\u0301\u0301a\u0302", "ก็", "dog\ufe0f"])
def test_marks_that_lower_casing_drops_stay_in_the_surface(word_piece_vocabulary: Path, word: str) -> None:
    text = f"{word} \u0301 the"
    offsets = open_tokenizer(word_piece_vocabulary).encode(text).offsets
    assert offsets[0, 0] == 0
    assert max(end for _, end in offsets.tolist() if end < len(text)) == len(word)
    assert (offsets[1:, 0] >= offsets[:-1, 1]).all()


def test_special_tokens_in_a_text_are_text(word_piece_vocabulary: Path) -> None:
    encoder = open_tokenizer(word_piece_vocabulary)
    assert 2 not in encoder.encode("[SEP] [MASK]").ids.tolist()


@pytest.fixture
def byte_level(tmp_path: Path) -> Path:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    library.train_from_iterator(["the cat sat on the mat", "el niño come", "die Straße"] * 5, trainer)
    library.add_special_tokens(["<mask>"])
    library.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    library.enable_truncation(4)
    library.enable_padding(length=8)
    library.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_byte_level_bpe(byte_level: Path) -> None:
    encoder = open_tokenizer(byte_level)
    library = Tokenizer.from_file(str(byte_level))
    library.no_truncation()
    library.no_padding()
    assert encoder.vocabulary.symbols[:5] == ["<s>", "<pad>", "</s>", "<unk>", "!"]
    assert encoder.vocabulary.mask == len(encoder.vocabulary) - 1
    assert encoder.template.separators == 2
    for text in TEXTS:
        ids = encoder.encode(text).ids.tolist()
        assert ids == library.encode(text, add_special_tokens=False).ids
    text = "the 🙂  niño"
    found = [text[a:b] for a, b in encoder.encode(text).offsets.tolist()]
    assert found[0] == "the"
    assert set("".join(found)) == set("the🙂niño")
    assert "<mask>" not in [encoder.vocabulary.symbols[i] for i in encoder.encode("<mask>").ids]


def test_special_symbols_in_a_text_stay_text_for_a_unigram_model(tmp_path: Path) -> None:
    """Its pieces begin with them, as XLM-R's do, with a score above all others."""
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [*((name, 0.0) for name in special), *((sign, -5.0) for sign in "\u2581<>/abdknmpsu"), ("<mask>", 0.0)]
    library = Tokenizer(models.Unigram(pieces, 3, False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.add_special_tokens([*special, "<mask>"])
    library.save(str(tmp_path / "tokenizer.json"))
    encoder = open_tokenizer(tmp_path / "tokenizer.json")
    assert encoder.vocabulary.symbols == [name for name, _ in pieces]
    for text in (*special, "<mask>", "a <s> b</s><pad>"):
        (encoding,) = encoder.encode_batch([text])
        found = "".join(encoder.vocabulary.symbols[i] for i in encoding.ids)
        assert found == "\u2581" + text.replace(" ", "\u2581")
        assert len(encoding.ids) == len(found)
        assert encoder.encode_ids([text]).flat.tolist() == encoding.ids.tolist()


def test_vocab_json_with_merges_is_the_same(byte_level: Path, tmp_path: Path) -> None:
    from skill_plugin.text.tokenizer_files import find_tokenizer

    whole = open_tokenizer(byte_level)
    data = json.loads(byte_level.read_text(encoding="utf-8"))
    folder = tmp_path / "old"
    folder.mkdir()
    vocabulary = {**data["model"]["vocab"], "<mask>": len(data["model"]["vocab"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    merges = "\n".join(" ".join(m) for m in data["model"]["merges"])
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    source = find_tokenizer(folder)
    assert source is not None
    found, _ = source.arrange()
    assert found == whole.vocabulary
    for text in TEXTS:
        assert source.build(found).encode_batch([text])[0].ids.tolist() == whole.encode(text).ids.tolist()


def test_gpt2_ids_as_symbols(byte_level: Path, tmp_path: Path) -> None:
    """fairseq's RoBERTa: dict.txt holds the ids of encoder.json in decimal, in order of frequency."""
    data = json.loads(byte_level.read_text(encoding="utf-8"))
    (tmp_path / "encoder.json").write_text(json.dumps(data["model"]["vocab"]), encoding="utf-8")
    merges = "\n".join(" ".join(m) for m in data["model"]["merges"])
    (tmp_path / "vocab.bpe").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    order = sorted(data["model"]["vocab"].values(), reverse=True)
    (tmp_path / "dict.txt").write_text("".join(f"{i} 1\n" for i in order), encoding="utf-8")
    encoder = open_tokenizer(tmp_path / "vocab.bpe", tmp_path / "dict.txt")
    plain = open_tokenizer(byte_level)
    for text in TEXTS:
        symbols = [encoder.vocabulary.symbols[i] for i in encoder.encode(text).ids]
        assert symbols == [str(i) for i in plain.encode(text).ids]
    with pytest.raises(InputError, match="--dict"):
        open_tokenizer(tmp_path / "vocab.bpe")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer.json", "{", "tokenizer.json: not a tokenizer.json"),
        ("tokenizer.json", None, "tokenizer.json: no such file or directory"),
        ("vocab.txt", "", "vocab.txt: is empty"),
        ("vocab.txt", "a\nb\n", "vocab.txt: the tokenizer has no cls_token: looked for [CLS] and <s>"),
        ("vocab.bin", "a", "vocab.bin: not a tokenizer"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as error:
        open_tokenizer(tmp_path / name)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("[1]", "tokenizer_config.json: expected a JSON object, found list"),
        ('{"do_lower_case": "yes"}', "tokenizer_config.json: do_lower_case is 'yes', expected true or false"),
        ('{\n"do_lower_case":', "tokenizer_config.json:2: not JSON"),
    ],
)
def test_bad_settings(word_piece_vocabulary: Path, settings: str, message: str) -> None:
    (word_piece_vocabulary.parent / "tokenizer_config.json").write_text(settings)
    with pytest.raises(InputError) as error:
        open_tokenizer(word_piece_vocabulary)
    assert message in str(error.value)


PLACES = ["Groningen", "Den Haag, aan zee", "(Utrecht)", "é", "a  b", "zee\u00ebn"]


@pytest.mark.parametrize("trim_offsets", [True, False])
@pytest.mark.parametrize("add_prefix_space", [True, False])
@pytest.mark.parametrize("divided", [True, False])
def test_offsets_cover_all_ink_whatever_a_file_says_of_them(
    tmp_path: Path, trim_offsets: bool, add_prefix_space: bool, divided: bool
) -> None:
    """Of byte-level BPE that puts spaces before words by itself, and trims them off offsets."""
    library = Tokenizer(models.BPE(unk_token="<unk>"))
    parts = [pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)]
    if divided:
        parts = [pre_tokenizers.Whitespace(), *parts, pre_tokenizers.Punctuation()]
    library.pre_tokenizer = pre_tokenizers.Sequence(parts)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    library.train_from_iterator(PLACES * 3, trainer)
    library.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets, add_prefix_space)
    library.save(str(tmp_path / "tokenizer.json"))
    encoder = open_tokenizer(tmp_path / "tokenizer.json")
    for text in (" ".join(PLACES), *PLACES):
        offsets = encoder.encode(text).offsets.tolist()
        covered = {place for start, end in offsets for place in range(start, end)}
        assert covered == {place for place, character in enumerate(text) if not character.isspace()}
        assert offsets == sorted(offsets)


def test_answers_of_the_case_of_trimmed_offsets(shared: Path) -> None:
    folder = shared / "cases/39-robbert-offsets"
    encoder = open_tokenizer(folder / "hf/tokenizer.json")
    for line in (folder / "valid.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        start, end = row["s"][0], row["s"][0] + len(row["a"][0])
        offsets = encoder.encode(row["c"]).offsets
        first, last = find_token_range(offsets, start, end) or (0, 0)
        assert find_character_range(offsets, first, last) == (start, end)
    words = ["Vandaag", "woont", "Jan", "in", "Groningen", "."]
    (found,) = encode_words_batch(encoder, [words], spaced=True)
    pieces = [encoder.vocabulary.symbols[found.ids[first]] for first in found.first]
    assert all(
        piece.strip("Ġ") and word.startswith(piece.strip("Ġ")) for piece, word in zip(pieces, words, strict=True)
    )
