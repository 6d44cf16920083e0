"""Which data a run was on, so that it goes on with that alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.errors import InputError

# corpus -> split -> rows and identity
Data = Mapping[str, Mapping[str, list[int | str]]]


def identify_data(loaded: Mapping[str, Iterable[CorpusExamples]]) -> dict[str, dict[str, list[int | str]]]:
    """The prepared data that a run has read, by corpus and split: rows, and what is the same for the same rows.

    It is that of the files which were there when the run began; the folder may hold others by now. One that
    fairseq-preprocess wrote has nothing to say of itself.

    Args:
        loaded: the examples of each corpus, by split.
    """
    found: dict[str, dict[str, list[int | str]]] = {}
    for split, corpora in loaded.items():
        for examples in corpora:
            if examples.split.prepared is not None:
                found.setdefault(examples.name, {})[split] = list(examples.split.prepared)
    return found


def check_same_data(was: Data, now: Data) -> None:
    """Compares ``identify_data`` two runs, as far as both say something.

    Raises:
        InputError: a split was prepared anew with other rows.
    """
    for name in filter(now.__contains__, was):
        for split in filter(now[name].__contains__, was[name]):
            (rows, identity), (rows_now, identity_now) = was[name][split], now[name][split]
            if identity != identity_now:
                differs = f"it had {rows:,} rows, now {rows_now:,}"
                if rows == rows_now:
                    differs = f"it has {rows:,} rows as before, but not the same ones"
                afresh = "start a new plan with --reset-dataloader"
                if split != "train":
                    afresh = "forget which checkpoint was the best with --reset-meters"
                what = f"the {split} split of {name!r} was prepared anew"
                raise InputError(f"cannot resume: {what}: {differs}; keep the data, or {afresh}")


def mix_seeds(bundle: Bundle) -> list[str]:
    """The seeds that say which rows those of the run's corpora have that are parts of a mix."""
    parts = ((name, bundle.corpus(name).part) for name in bundle.labels)
    return [f"{name}={part.seed}" for name, part in parts if part is not None]
