"""``gate_from``, ``skills_from`` and the like: what of a trained checkpoint new corpora and new skills start from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.skill_starts import SkillStart
from skill_plugin.variants.parameter_names import (
    embedding_of,
    gate_of,
    head_of,
    is_task_embedding,
    skill_of,
    skill_table_of,
    with_embedding,
    with_gate,
    with_head,
    with_skill,
)


@dataclass(frozen=True)
class Reuse:
    """New gates, heads and task embeddings, and those of the checkpoint whose mean each of them starts from.

    MT-TaG, section 5.2, and CA-MTL, section 3.7.4.

    Attributes:
        gates: gate -> gates of the checkpoint.
        heads: head -> heads of the checkpoint.
        embeddings: task embedding -> task embeddings of the checkpoint; none of them where it is drawn by Xavier.
        skills, languages: new skill or language -> what it starts from.
    """

    gates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    embeddings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skills: Mapping[str, SkillStart] = field(default_factory=dict)
    languages: Mapping[str, SkillStart] = field(default_factory=dict)

    def skill_start(self, name: str) -> SkillStart | None:
        """What the new skill or language that a parameter belongs to starts from, where that is said."""
        table = self.skills if skill_table_of(name) == "task_skills" else self.languages
        return table.get(skill_of(name))

    def sources(self, name: str) -> list[str]:
        """Names of the tensors whose mean a parameter starts from; none where nothing is said of it.

        >>> Reuse(heads={"scitail": ("mnli", "rte")}).sources("heads.scitail.dense.bias")
        ['heads.mnli.dense.bias', 'heads.rte.dense.bias']
        """
        if (start := self.skill_start(name)) is not None:
            return [with_skill(name, other) for other in start.names]
        if (gate := gate_of(name)) in self.gates:
            return [with_gate(name, other) for other in self.gates[gate]]
        if (head := head_of(name)) in self.heads:
            return [with_head(name, other) for other in self.heads[head]]
        return [with_embedding(name, other) for other in self.embeddings.get(embedding_of(name), ())]

    def is_xavier(self, name: str) -> bool:
        """Whether a parameter is a task embedding that is drawn by Xavier."""
        return is_task_embedding(name) and self.embeddings.get(embedding_of(name)) == ()

    def lines(self, names: Collection[str]) -> list[str]:
        """What the parameters of these names started from, for a person."""
        parts = (
            ("gates", self.gates, {gate_of(name) for name in names}),
            ("heads", self.heads, {head_of(name) for name in names}),
            ("task embeddings", self.embeddings, {embedding_of(name) for name in names}),
        )
        lines = [
            f"{part}: {one} starts from {_shown(sources)}"
            for part, starts, found in parts
            for one, sources in starts.items()
            if one in found
        ]
        started = {skill_of(name) for name in names if self.skill_start(name) is not None}
        for what, skills in (("skills", self.skills), ("languages", self.languages)):
            for one, start in skills.items():
                if one in started:
                    origin = _shown(start.names) if start.names else start.encoder or "random numbers"
                    lines.append(f"{what}: {one} starts from {origin}")
        return lines


def _shown(sources: tuple[str, ...]) -> str:
    return f"{'the mean of ' if len(sources) > 1 else ''}{', '.join(sources)}" if sources else "Xavier's distribution"


def find_reuse(bundle: Bundle, trained: Bundle, file: str) -> Reuse:
    """What the corpora file says of corpora that are new; those that the checkpoint knows go on with their own.

    Args:
        bundle: bundle of the new run.
        trained: bundle of the checkpoint.
        file: the checkpoint, for messages.

    Raises:
        InputError: a corpus that the checkpoint does not have, or whose head answers something else.
    """
    reused: dict[str, dict[str, tuple[str, ...]]] = {"gate_from": {}, "head_from": {}, "embedding_from": {}}
    known, known_heads = trained.inventory, trained.heads()
    for name in bundle.labels:
        corpus, active = bundle.corpus(name), bundle.active_set(name)
        for key, start, own, theirs in (
            ("gate_from", corpus.gate_from, active.gate, known.gates),
            ("head_from", None if bundle.is_text_to_text else corpus.head_from, corpus.head, known_heads),
            ("embedding_from", corpus.embedding_from, active.embedding, known.embeddings),
        ):
            if start is None or own in theirs:
                continue
            for other in start.corpora:
                if fault := _fault(bundle, trained, key, name, other):
                    raise InputError(f"corpus {name!r}: {key}: {file} has {fault}", bundle.corpora_path, start.line)
            reused[key][own] = tuple(_part(trained, key, other) for other in start.corpora)
    skills, languages = (
        _new_skills(bundle, key, starts, theirs, file)
        for key, starts, theirs in (
            ("skills_from", bundle.spec.skills_from, known.skills),
            ("languages_from", bundle.spec.languages_from, known.languages),
        )
    )
    return Reuse(reused["gate_from"], reused["head_from"], reused["embedding_from"], skills, languages)


def _new_skills(
    bundle: Bundle, key: str, starts: Mapping[str, SkillStart], theirs: Collection[str], file: str
) -> dict[str, SkillStart]:
    """What is said of skills or languages that are new; those that the checkpoint has go on with their own."""
    for name, start in starts.items():
        for other in start.names:
            if name not in theirs and other not in theirs:
                message = f"{key}: {name}: {file} has no {key.partition('s_')[0]} {other!r}{nearest(other, theirs)}"
                raise InputError(message, bundle.corpora_path, start.line)
        if name not in theirs and start.encoder is not None and not Path(start.encoder).exists():
            raise InputError(f"{key}: {name}: encoder: no such file: {start.encoder}", bundle.corpora_path, start.line)
    return {name: start for name, start in starts.items() if name not in theirs}


def _fault(bundle: Bundle, trained: Bundle, key: str, name: str, other: str) -> str | None:
    """What the checkpoint has in place of a part that the corpus could start from."""
    if other not in trained.labels:
        return f"no corpus {other!r}{nearest(other, trained.labels)}"
    return find_head_misfit(bundle, name, trained, other) if key == "head_from" else None


def find_head_misfit(bundle: Bundle, name: str, trained: Bundle, other: str) -> str | None:
    """Why the head of a checkpoint's corpus ``other`` does not fit a corpus of the bundle; None where it fits.

    What is returned completes a message such as "<file> has …".
    """
    if other not in trained.labels:
        return f"no corpus {other!r}{nearest(other, trained.labels)}"
    corpus, theirs, labels = bundle.corpus(name), trained.corpus(other), bundle.labels[name]
    if theirs.kind != corpus.kind:
        return f"{other!r} as {theirs.kind}, which another head answers than {corpus.kind}"
    head, their_head = bundle.heads()[corpus.head], trained.heads()[theirs.head]
    if bundle.linear_heads != trained.linear_heads and head.has_dense_map:
        return f"{other!r} with a head {'with a dense map' if bundle.linear_heads else 'of one linear map'}; see --head"
    for key, own in corpus.head_options.items():
        if (its := theirs.head_options.get(key, own)) != own:
            return f"{other!r} with the {key} {its}; expected that of {name!r}: {own}"
    if trained.labels[other] != labels:
        return (
            f"{other!r} with the labels {', '.join(trained.labels[other])}; expected those of {name!r}, in this order: "
            f"{', '.join(labels)}"
        )
    if their_head.outputs != head.outputs:
        return f"{other!r} with a head of {their_head.outputs} outputs; that of {name!r} has {head.outputs}"
    return None


def _part(trained: Bundle, key: str, corpus: str) -> str:
    """The name of a corpus's own gate, head or task embedding."""
    if key == "head_from":
        return trained.corpus(corpus).head
    active = trained.active_set(corpus)
    return active.gate if key == "gate_from" else active.embedding
