"""From the sections as written to corpora: what ``as`` inherits, defaults, and checks within one corpus."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.kinds.kind import Kind
from skill_plugin.kinds.registry import kind_named, kinds_that_bring, kinds_with
from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.columns import Field, Flags
from skill_plugin.spec.corpus import Corpus, Source, StartingPoint
from skill_plugin.spec.cuts import read_cut
from skill_plugin.spec.formats import FORMATS, OPTIONS_OF_FORMATS
from skill_plugin.spec.kind_keys import KindKeys
from skill_plugin.spec.labels import find_label_problem, find_positive_problem
from skill_plugin.spec.languages import uses_spaces
from skill_plugin.spec.names import check_name
from skill_plugin.spec.resolve_columns import resolve_columns
from skill_plugin.spec.section import KEYS, read_keys
from skill_plugin.spec.sizes import TrainRows
from skill_plugin.spec.sources import read_source
from skill_plugin.spec.written_corpus import WrittenCorpus

STARTS = ("gate_from", "head_from", "embedding_from")
OWN = {"shares", "language", *STARTS, *SPLITS, "split", "train_rows"}  # what `as` does not inherit


class Resolver:
    """Makes corpora of sections, given the languages and skills of the whole file."""

    def __init__(
        self, file: Path, languages: Sequence[str], skills: Mapping[str, str], sections: Mapping[str, WrittenCorpus]
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
        kind = kind_named(values["kind"])
        if values["format"] not in kind.formats:
            message = f"has format {values['format']!r}, which cannot hold the kind {kind.name!r}"
            raise self.fault(written, f"{message}; expected one of: {', '.join(kind.formats)}", "format")
        self.check_options(written, values, kind)
        values.update(own=self.own_options(written, base, kind))
        kind.check_options(written, values)
        sources = self.sources(written, values["format"])
        columns = resolve_columns(written, values, kind, sources)
        self.check_mix(written, values, kind, columns)
        self.check_skills(written, values.setdefault("skills", ()))
        language = self.language(written, sources)
        head = self.head(written, base)
        values.update({key: self.start(written, key) for key in STARTS})
        values.update(train_rows=self.train_rows(written, sources))
        self.flags(written, values, columns)
        self.check_labels(written, values)
        self.check_targets(written, values, kind)
        values.setdefault("prefix", "" if kind.masks else head)
        values.update(text_names=self.text_names(written, base, values, kind, columns))
        metric, positive = self.metric(written, values, kind)
        format_ = FORMATS[values["format"]]
        values.update(quoting=values.get("quoting") or format_.quoting)
        values.update(separator=values.get("separator") or format_.separator)
        values.update(join=values.get("join") or ("space" if uses_spaces(language) else "none"))
        if values.get("in_average") is None:
            values.update(in_average=kind.in_average)
        values.update(metric=metric, positive_label=positive, columns=columns, language=language, head=head)
        values.setdefault("labels", None)
        shares = written.section.shares
        return Corpus(name=name, shares=shares, sources=sources, file=self.file, line=written.line, **values)

    def fault(self, written: WrittenCorpus, message: str, *location: str | int) -> InputError:
        return written.fault(message, *location)

    def base(self, written: WrittenCorpus) -> WrittenCorpus | None:
        """The corpus that this one is ``as``; None where it names none."""
        other = written.section.shares
        if other is None:
            return None
        parts = [name for name, one in self.sections.items() if one.part is not None and one.part.mix == other]
        if parts:
            raise self.fault(
                written, f"shares with the mix {other!r}; name one of its corpora: {', '.join(parts)}", "as"
            )
        if other not in self.sections or other == written.name:
            known = [name for name in self.sections if name != written.name]
            raise self.fault(written, f"shares with an unknown corpus {other!r}{nearest(other, known)}", "as")
        if self.sections[other].section.shares is not None:
            last = self.sections[other].section.shares
            message = (
                f"shares with {other!r}, which itself shares with {last!r}; name the corpus at the end of the chain"
            )
            raise self.fault(written, message, "as")
        kind, theirs = written.section.kind, self.sections[other].section.kind
        if kind is not None and kind != theirs:
            raise self.fault(written, f"shares with {other!r}, whose kind is {theirs!r}, not {kind!r}", "kind")
        return self.sections[other]

    def inherited(self, written: WrittenCorpus, base: WrittenCorpus | None) -> dict[str, Any]:
        """The values written here over those of the corpus named by ``as``."""
        own = {key: getattr(written.section, key) for key in written.section.model_fields_set - OWN}
        if base is None:
            return own
        theirs = {key: getattr(base.section, key) for key in base.section.model_fields_set - OWN}
        formats = {theirs.get("format"), own.get("format", theirs.get("format"))}
        if len(formats) > 1:  # options of another format say nothing here
            for option in (*OPTIONS_OF_FORMATS, "encoding", "on_bad_row"):
                theirs.pop(option, None)
            if not all(FORMATS[name].named for name in formats if name):  # columns have other names, or none
                theirs.pop("columns", None)
        return {**theirs, **own}

    def check_options(self, written: WrittenCorpus, values: dict[str, Any], kind: Kind) -> None:
        for option, formats in OPTIONS_OF_FORMATS.items():
            if option in written.raw and values["format"] not in formats:
                message = f"has the option {option!r} of {', '.join(formats)}, but its format is {values['format']!r}"
                raise self.fault(written, message, option)
        for key in written.raw:
            option = str(key)
            if option in kind.all_options:
                continue
            if kinds := kinds_with(option) if option in KEYS else kinds_that_bring(option):
                message = f"has the option {option!r} of {', '.join(kinds)}, but its kind is {kind.name!r}"
                raise self.fault(written, message, option)
        separator, quote = values.get("separator"), values.get("quote", '"')
        quoting = values.get("quoting") or FORMATS[values["format"]].quoting
        if separator and quoting == "csv" and (len(separator) != 1 or separator == quote):
            message = f"separator {separator!r} must be one character, other than the quote, with quoting: csv"
            raise self.fault(written, message, "separator")
        if values.get("max_cells") and quoting == "csv":
            message = "has both max_cells and quoting: csv, where quotes say what a cell is; expected quoting: none"
            raise self.fault(written, message, "max_cells")
        escape = values.get("escape")
        if escape and (quoting != "csv" or escape in (separator, quote)):
            message = f"has the escape {escape!r}, which needs quoting: csv and is neither separator nor quote"
            raise self.fault(written, message, "escape")

    def own_options(self, written: WrittenCorpus, base: WrittenCorpus | None, kind: Kind) -> KindKeys:
        """The values of the keys that the kind brings itself, those written here over those of ``as``."""
        model, values = kind.keys or KindKeys, dict[str, Any]()
        for one in (written,) if base is None else (base, written):
            given: dict[str | int, Any] = {key: one.raw[key] for key in one.raw if key in kind.own_options}
            read = read_keys(model, given, one.name, one.raw, self.file)
            values |= {key: getattr(read, key) for key in read.model_fields_set}
        return model.model_construct(**values)

    def sources(self, written: WrittenCorpus, format_: str) -> dict[str, Source]:
        sources: dict[str, Source] = {}
        for split in SPLITS:
            if split in written.raw:
                place = f"corpus {written.name!r}: {split}"
                source = read_source(written.raw[split], place, format_, self.file, written.raw.lines[split])
                part = written.part if split == "train" else None
                sources[split] = source.model_copy(update={"part": part})
        if "split" in written.raw:
            sources = self.cut(written, sources)
        if not sources:
            raise self.fault(written, f"has no split; expected at least one of: {', '.join(SPLITS)}")
        return sources

    def cut(self, written: WrittenCorpus, sources: Mapping[str, Source]) -> dict[str, Source]:
        """The sources with the splits that are made of train."""
        if written.part is not None:
            message = (
                f"is of the mix {written.part.mix!r}, whose rows are translations of one another, which 'split' would"
            )
            raise self.fault(written, f"{message} put into train of one language and valid of another", "split")
        line = written.line_of("split")
        cut = read_cut(written.raw["split"], f"corpus {written.name!r}: split", self.file, line)
        if "train" not in sources:
            raise self.fault(written, "has a 'split' but no 'train', of whose rows it makes splits", "split")
        for name in cut.sizes:
            if name in sources:
                raise self.fault(written, f"has both {name!r} and a 'split' that makes it; leave one out", name)
        train = sources["train"].model_copy(update={"cut": cut})
        made = dict.fromkeys(cut.sizes, train)
        return {name: {**sources, "train": train, **made}[name] for name in SPLITS if name in {**sources, **made}}

    def train_rows(self, written: WrittenCorpus, sources: Collection[str]) -> TrainRows | None:
        """The part of train that is trained on; None for all."""
        size = written.section.train_rows
        if size is not None and "train" not in sources:
            raise self.fault(written, "has 'train_rows' but no 'train', of which it is a part", "train_rows")
        return None if size is None else TrainRows(size=size, line=written.line_of("train_rows"))

    def check_mix(
        self, written: WrittenCorpus, values: Mapping[str, Any], kind: Kind, columns: Collection[str]
    ) -> None:
        """Parts are made of rows, each of which must be an item."""
        if written.part is None:
            return
        if what := kind.rows_become(columns):
            message = (
                f"is of the mix {written.part.mix!r}, whose rows are divided, but several rows make one {what} here"
            )
            raise self.fault(written, message)
        kind.check_mix(written, values)

    def check_skills(self, written: WrittenCorpus, skills: Sequence[str]) -> None:
        """Skills are known, and named once."""
        for position, skill in enumerate(skills):
            if skill not in self.skills:
                message = f"has an unknown skill {skill!r}{nearest(skill, self.skills)}"
                raise self.fault(written, message, "skills", position)
            if skill in skills[:position]:
                raise self.fault(written, f"names the skill {skill!r} twice", "skills", position)

    def language(self, written: WrittenCorpus, sources: Mapping[str, Source]) -> str:
        if "language" not in written.raw:
            raise self.fault(written, "has no 'language'")
        language = check_name(written.section.language, "language", self.file, written.line_of("language"))
        # a corpus that is only evaluated may be in a language without a skill of its own
        if language not in self.languages and "train" in sources:
            raise self.fault(
                written, f"has an unknown language {language!r}{nearest(language, self.languages)}", "language"
            )
        return language

    def head(self, written: WrittenCorpus, base: WrittenCorpus | None) -> str:
        for place in (written, base):
            if place is not None and "head" in place.raw:
                return check_name(place.section.head, "head", self.file, place.line_of("head"))
        return written.name if base is None else base.name

    def start(self, written: WrittenCorpus, key: str) -> StartingPoint | None:
        """What a key of ``STARTS`` says. The names are those of a checkpoint, which is not known here."""
        if key not in written.raw:
            return None
        names: tuple[str, ...] = getattr(written.section, key)
        if names == ("random",):
            return None
        what, other = key.removesuffix("_from"), written.section.shares
        drawn = "random or xavier" if what == "embedding" else "or random"
        if other is not None and not (what == "head" and "head" in written.raw):
            message = f"has {key!r}, but its {what} is that of {other!r}; write it there"
            raise self.fault(written, message, key)
        if not names:
            raise self.fault(written, f"has no corpus in {key!r}; expected a name, a list of names, {drawn}", key)
        if what == "embedding" and names == ("xavier",):
            return StartingPoint(corpora=(), line=written.line_of(key))
        for position, name in enumerate(names):
            check_name(name, "corpus", self.file, written.line_of(key, position))
            if name == written.name or name in names[:position]:
                which = "itself" if name == written.name else f"{name!r} twice"
                raise self.fault(written, f"names {which} in {key!r}", key, position)
        return StartingPoint(corpora=names, line=written.line_of(key))

    def flags(self, written: WrittenCorpus, values: dict[str, Any], columns: Mapping[str, Field]) -> None:
        """Columns of 0 and 1 name the labels, in their order, where the corpus does not; with ``as`` the other does."""
        flags = columns.get("label")
        if not isinstance(flags, Flags):
            return
        if "label_separator" in written.raw:
            message = "has a label_separator, but its columns of 0 and 1 hold one label each"
            raise self.fault(written, message, "label_separator")
        dropped, mapped = values.get("drop_labels", ()), values.get("label_map", {})
        labels = {raw: mapped.get(raw, raw) for raw in flags.columns}
        named = dict.fromkeys(name for raw, name in labels.items() if not {raw, name} & set(dropped))
        if values.get("labels") is None:
            values["labels"] = tuple(named) if written.section.shares is None else None
            return
        for name in named:
            if name not in values["labels"]:
                message = f"has a column for an unknown label {name!r}{nearest(name, values['labels'])}"
                raise self.fault(written, message, "columns", "label", name)

    def check_labels(self, written: WrittenCorpus, values: Mapping[str, Any]) -> None:
        labels: Sequence[str] | None = values.get("labels")
        if labels is None:
            return
        known: set[str] = set()
        for position, label in enumerate(labels):
            if problem := find_label_problem(label):
                raise self.fault(written, f"has a label that cannot be used: {label!r} {problem}", "labels", position)
            if label in known:
                raise self.fault(written, f"names the label {label!r} twice", "labels", position)
            known.add(label)
        if len(labels) < kind_named(values["kind"]).fewest_labels:
            raise self.fault(written, f"has {len(labels)} label; expected two or more", "labels")
        weights = values.get("class_weights")
        for label in weights if isinstance(weights, dict) else ():
            if label not in known:
                message = f"has a weight for an unknown label {label!r}{nearest(label, labels)}"
                raise self.fault(written, message, "class_weights", label)
        known.update(values.get("drop_labels", ()))
        for raw, label in values.get("label_map", {}).items():
            if label not in known:
                message = f"maps {raw!r} to an unknown label {label!r}{nearest(label, labels)}"
                raise self.fault(written, message, "label_map", raw)

    def check_targets(self, written: WrittenCorpus, values: Mapping[str, Any], kind: Kind) -> None:
        """Targets are texts of labels that the corpus has."""
        targets: Mapping[str, str] = values.get("targets", {})
        known = kind.known_answers(values)
        for label, text in targets.items():
            if known is not None and label not in known:
                message = f"has a target for an unknown label {label!r}{nearest(label, known)}"
                raise self.fault(written, message, "targets", label)
            if not text.strip():
                raise self.fault(written, f"has an empty target for {label!r}", "targets", label)

    def text_names(
        self,
        written: WrittenCorpus,
        base: WrittenCorpus | None,
        values: Mapping[str, Any],
        kind: Kind,
        columns: Mapping[str, Field],
    ) -> dict[str, str]:
        """What texts are called: as is written, as the corpus named by ``as`` calls them, or as the file does."""
        fields = kind.named_texts(columns)
        given: Mapping[str, str] = values.get("text_names", {})
        for name in given if "text_names" in written.raw else ():
            if name not in fields:
                message = f"names a text {name!r}, which it does not have{nearest(name, fields)}"
                raise self.fault(written, message, "text_names", name)
        in_file = {name: _name_in_file(columns.get(name), name) for name in fields}
        names = {name: name if [*in_file.values()].count(own) > 1 else own for name, own in in_file.items()}
        inherited = {} if base is None else self.corpus(base.name).text_names
        return {name: given.get(name, inherited.get(name, own)) for name, own in names.items()}

    def metric(self, written: WrittenCorpus, values: Mapping[str, Any], kind: Kind) -> tuple[str, str | None]:
        metric: str = values.get("metric") or kind.default_metric
        positive: str | None = values.get("positive_label")
        labels: Sequence[str] | None = values.get("labels")
        if metric not in kind.metrics:
            message = f"has the metric {metric!r}, which is not one of the kind {kind.name!r}"
            raise self.fault(written, f"{message}; expected one of: {', '.join(kind.metrics)}", "metric")
        if positive is not None and labels is not None and positive not in labels:
            message = f"has an unknown positive_label {positive!r}{nearest(positive, labels)}"
            raise self.fault(written, message, "positive_label")
        if labels is not None and (problem := find_positive_problem(kind, metric, positive, labels)):
            raise self.fault(written, problem, "metric")
        return metric, positive


def _name_in_file(column: Field | None, meaning: str) -> str:
    """The name of a column in its file; what it means where it has no name, or is several."""
    name = column.rpartition(".")[2] if isinstance(column, str) else ""
    return name.strip() or meaning
