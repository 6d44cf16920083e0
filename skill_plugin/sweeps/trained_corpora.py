"""Which corpora the runs of a stage are trained on: all together, or each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec.corpora_file import read_corpora_file
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.names import read_only_corpora
from skill_plugin.store.corpus_store import list_corpora, list_splits, open_corpus
from skill_plugin.sweeps.options import CORPORA, DATA, Options, text_of
from skill_plugin.sweeps.sweep_file import VALID, Stage, SweepFile


@dataclass(frozen=True)
class TrainedCorpora:
    """What runs are trained on.

    Attributes:
        corpora: of the file that the data folder has.
        rows: training rows of those that have some.
        masked: those that are of masked tokens.
        by_itself: those that are trained by themselves, each with others that are ``as`` it, which have no train split
            and are scored with it; none where all are trained together.
        left_out: why others are not.
    """

    corpora: tuple[str, ...]
    rows: dict[str, int]
    masked: tuple[str, ...]
    by_itself: dict[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def find_trained_corpora(file: SweepFile, stage: Stage, options: Options) -> TrainedCorpora:
    """The corpora of runs with these options.

    Raises:
        InputError: runs without data or corpora, a file of them is at fault, or a corpus that is asked for by its name
            cannot be trained by itself, or none can.
    """
    only = read_only_corpora(text_of(options, "--only-corpora"))
    data, path = text_of(options, DATA), text_of(options, CORPORA)
    if data is None or path is None:
        raise InputError(f"has runs without {'data' if data is None else 'corpora'}", file.path)
    corpora, there = read_corpora_file(path, only).corpora, list_corpora(data)
    found = tuple(name for name in corpora if name in there)
    trained = [name for name in found if "train" in list_splits(data, name)]
    rows = {name: len(open_corpus(data, corpora[name], "train")) for name in trained}
    masked = tuple(name for name in found if kind_named(corpora[name].kind).masks)
    if not stage.each:
        return TrainedCorpora(found, rows, masked)
    asked = stage.each if isinstance(stage.each, tuple) else None
    for name in asked or ():
        if name not in corpora:
            raise InputError(f"each: unknown corpus {name!r}{nearest(name, corpora)}", file.path, stage.line)
    reasons = {name: _unfit(Path(data), corpora[name], there) for name in asked or corpora}
    alone = [name for name, reason in reasons.items() if not reason]
    by_itself = _with_shared(alone, [name for name in found if name not in trained], corpora)
    scored = {name for names in by_itself.values() for name in names}
    wrong = tuple(reason for name, reason in reasons.items() if name not in scored)
    if wrong and (asked or not alone):
        raise InputError(f"each: cannot be trained by itself: {'; '.join(wrong)}", file.path, stage.line)
    return TrainedCorpora(found, rows, masked, by_itself, wrong)


def _with_shared(
    alone: Sequence[str], untrained: Sequence[str], corpora: Mapping[str, Corpus]
) -> dict[str, tuple[str, ...]]:
    """Each corpus with those that are not trained and are ``as`` it."""
    return {name: (name, *(one for one in untrained if corpora[one].shares == name)) for name in alone}


def _unfit(data: Path, corpus: Corpus, there: Sequence[str]) -> str:
    """Why a corpus cannot be trained and chosen by itself; nothing where it can."""
    if corpus.name not in there:
        return f"{corpus.name} is not in {data}"
    for split in ("train", VALID):
        if split not in list_splits(data, corpus.name) or not len(rows := open_corpus(data, corpus, split)):
            return f"{corpus.name} has no {split} split"
        if not rows.answered:
            return f"{corpus.name} has a {split} split without answers"
    if not corpus.in_average:
        return f"{corpus.name} does not count in avg"
    return ""
