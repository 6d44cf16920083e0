"""``mix``: parallel translations of one corpus, of which every language trains on another part (thesis, figure 3.5).

A section with ``mix`` stands for one corpus a language, ``<name>-<language>``, which share the head ``<name>``::

    xnli:
      kind: classification
      mix: {en: train-en.tsv, de: train-de.tsv}     # row n of one is the translation of row n of the other
      mix_seed: 1
      valid: {en: dev-en.tsv, de: dev-de.tsv}

The expansion is a function of the text of the corpora file alone, since a checkpoint carries that text. Which rows a
part has follows from ``mix_seed`` too, not from a run's seed: ``prepare`` writes the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.corpus import MixPart
from skill_plugin.spec.cuts import read_seed
from skill_plugin.spec.names import check_name
from skill_plugin.spec.yaml_lines import LinedDict, show

KEYS = ("mix", "mix_seed")
EXAMPLE = "{en: FILE, de: FILE}"


@dataclass(frozen=True)
class MixedSection:
    """One corpus of a mix, as if it had been written out.

    Attributes:
        raw: its keys, with the lines where they stand.
        part: its part of the rows.
        line: of its language under ``mix``.
    """

    raw: LinedDict
    part: MixPart
    line: int


def expand_mix(name: str, raw: LinedDict, file: Path) -> dict[str, MixedSection]:
    """The corpora that a section with ``mix`` stands for, by name.

    Args:
        name: of the section.
        raw: its keys.
        file: the corpora file, for messages.

    Raises:
        InputError: the first fault, with its line.
    """
    mix = _by_language(name, "mix", raw, file)
    if len(mix) < 2:
        message = f"corpus {name!r}: 'mix' has one language; expected two or more, or 'train' and 'language'"
        raise InputError(message, file, raw.lines["mix"])
    for key in ("language", "train"):
        if key in raw:
            message = f"corpus {name!r} has both 'mix' and {key!r}; 'mix' gives the languages and their train files"
            raise InputError(message, file, raw.lines[key])
    splits = {split: _by_language(name, split, raw, file) for split in ("valid", "test") if split in raw}
    for split, files in splits.items():
        for language in files:
            if language not in mix:
                hint = f"; a corpus 'as: {name}-{next(iter(mix))}' is only evaluated"
                message = f"corpus {name!r}: {split}: no part of the mix is in {language!r}"
                raise InputError(message + nearest(str(language), map(str, mix)) + hint, file, files.lines[language])
    seed = read_seed(raw, "mix_seed", f"corpus {name!r}", file)
    sections: dict[str, MixedSection] = {}
    for number, (language, train) in enumerate(mix.items()):
        line = mix.lines[language]
        check_name(language, "language", file, line)
        section = LinedDict(line)
        for kept in raw:
            if kept not in (*KEYS, *splits):
                _put(section, kept, raw[kept], raw.lines[kept])
        _put(section, "language", language, line)
        _put(section, "train", train, line)
        for split, files in splits.items():
            if language in files:
                _put(section, split, files[language], files.lines[language])
        if "head" not in raw and "as" not in raw:
            _put(section, "head", name, raw.lines["mix"])
        sections[f"{name}-{language}"] = MixedSection(section, MixPart(name, number, len(mix), seed), line)
    return sections


def _put(section: LinedDict, key: str | int, value: Any, line: int) -> None:
    section[key], section.lines[key] = value, line


def _by_language(name: str, key: str, raw: LinedDict, file: Path) -> LinedDict:
    value = raw[key]
    if not isinstance(value, LinedDict) or not value:
        message = f"corpus {name!r}: {key}: expected a file for each language, as {EXAMPLE}, not {show(value)}"
        raise InputError(message, file, raw.lines[key])
    return value
