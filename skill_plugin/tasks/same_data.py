"""Which data a run was on, so that it goes on with that alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError
from skill_plugin.store.corpus_folder import find_corpus_folder
from skill_plugin.store.manifest import read_corpus_manifest

# corpus -> split -> rows and identity
Data = Mapping[str, Mapping[str, list[int | str]]]


def identify_data(bundle: Bundle, data_bin: str, splits: Iterable[str]) -> dict[str, dict[str, list[int | str]]]:
    """The prepared data of a run, by corpus and split: rows, and what is the same for the same rows.

    A folder that fairseq-preprocess wrote has nothing to say of itself.

    Args:
        bundle: bundle of the run.
        data_bin: the data folder.
        splits: names of the splits that count.
    """
    found: dict[str, dict[str, list[int | str]]] = {}
    for name in bundle.labels:
        manifest = read_corpus_manifest(find_corpus_folder(data_bin, name))
        if manifest is not None:
            identities = {split: manifest.identity(split) for split in splits}
            found[name] = {
                split: [manifest.splits[split].rows, identity]
                for split, identity in identities.items()
                if identity is not None
            }
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
