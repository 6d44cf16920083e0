"""``gate_from`` and ``head_from``: which gates and heads of a trained checkpoint a new corpus starts from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError, nearest
from skill_plugin.variants.parameter_names import gate_of, head_of, with_gate, with_head


@dataclass(frozen=True)
class Reuse:
    """New gates and heads, and those of the checkpoint whose mean each of them starts from (MT-TaG, section 5.2).

    Attributes:
        gates: gate -> gates of the checkpoint.
        heads: head -> heads of the checkpoint.
    """

    gates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def sources(self, name: str) -> list[str]:
        """Names of the tensors whose mean a parameter starts from; none where nothing is said of it.

        >>> Reuse(heads={"scitail": ("mnli", "rte")}).sources("heads.scitail.dense.bias")
        ['heads.mnli.dense.bias', 'heads.rte.dense.bias']
        """
        if (gate := gate_of(name)) in self.gates:
            return [with_gate(name, other) for other in self.gates[gate]]
        if (head := head_of(name)) in self.heads:
            return [with_head(name, other) for other in self.heads[head]]
        return []

    def lines(self, names: Collection[str]) -> list[str]:
        """What the parameters of these names started from, for a person."""
        gates, heads = {gate_of(name) for name in names}, {head_of(name) for name in names}
        starts = [(f"gates: {gate}", sources) for gate, sources in self.gates.items() if gate in gates]
        starts += [(f"heads: {head}", sources) for head, sources in self.heads.items() if head in heads]
        return [
            f"{name} starts from {'the mean of ' if len(sources) > 1 else ''}{', '.join(sources)}"
            for name, sources in starts
        ]


def reuse_of(bundle: Bundle, trained: Bundle, file: str) -> Reuse:
    """What the corpora file says of corpora that are new; those that the checkpoint knows go on with their own.

    Args:
        bundle: of the new run.
        trained: of the checkpoint.
        file: the checkpoint, for messages.

    Raises:
        InputError: a corpus that the checkpoint does not have, or whose head answers something else.
    """
    gates: dict[str, tuple[str, ...]] = {}
    heads: dict[str, tuple[str, ...]] = {}
    known_gates, known_heads = trained.inventory.gates, trained.heads()
    for name, labels in bundle.labels.items():
        corpus, gate = bundle.corpus(name), bundle.active_set(name).gate
        for key, start in (("gate_from", corpus.gate_from), ("head_from", corpus.head_from)):
            if start is None or (gate in known_gates if key == "gate_from" else corpus.head in known_heads):
                continue
            for other in start.corpora:
                place = f"corpus {name!r}: {key}: {file}"
                if other not in trained.labels:
                    message = f"{place} has no corpus {other!r}{nearest(other, trained.labels)}"
                    raise InputError(message, bundle.corpora_path, start.line)
                theirs = trained.corpus(other)
                if key == "head_from" and (theirs.kind, theirs.loss) != (corpus.kind, corpus.loss):
                    message = f"{place} has {other!r} as {theirs.kind}, which another head answers than {corpus.kind}"
                    raise InputError(message, bundle.corpora_path, start.line)
                if key == "head_from" and trained.labels[other] != labels:
                    message = f"{place} has {other!r} with the labels {', '.join(trained.labels[other])}"
                    message += f"; expected those of {name!r}, in this order: {', '.join(labels)}"
                    raise InputError(message, bundle.corpora_path, start.line)
            if key == "gate_from":
                gates[gate] = tuple(trained.active_set(other).gate for other in start.corpora)
            else:
                heads[corpus.head] = tuple(trained.corpus(other).head for other in start.corpora)
    return Reuse(gates, heads)
