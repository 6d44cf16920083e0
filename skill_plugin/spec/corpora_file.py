"""The corpora file: languages, skills and corpora of a model (DESIGN 2.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from skill_plugin.errors import InputError, listing, nearest
from skill_plugin.kinds.registry import kind_named
from skill_plugin.spec.averages import AVERAGE, WEIGHTED, WORST, name_language_average
from skill_plugin.spec.corpus import Corpus
from skill_plugin.spec.groups import read_groups
from skill_plugin.spec.mix import expand_mix
from skill_plugin.spec.names import check_name
from skill_plugin.spec.resolve import Resolver
from skill_plugin.spec.section import read_section
from skill_plugin.spec.skill_starts import SkillStart, read_skill_starts
from skill_plugin.spec.written_corpus import WrittenCorpus
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, load_yaml, show

USUAL = ("languages", "skills", "corpora")
STARTS = ("skills_from", "languages_from")
KEYS = (*USUAL, "groups", *STARTS)
REQUIRED = ("languages", "corpora")  # dense models have no skills


class CorporaFile(BaseModel):
    """What a corpora file says.

    Attributes:
        path: where it was read, for messages and relative paths.
        text: its text; ``parse_corpora_file(text, path)`` gives an equal file (but for a selection).
        languages: one language skill each.
        skills: task skill -> description, in the file's order.
        corpora: the selected corpora, in the file's order.
        every_corpus: all corpora of the file, whatever the selection.
        groups: name -> corpora whose mean counts once in averages, whatever the selection.
        skills_from, languages_from: what those start from that a checkpoint lacks, as far as the file says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    text: str
    languages: tuple[str, ...]
    skills: dict[str, str]
    corpora: dict[str, Corpus]
    every_corpus: dict[str, Corpus]
    groups: dict[str, tuple[str, ...]] = {}
    skills_from: dict[str, SkillStart] = {}
    languages_from: dict[str, SkillStart] = {}

    def select(self, names: Sequence[str] | None) -> CorporaFile:
        """The same file with only the named corpora; languages and skills stay those of the whole file.

        The name of a mix means all its corpora. One of them alone keeps its part of the rows.

        Raises:
            InputError: a name that is not a corpus of the file.
        """
        if names is None:
            return self
        mixes = {corpus.part.mix for corpus in self.corpora.values() if corpus.part is not None}
        for name in names:
            if name not in self.corpora and name not in mixes:
                raise InputError(f"unknown corpus {name!r}{nearest(name, self.corpora)}", self.path)
        chosen = {
            name: corpus
            for name, corpus in self.corpora.items()
            if name in names or (corpus.part is not None and corpus.part.mix in names)
        }
        return self.model_copy(update={"corpora": chosen})

    def untrained(self, trained: Collection[str]) -> list[str]:
        """The selected corpora whose heads no corpus trains.

        Args:
            trained: the corpora with training data.
        """
        heads = {self.corpora[name].head for name in trained}
        return [name for name, corpus in self.corpora.items() if corpus.head not in heads]

    def labels_from(self, corpus: Corpus) -> Corpus:
        """The corpus whose ``labels`` or train split gives this corpus its labels: itself, the one that it names with
        ``as``, or one that shares its head; of the corpora of a mix the first."""
        candidates = [corpus]
        if corpus.shares is not None:
            candidates.append(self.every_corpus[corpus.shares])
        candidates += [other for other in self.every_corpus.values() if other.head == corpus.head]
        found = next((other for other in candidates if other.labels is not None or "train" in other.sources), corpus)
        return found if found.part is None else self.mixed(found.part.mix)[0]

    @property
    def raw_files(self) -> tuple[Path, ...]:
        """Every file that its corpora are read from, once."""
        return tuple(
            dict.fromkeys(
                file for corpus in self.corpora.values() for source in corpus.sources.values() for file in source.files
            )
        )

    def mixed(self, mix: str) -> list[Corpus]:
        """The corpora of a mix, in the order of their parts."""
        return [one for one in self.every_corpus.values() if one.part is not None and one.part.mix == mix]


