"""From the sections as written to corpora: what ``as`` inherits, defaults, and checks within one corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.corpus import SPLITS, Corpus, Source, Split
from skill_plugin.spec.kinds import KINDS, Kind
from skill_plugin.spec.names import check_name
from skill_plugin.spec.section import CorpusSection, line_at
from skill_plugin.spec.sources import read_source
from skill_plugin.spec.yaml_lines import LinedDict

OPTIONS_OF_FORMATS = {
    "header": ("tsv", "csv"),
    "quoting": ("tsv", "csv"),
    "separator": ("tsv", "csv"),
    "quote": ("tsv", "csv"),
    "rows": ("json",),
    "where": ("tsv", "csv", "jsonl", "json"),
}
OWN = {"shares", "language", *SPLITS}  # what `as` does not inherit


@dataclass(frozen=True)
class Written:
    """One corpus of the file: its section, and the YAML below it for line numbers."""

    name: str
    section: CorpusSection
    raw: LinedDict
    line: int

    def line_of(self, *location: str | int) -> int:
        """The line of a key or item, the corpus's own where the key was not written here."""
        return line_at(self.raw, location) if location[0] in self.raw else self.line


class Resolver:
    """Makes corpora of sections, given the languages and skills of the whole file."""

    def __init__(
        self, file: Path, languages: Sequence[str], skills: Mapping[str, str], sections: Mapping[str, Written]
    ) -> None:
        self.file = file
        self.languages = languages
        self.skills = skills
        self.sections = sections

    def corpus(self, name: str) -> Corpus:
        """One corpus, whole.

        Raises:
            InputError: the first fault, with its line.
        """
        written = self.sections[name]
        base = self.base(written)
        values = self.inherited(written, base)
        for key in ("kind", "format"):
            if not values.get(key):
                raise self.fault(written, f"has no {key!r}")
        kind = KINDS[values["kind"]]
        if values["format"] not in kind.formats:
            message = f"has format {values['format']!r}, which cannot hold the kind {kind.name!r}"
            raise self.fault(written, f"{message}; expected one of: {', '.join(kind.formats)}", "format")
        self.check_options(written, values)
        sources = self.sources(written, values["format"])
        columns = self.columns(written, values, kind, sources)
        self.check_skills(written, values.setdefault("skills", ()))
        language = self.language(written, sources)
        head = self.head(written, base)
        self.check_labels(written, values)
        metric, positive = self.metric(written, values, kind)
        values.update(quoting=values.get("quoting") or ("csv" if values["format"] == "csv" else "none"))
        values.update(separator=values.get("separator") or ("," if values["format"] == "csv" else "\t"))
        values.update(metric=metric, positive_label=positive, columns=columns, language=language, head=head)
        values.setdefault("labels", None)
        shares = written.section.shares
        return Corpus(name=name, shares=shares, sources=sources, file=self.file, line=written.line, **values)

    def fault(self, written: Written, message: str, *location: str | int) -> InputError:
        line = written.line_of(*location) if location else written.line
        return InputError(f"corpus {written.name!r} {message}", self.file, line)

    def base(self, written: Written) -> Written | None:
        other = written.section.shares
        if other is None:
            return None
        if other not in self.sections or other == written.name:
            known = [name for name in self.sections if name != written.name]
            raise self.fault(written, f"shares with an unknown corpus {other!r}{nearest(other, known)}", "as")
        if self.sections[other].section.shares is not None:
            last = self.sections[other].section.shares
            message = (
                f"shares with {other!r}, which itself shares with {last!r}; name the corpus at the end of the chain"
            )
            raise self.fault(written, message, "as")
        return self.sections[other]

    def inherited(self, written: Written, base: Written | None) -> dict[str, Any]:
        """The values written here over those of the corpus named by ``as``."""
        own = {key: getattr(written.section, key) for key in written.section.model_fields_set - OWN}
        if base is None:
            return own
        theirs = {key: getattr(base.section, key) for key in base.section.model_fields_set - OWN}
        if own.get("format", theirs.get("format")) != theirs.get(
            "format"
        ):  # options of another format say nothing here
            for option in (*OPTIONS_OF_FORMATS, "encoding", "on_bad_row"):
                theirs.pop(option, None)
            if "lines" in (own["format"], theirs.get("format")):
                theirs.pop("columns", None)
        return {**theirs, **own}

    def check_options(self, written: Written, values: Mapping[str, Any]) -> None:
        for option, formats in OPTIONS_OF_FORMATS.items():
            if option in written.raw and values["format"] not in formats:
                message = f"has the option {option!r} of {', '.join(formats)}, but its format is {values['format']!r}"
                raise self.fault(written, message, option)
        separator, quote = values.get("separator"), values.get("quote", '"')
        quoting = values.get("quoting") or ("csv" if values["format"] == "csv" else "none")
        if separator and quoting == "csv" and (len(separator) != 1 or separator == quote):
            message = f"separator {separator!r} must be one character, other than the quote, with quoting: csv"
            raise self.fault(written, message, "separator")

    def sources(self, written: Written, format_: str) -> dict[Split, Source]:
        sources: dict[Split, Source] = {}
        for split in SPLITS:
            if split in written.raw:
                place = f"corpus {written.name!r}: {split}"
                sources[split] = read_source(written.raw[split], place, format_, self.file, written.raw.lines[split])  # type: ignore[index]
        if not sources:
            raise self.fault(written, f"has no split; expected at least one of: {', '.join(SPLITS)}")
        return sources

    def columns(
        self, written: Written, values: Mapping[str, Any], kind: Kind, sources: Mapping[Split, Source]
    ) -> dict[str, str | int]:
        if values["format"] == "lines":
            return self.columns_of_lines(written, kind, sources)
        columns: dict[str, str | int] = values.get("columns") or {}
        if not kind.implemented:
            return columns
        for name in columns:
            if name not in kind.columns:
                message = f"has an unknown column {name!r}{nearest(name, kind.columns)}"
                raise self.fault(written, message, "columns", name)
        for name in kind.required:
            if name not in columns and not (name == "label" and set(sources) == {"test"}):
                raise self.fault(written, f"misses the column {name!r}, which the kind {kind.name!r} needs", "columns")
        if values["format"] in ("tsv", "csv") and not values.get("header", True):
            named = [(("columns", name), value) for name, value in columns.items() if isinstance(value, str)]
            named += [(("where", column), column) for column in values.get("where", {}) if isinstance(column, str)]
            for location, value in named:
                message = f"has no header (header: false), so columns are numbers from 0, not {value!r}"
                raise self.fault(written, message, *location)
        return columns

    def columns_of_lines(self, written: Written, kind: Kind, sources: Mapping[Split, Source]) -> dict[str, str | int]:
        if "columns" in written.raw:
            message = (
                "has format 'lines', whose columns are named in train, valid and test: {text_a: FILE, label: FILE}"
            )
            raise self.fault(written, message, "columns")
        for split, source in sources.items():
            for name in source.paths if kind.implemented else ():
                if name not in kind.columns:
                    raise self.fault(
                        written, f"has an unknown column {name!r}{nearest(name, kind.columns)}", split, name
                    )
            for name in kind.required if kind.implemented else ():
                if name not in source.paths and not (name == "label" and split == "test"):
                    message = f"misses the column {name!r} in {split}, which the kind {kind.name!r} needs"
                    raise self.fault(written, message, split)
        texts = {split: tuple(sorted(set(source.paths) - {"label"})) for split, source in sources.items()}
        for split in texts:
            if kind.implemented and texts[split] != next(iter(texts.values())):
                raise self.fault(written, f"has other columns in {split} than in {next(iter(texts))}", split)
        order = dict.fromkeys(name for source in sources.values() for name in source.paths)
        return {name: name for name in order}

    def check_skills(self, written: Written, skills: Sequence[str]) -> None:
        for position, skill in enumerate(skills):
            if skill not in self.skills:
                message = f"has an unknown skill {skill!r}{nearest(skill, self.skills)}"
                raise self.fault(written, message, "skills", position)
            if skill in skills[:position]:
                raise self.fault(written, f"names the skill {skill!r} twice", "skills", position)

    def language(self, written: Written, sources: Mapping[Split, Source]) -> str:
        if "language" not in written.raw:
            raise self.fault(written, "has no 'language'")
        language = check_name(written.section.language, "language", self.file, written.line_of("language"))
        # a corpus that is only evaluated may be in a language without a skill of its own
        if language not in self.languages and "train" in sources:
            raise self.fault(
                written, f"has an unknown language {language!r}{nearest(language, self.languages)}", "language"
            )
        return language

    def head(self, written: Written, base: Written | None) -> str:
        for place in (written, base):
            if place is not None and "head" in place.raw:
                return check_name(place.section.head, "head", self.file, place.line_of("head"))
        return written.name if base is None else base.name

    def check_labels(self, written: Written, values: Mapping[str, Any]) -> None:
        labels: Sequence[str] | None = values.get("labels")
        if labels is None:
            return
        for position, label in enumerate(labels):
            if not label or label != label.strip() or not label.isprintable():
                raise self.fault(written, f"has a label that cannot be used: {label!r}", "labels", position)
            if label in labels[:position]:
                raise self.fault(written, f"names the label {label!r} twice", "labels", position)
        if len(labels) < 2:
            raise self.fault(written, f"has {len(labels)} label; expected two or more", "labels")
        for raw, label in values.get("label_map", {}).items():
            if label not in labels and label not in values.get("drop_labels", ()):
                message = f"maps {raw!r} to an unknown label {label!r}{nearest(label, labels)}"
                raise self.fault(written, message, "label_map", raw)

    def metric(self, written: Written, values: Mapping[str, Any], kind: Kind) -> tuple[str, str | None]:
        metric: str = values.get("metric") or kind.default_metric
        positive: str | None = values.get("positive_label")
        labels: Sequence[str] | None = values.get("labels")
        if metric not in kind.metrics:
            message = f"has the metric {metric!r}, which is not one of the kind {kind.name!r}"
            raise self.fault(written, f"{message}; expected one of: {', '.join(kind.metrics)}", "metric")
        if positive is not None and labels is not None and positive not in labels:
            message = f"has an unknown positive_label {positive!r}{nearest(positive, labels)}"
            raise self.fault(written, message, "positive_label")
        if metric == "f1" and kind.name == "classification" and labels is not None and positive is None:
            if len(labels) > 2:
                message = (
                    f"has the metric f1 and {len(labels)} labels; expected a positive_label, or the metric macro_f1"
                )
                raise self.fault(written, message, "metric")
            positive = labels[-1]
        return metric, positive
