"""Finds and reads the files of a tokenizer: SentencePiece models, ``tokenizer.json``, ``vocab.txt``, BPE merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Library
from tokenizers import models, normalizers, pre_tokenizers

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json, read_text
from skill_plugin.text.hub_tokenizer import HubTokenizer, SpecialTokens, load_library
from skill_plugin.text.sentencepiece_tokenizer import (
    SentencePieceTokenizer,
    list_all_pieces,
    list_pieces,
    read_sentencepiece_model,
)
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_source import TokenizerSource
from skill_plugin.text.vocabulary import MASK, SENTINEL, SPECIALS, Vocabulary

BERT_SPECIALS = SpecialTokens("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")
FAIRSEQ_SPECIALS = SpecialTokens(*SPECIALS, MASK)
T5_SPECIALS = SpecialTokens("", *SPECIALS[1:])
# the roles in SpecialTokens' order under the names of transformers' files
_ROLES = (("cls_token", "bos_token"), ("pad_token",), ("sep_token", "eos_token"), ("unk_token",), ("mask_token",))


def open_tokenizer(model: str | PathLike[str], dict_txt: str | PathLike[str] | None = None) -> TextEncoder:
    """The text encoder of ``--tokenizer MODEL [--dict DICT]``.

    Args:
        model: a SentencePiece ``.model``, a ``tokenizer.json``, a ``vocab.txt``, or GPT-2's ``vocab.bpe`` with
            ``encoder.json`` beside it (fairseq's RoBERTa; needs ``dict_txt``).
        dict_txt: fairseq's ``dict.txt``; without it the pieces of the model, in fairseq's order.

    Raises:
        InputError: a file is missing or of none of these kinds.
    """
    model = Path(model)
    if model.suffix == ".bpe":
        if dict_txt is None:
            raise InputError("GPT-2's BPE needs fairseq's dict.txt: give it with --dict", model)
        vocabulary = Vocabulary.from_dict_txt(dict_txt, mask=True)
        return TextEncoder(load_gpt2_tokenizer(model.parent, vocabulary), vocabulary, Template(2, token_types=False))
    source = read_tokenizer_file(model, read_settings_beside(model))
    if dict_txt is None:
        vocabulary, _ = source.arrange()
    else:
        vocabulary = Vocabulary.from_dict_txt(dict_txt, mask=True)
    return TextEncoder(source.build(vocabulary), vocabulary, choose_template(source))


def choose_template(source: TokenizerSource, token_types: int = 2) -> Template:
    """BERT's template for WordPiece, else RoBERTa's; an encoder with fewer than two token types gets none."""
    if source.word_piece:
        return Template(1, token_types=token_types > 1)
    return Template(2, token_types=False)


def find_tokenizer(folder: Path) -> TokenizerSource | None:
    """The tokenizer of a Hugging Face folder, or None; ``tokenizer.json`` is the most complete and comes first."""
    settings = read_settings_beside(folder / "tokenizer.json")
    for name in ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model"):
        if (folder / name).is_file():
            return read_tokenizer_file(folder / name, settings)
    prefix = bool(_flag(settings, "add_prefix_space", False, folder / "vocab.json"))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        library = _byte_level_bpe(folder / "vocab.json", folder / "merges.txt", prefix)
        return _hub_source(library, settings, folder / "vocab.json")
    return None


def find_t5_tokenizer(folder: Path, rows: int) -> TokenizerSource | None:
    """The tokenizer of a folder of mT5, or None. It has no ``<s>``.

    Ids are the SentencePiece model's own. Where that has no symbols for corrupted spans, ``<extra_id_0>`` is the last
    one of those that follow, as in transformers.

    Args:
        folder: with ``spiece.model``, or ``tokenizer.json``.
        rows: rows of the table of embeddings.
    """
    settings, path = read_settings_beside(folder / "spiece.model"), folder / "spiece.model"
    if not path.is_file():
        return _read_json(json, settings, begins=False) if (json := folder / "tokenizer.json").is_file() else None
    model = read_sentencepiece_model(path)
    tokens, extra = list_all_pieces(model), settings.get("extra_ids", 100)
    if isinstance(extra, int) and len(tokens) + extra <= rows and not any(SENTINEL in token for token in tokens):
        tokens += [f"{SENTINEL}{number}>" for number in reversed(range(extra))]
    return TokenizerSource(tokens, T5_SPECIALS, False, lambda v: SentencePieceTokenizer(model, v), path)


def read_tokenizer_file(path: Path, settings: Mapping[str, Any]) -> TokenizerSource:
    """A tokenizer from one file; its kind is told from its name.

    Args:
        path: ``*.model``, ``*.json`` or ``*.txt``.
        settings: as ``read_settings_beside`` gives them.

    Raises:
        InputError: missing, or of another kind.
    """
    if path.suffix == ".model":
        model = read_sentencepiece_model(path)
        tokens = [*SPECIALS, *list_pieces(model), MASK]
        return TokenizerSource(tokens, FAIRSEQ_SPECIALS, False, lambda v: SentencePieceTokenizer(model, v), path)
    if path.suffix == ".json":
        return _read_json(path, settings)
    if path.suffix == ".txt":
        return _hub_source(_word_piece(path, settings), settings, path)
    raise InputError("not a tokenizer: expected a SentencePiece .model, a tokenizer.json or a vocab.txt", path)


def _read_json(path: Path, settings: Mapping[str, Any], begins: bool = True) -> TokenizerSource:
    try:
        library = load_library(read_text(path))
    except InputError as error:
        raise InputError(error.message, path) from None
    return _hub_source(library, settings, path, begins)


def load_gpt2_tokenizer(folder: Path, vocabulary: Vocabulary) -> HubTokenizer:
    """GPT-2's byte-level BPE over fairseq's RoBERTa dictionary, whose symbols are the ids of ``encoder.json``."""
    library = _byte_level_bpe(folder / "encoder.json", folder / "vocab.bpe", add_prefix_space=False)
    return HubTokenizer(library.to_str(), FAIRSEQ_SPECIALS, vocabulary, numbered=True)


def read_settings_beside(path: Path) -> dict[str, Any]:
    """What ``special_tokens_map.json`` and ``tokenizer_config.json`` in a file's folder say, the latter first."""
    settings: dict[str, Any] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        beside = path.parent / name
        if beside.is_file():
            settings |= read_json(beside)
    return settings


def _hub_source(library: Library, settings: Mapping[str, Any], path: Path, begins: bool = True) -> TokenizerSource:
    tokens = library.get_vocab(with_added_tokens=True)
    by_id: list[str | None] = [None] * (max(tokens.values(), default=-1) + 1)
    for token, i in tokens.items():
        by_id[i] = token
    special = _special_tokens(tokens, settings, path, begins)
    text = library.to_str()
    word_piece = isinstance(library.model, models.WordPiece)
    return TokenizerSource(by_id, special, word_piece, lambda v: HubTokenizer(text, special, v), path)


def _special_tokens(tokens: Mapping[str, int], settings: Mapping[str, Any], path: Path, begins: bool) -> SpecialTokens:
    """Names from the settings, else BERT's or RoBERTa's own, whichever the tokenizer knows; one of ``<s>`` if texts
    begin with it."""
    found = [] if begins else [""]
    for i, names in list(enumerate(_ROLES))[len(found) :]:
        said = [_content(settings.get(name)) for name in names]
        usual = [BERT_SPECIALS.to_list()[i], FAIRSEQ_SPECIALS.to_list()[i]]
        known = [name for name in [*said, *usual] if name and name in tokens]
        if not known and names != ("mask_token",):
            raise InputError(f"the tokenizer has no {names[0]}: looked for {' and '.join(usual)}", path)
        found.append(known[0] if known else "")
    return SpecialTokens(*found)


def _content(token: Any) -> str | None:
    """transformers writes a special token as its text or as an object with the text in ``content``."""
    value = token.get("content") if isinstance(token, dict) else token
    return value if isinstance(value, str) else None


def _word_piece(path: Path, settings: Mapping[str, Any]) -> Library:
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError("is empty, expected one token a line", path)
    unknown = _content(settings.get("unk_token")) or "[UNK]"
    library = Library(models.WordPiece({t: i for i, t in enumerate(lines)}, unk_token=unknown))
    library.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(_flag(settings, "tokenize_chinese_chars", True, path)),
        strip_accents=_flag(settings, "strip_accents", None, path),
        lowercase=bool(_flag(settings, "do_lower_case", _is_lower_cased(lines), path)),
    )
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return library


def _flag(settings: Mapping[str, Any], key: str, default: bool | None, path: Path) -> bool | None:
    value = settings.get(key)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{key} is {value!r}, expected true or false", path.with_name("tokenizer_config.json"))
    return default if value is None else value


def _is_lower_cased(tokens: Sequence[str]) -> bool:
    """A cased vocabulary holds pieces with capitals; names such as ``[CLS]`` and ``[unused1]`` do not count."""
    return not any(token != token.lower() for token in tokens if not (token[:1] == "[" and token[-1:] == "]"))


def _byte_level_bpe(vocabulary: Path, merges: Path, add_prefix_space: bool) -> Library:
    ids = read_json(vocabulary)
    pairs = []
    for number, line in enumerate(read_text(merges).split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or (number == 1 and line.startswith("#version")):
            continue
        left, _, right = line.partition(" ")
        if not right or " " in right:
            raise InputError(f"expected two pieces to merge, found {line!r}", merges, number)
        pairs.append((left, right))
    try:
        library = Library(models.BPE(ids, pairs))
    except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
        raise InputError(f"does not fit {vocabulary.name} ({error})", merges) from None
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    return library
