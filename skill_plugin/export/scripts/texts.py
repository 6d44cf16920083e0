"""Makes sequences of texts as the model was trained with them. Needs tokenizers, and lies beside tokenizer.json."""
import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

how = json.loads((Path(__file__).parent / "config.json").read_text(encoding="utf-8"))["decoding"]
library = Tokenizer.from_file(str(Path(__file__).parent / "tokenizer.json"))
library.encode_special_tokens = True  # special symbols that are written in a text stay text

def pieces(text: str) -> list[int]:
    """Ids of a text's pieces."""
    return list(library.encode(text, add_special_tokens=False).ids)

def kept(*sizes: int) -> list[int]:
    """How many pieces each text of a sequence keeps, so that all of them fit."""
    left, texts = list(sizes), range(len(sizes))
    while sum(left) > how["room"]:
        if how["cut"] == "longest":
            cut = max(texts, key=lambda i: (left[i], -sizes[i], -i))
        else:
            order = texts if how["cut"] == "left" else reversed(texts)
            cut = next(i for i in order if left[i] > (how["least"] if i == texts[-1] else 0))
        left[cut] -= 1
    return left

def join(*texts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Ids and token types of a sequence of texts, which fit."""
    ids, ends = [how["bos"]], [how["eos"]] * how["separators"]
    for text in texts[:-1]:
        ids += [*text, *ends]
    first = 1 + len(texts[0]) + len(ends)
    ids += [*texts[-1], how["eos"]]
    return ids, [0 if at < first else how["token_types"] for at in range(len(ids))]
