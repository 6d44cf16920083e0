"""Examples on which an exported model is compared with the trained one."""

from __future__ import annotations

from itertools import pairwise

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import corpus_examples
from skill_plugin.export.sample_texts import sample_texts
from skill_plugin.kinds.input_form import make_example, make_input_form
from skill_plugin.kinds.registry import kind_named
from skill_plugin.readers.example import Example
from skill_plugin.store.corpus_store import list_splits
from skill_plugin.text.vocabulary import MASK

_SPLITS = ("valid", "test", "train")


def choose_examples(model: Model, corpus: str, data_bin: str | None, rows: int) -> tuple[list[Example], str | None]:
    """Rows of a corpus, evenly spread over its first split; texts in its language where there is no data folder.

    Args:
        model: the trained model.
        corpus: one of its corpora.
        data_bin: a data folder.
        rows: the most examples.

    Returns:
        The examples, and the split that they are from; None: built-in texts.

    Raises:
        InputError: the folder is at fault, or lacks the corpus or its original texts.
    """
    described = model.bundle.corpus(corpus)
    kind = kind_named(described.kind)
    split = None
    if data_bin is not None and (kind.answers or kind.masks):  # else rows are documents, of which pairs are drawn
        splits = list_splits(data_bin, corpus)
        split = next((one for one in _SPLITS if one in splits), _SPLITS[0])
        stored = corpus_examples(model.bundle, corpus, data_bin, split).split
        step = max(1, len(stored) // rows)
        chosen = [stored.example(row) for row in range(0, len(stored), step)][:rows]
    else:
        form = make_input_form(described)
        chosen = [form.sample(texts) for texts in pairwise(sample_texts(described.language))][:rows]
    return ([_hide(example) for example in chosen] if kind.masks else chosen), split


def _hide(example: Example) -> Example:
    """With a mask in place of the second word, or behind a text of one."""
    first, *others = example.texts[0].replace(MASK, " ").split(" ")
    return make_example((" ".join([first, MASK, *others[1:]]),))
