"""The corpora that a trained model and a data folder have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from skill_plugin.api import Model
from skill_plugin.data.corpus_examples import CorpusExamples, corpus_examples
from skill_plugin.errors import InputError
from skill_plugin.store.corpus_store import list_corpora, list_splits


def find_common_splits(
    model: Model,
    data_bin: str,
    split: str,
    unfit: Callable[[CorpusExamples], str | None],
    only: Sequence[str] | None = None,
    verify: bool = True,
) -> tuple[dict[str, CorpusExamples], dict[str, str]]:
    """Finds the split of each such corpus, and says why others are left out.

    Args:
        model: the trained model.
        data_bin: a data folder.
        split: train, valid or test.
        unfit: what is wrong with the examples of a split (``has no labels``); None where they will do.
        only: names of corpora; None for all of the model.
        verify: compare the checksums of the folder's files.

    Raises:
        InputError: the model has not such a corpus, no such folder, or a file of the folder is at fault.
    """
    for name in only or ():
        model.labels(name)  # refuses an unknown corpus
    found = list_corpora(data_bin)
    left_out = {} if only else {name: "not a corpus of the model" for name in found if name not in model.corpora}
    splits: dict[str, CorpusExamples] = {}
    for name in model.corpora:
        if only is not None and name not in only:
            continue
        if split not in list_splits(data_bin, name):
            left_out[name] = f"no {split} split"
            continue
        greedy = model.decode == "greedy"
        examples = corpus_examples(model.bundle, name, data_bin, split, verify=verify, greedy=greedy)
        reason = unfit(examples)
        if reason is None:
            splits[name] = examples
        else:
            left_out[name] = f"its {split} split {reason}"
    return splits, left_out


def refuse_missing(model: Model, data_bin: str, only: Sequence[str] | None = None) -> None:
    """Checks that a data folder has the corpora of a model.

    Args:
        model: the trained model.
        data_bin: a data folder.
        only: names of corpora; None for all of the model.

    Raises:
        InputError: it lacks some.
    """
    found = list_corpora(data_bin)
    asked = [name for name in only or model.corpora if name in model.corpora]  # others are refused as such
    if missing := [name for name in asked if name not in found]:
        message = f"lacks {', '.join(missing)}, which the model has; --only-corpora names those to score, "
        raise InputError(f"{message}--allow-missing scores those that are there", data_bin)


def nothing_to(verb: str, left_out: Mapping[str, str], data_bin: str) -> InputError:
    """Makes the error of a folder of which every corpus is left out; ``verb`` is what cannot be done."""
    return InputError(f"nothing to {verb} ({join_reasons(left_out)})", data_bin)


def join_reasons(left_out: Mapping[str, str]) -> str:
    """Why corpora were left out, in one line: each reason once, after all corpora that it is true of."""
    names: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(found)}: {reason}" for reason, found in names.items())
