"""A ``tokenizer.json`` with fewer pieces: WordPiece, byte-pair encoding, unigram.

- WordPiece takes the longest piece at each place of a word: without pieces that are never taken the others are taken as
  before (Wu et al. 2016).
- A byte-pair encoding makes the earliest merge of its list first: see ``needed_pieces.find_merges``.
- Unigram: see ``sentencepiece_model``.
"""

from __future__ import annotations

from collections.abc import Collection
from json import dumps
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json
from skill_plugin.text.trimming.needed_pieces import find_merges, needed_for_spelling

Part = dict[str, Any]


def trim_tokenizer_json(json: str, occurring: Collection[str], keep_ids: bool = False) -> str:
    """Takes pieces out of a tokenizer.

    Args:
        json: the ``tokenizer.json`` as the library writes it.
        occurring: the pieces that stay, with all that they and other texts need. So do added tokens.
        keep_ids: keep the numbers of the pieces that stay, rather than close the gaps.

    Raises:
        InputError: a model of a kind that cannot lose pieces.
    """
    state = parse_json(json)
    model, added = state["model"], {token["content"]: token["id"] for token in state.get("added_tokens") or ()}
    trim = {"WordPiece": _trim_word_piece, "BPE": _trim_bpe, "Unigram": _trim_unigram}.get(model["type"])
    if trim is None:
        raise InputError(f"a tokenizer of the kind {model['type']} cannot lose pieces")
    old = _ids(model)
    trim(model, {*occurring, *added})
    if not keep_ids:
        stay = _ids(model)
        kept = sorted({i for token, i in old.items() if token in stay} | set(added.values()))
        _renumber(state, {i: new for new, i in enumerate(kept)})
    return dumps(state, ensure_ascii=False)


def _ids(model: Part) -> dict[str, int]:
    """The number of each piece."""
    if model["type"] == "Unigram":
        return {piece: i for i, (piece, _) in enumerate(model["vocab"])}
    return dict(model["vocab"])


def _trim_word_piece(model: Part, occurring: set[str]) -> None:
    pieces = model["vocab"]
    kept = occurring | needed_for_spelling(pieces, model["continuing_subword_prefix"]) | {model["unk_token"]}
    model["vocab"] = {piece: i for piece, i in pieces.items() if piece in kept}


def _trim_bpe(model: Part, occurring: set[str]) -> None:
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise InputError("a byte-pair encoding that marks where words continue or end cannot lose pieces")
    pieces = model["vocab"]
    merges = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["merges"]]
    ranks = {pair: number for number, pair in enumerate(merges)}
    kept = (occurring | needed_for_spelling(pieces) | _bytes(pieces) | {model.get("unk_token")}) & pieces.keys()
    needed = find_merges(kept, lambda left, right: ranks.get((left, right)))
    kept |= {left + right for left, right in needed}
    model["vocab"] = {piece: i for piece, i in pieces.items() if piece in kept}
    model["merges"] = [list(pair) for pair in merges if pair in needed]


def _trim_unigram(model: Part, occurring: set[str]) -> None:
    scores = dict(model["vocab"])
    unknown = model.get("unk_id")
    kept = occurring | needed_for_spelling(scores) | _bytes(scores) | {min(scores, key=scores.__getitem__)}
    places = [i for i, (piece, _) in enumerate(model["vocab"]) if piece in kept or i == unknown]
    model["vocab"] = [model["vocab"][i] for i in places]
    model["unk_id"] = None if unknown is None else places.index(unknown)


def _bytes(pieces: Collection[str]) -> set[str]:
    """The pieces that spell unknown characters byte by byte."""
    return {name for name in (f"<0x{byte:02X}>" for byte in range(256)) if name in pieces}


def _renumber(state: Part, new: dict[int, int]) -> None:
    """Gives all that names a piece by its number the new one."""
    model = state["model"]
    if isinstance(model["vocab"], dict):
        model["vocab"] = {piece: new[i] for piece, i in model["vocab"].items()}
    for token in state.get("added_tokens") or ():
        token["id"] = new[token["id"]]
    if padding := state.get("padding"):
        padding["pad_id"] = new.get(padding["pad_id"], 0)
    if post := state.get("post_processor"):
        _renumber_post_processor(post, new)


def _renumber_post_processor(part: Part, new: dict[int, int]) -> None:
    for inner in part.get("processors") or ():
        _renumber_post_processor(inner, new)
    for name in ("sep", "cls"):  # of BERT's and RoBERTa's
        if name in part:
            part[name][1] = new.get(part[name][1], part[name][1])
    if part["type"] == "TemplateProcessing":
        for token in part["special_tokens"].values():
            token["ids"] = [new.get(i, i) for i in token["ids"]]