def read_corpora_file(path: str | PathLike[str], only: Sequence[str] | None = None) -> CorporaFile:
    """Reads and checks a corpora file.

    Args:
        only: names of the corpora to keep (``--only-corpora``), or None for all.

    Raises:
        InputError: the file is missing or not UTF-8, or the first fault in it, with its line.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"the corpora file cannot be read: {error.strerror}", path) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"not UTF-8: the byte 0x{data[error.start]:02x}", path, line) from None
    return parse_corpora_file(text, path).select(only)


def parse_corpora_file(text: str, path: Path) -> CorporaFile:
    """Checks the text of a corpora file, as it also rides in a checkpoint.

    Args:
        path: the file's path: for messages, and the folder to which its paths are relative. It need not exist.

    Raises:
        InputError: the first fault, with its line.
    """
    path = Path(path)
    raw = load_yaml(text, path)
    if not isinstance(raw, LinedDict):
        raise InputError(f"expected a mapping with {', '.join(USUAL)}, not {show(raw)}", path, 1)
    for key in raw:
        if key not in KEYS:
            raise InputError(f"unknown key {str(key)!r}{nearest(str(key), KEYS)}", path, raw.lines[key])
    for key in REQUIRED:
        if key not in raw:
            raise InputError(f"the key {key!r} is missing", path, 1)
    languages = _languages(raw["languages"], path, raw.lines["languages"])
    skills = _skills(raw["skills"], path, raw.lines["skills"]) if "skills" in raw else {}
    sections = _sections(raw["corpora"], path, raw.lines["corpora"])
    resolver = Resolver(path, languages, skills, sections)
    corpora = {name: resolver.corpus(name) for name in sections}
    _check_heads(corpora, sections, path)
    _check_logged_names(corpora, path)
    groups = read_groups(raw["groups"], corpora, path, raw.lines["groups"]) if "groups" in raw else {}
    return CorporaFile(
        path=path,
        text=text,
        languages=languages,
        skills=skills,
        corpora=corpora,
        every_corpus=corpora,
        groups=groups,
        **{
            key: read_skill_starts(key, raw[key], known, path, raw.lines[key])
            for key, known in zip(STARTS, (skills, languages), strict=True)
            if key in raw
        },
    )


def _languages(value: Any, path: Path, line: int) -> tuple[str, ...]:
    if not isinstance(value, LinedList) or not value:
        raise InputError(f"languages: expected a list such as [en, zh], not {show(value)}", path, line)
    languages: list[str] = []
    for item, item_line in zip(value, value.lines, strict=True):
        language = check_name(item, "language", path, item_line)
        if language in languages:
            raise InputError(f"the language {language!r} is named twice", path, item_line)
        languages.append(language)
    return tuple(languages)


def _skills(value: Any, path: Path, line: int) -> dict[str, str]:
    if not isinstance(value, LinedDict) or not value:
        message = f"skills: expected a mapping from skill to description, as {{generic: always on}}, not {show(value)}"
        raise InputError(message, path, line)
    skills: dict[str, str] = {}
    for key, description in value.items():
        if isinstance(description, dict | list):
            message = f"the skill {key!r}: expected a description, not {show(description)}"
            raise InputError(message, path, value.lines[key])
        text = getattr(description, "text", description)  # what stands there, whatever YAML makes of it
        skills[check_name(key, "skill", path, value.lines[key])] = "" if text is None else str(text)
    return skills


def _sections(value: Any, path: Path, line: int) -> dict[str, WrittenCorpus]:
    if not isinstance(value, LinedDict) or not value:
        raise InputError(f"corpora: expected a mapping from name to corpus, not {show(value)}", path, line)
    sections: dict[str, WrittenCorpus] = {}
    for key, raw in value.items():
        name = check_name(key, "corpus", path, value.lines[key])
        if not isinstance(raw, LinedDict):
            message = f"corpus {name!r}: expected keys such as kind, language and train, not {show(raw)}"
            raise InputError(message, path, value.lines[key])
        if "mix" not in raw:
            sections[name] = WrittenCorpus(name, read_section(name, raw, path), raw, value.lines[key], path)
            continue
        for one, mixed in expand_mix(name, raw, path).items():
            if one in sections or one in value:
                raise InputError(f"the mix {name!r} has a corpus {one!r}, but there is another one", path, mixed.line)
            section = read_section(one, mixed.raw, path)
            sections[one] = WrittenCorpus(one, section, mixed.raw, mixed.line, path, mixed.part)
    return sections


def _check_heads(corpora: Mapping[str, Corpus], sections: Mapping[str, WrittenCorpus], path: Path) -> None:
    """Corpora that share a head need the same kind, options of it, and labels (train's: later)."""
    first: dict[str, Corpus] = {}
    for corpus in corpora.values():
        other = first.setdefault(corpus.head, corpus)
        written = sections[corpus.name]
        if corpus.kind != other.kind:
            message = (
                f"corpus {corpus.name!r} shares the head {corpus.head!r} with {other.name!r}, which has another kind"
            )
            raise InputError(message, path, written.line_of("kind"))
        for key in kind_named(corpus.kind).head_options:
            if corpus.option(key) != other.option(key):
                message = f"corpus {corpus.name!r} shares the head {corpus.head!r} with {other.name!r}"
                raise InputError(f"{message} but not its {key}", path, written.line_of(key))
        starts = [c.head_from and c.head_from.corpora for c in (other, corpus)]
        if None not in starts and starts[0] != starts[1]:
            message = (
                f"corpus {corpus.name!r} shares the head {corpus.head!r} with {other.name!r} but not its head_from"
            )
            raise InputError(message, path, written.line_of("head_from"))
        if corpus.labels is not None and other.labels is None:
            first[corpus.head] = corpus
        elif corpus.labels is not None and corpus.labels != other.labels:
            own, theirs = (listing([*map(repr, labels or ())]) for labels in (corpus.labels, other.labels))
            message = (
                f"corpus {corpus.name!r} shares the head {corpus.head!r} with {other.name!r} but not its labels: "
                f"[{own}]; expected [{theirs}], in this order"
            )
            raise InputError(message, path, written.line_of("labels"))


def _check_logged_names(corpora: Mapping[str, Corpus], path: Path) -> None:
    """Values are logged as ``<corpus>_<metric>``: macro_f1 of ``x`` and f1 of ``x_macro`` would be one name."""
    averages = (AVERAGE, WEIGHTED, WORST, *(name_language_average(corpus.language) for corpus in corpora.values()))
    taken = {*averages, "best_loss", "balance_loss"}  # fairseq's, and what keeps experts balanced
    seen: dict[str, str] = {}
    for corpus in corpora.values():
        for logged in (f"{corpus.name}_{corpus.metric}", f"{corpus.name}_loss", f"{corpus.name}_ece"):
            if logged in taken:
                message = f"corpus {corpus.name!r} would be logged as {logged!r}, which has another meaning; rename it"
                raise InputError(message, path, corpus.line)
            other = seen.setdefault(logged, corpus.name)
            if other != corpus.name:
                message = f"corpora {other!r} and {corpus.name!r} would both be logged as {logged!r}; rename one"
                raise InputError(message, path, corpus.line)
