"""The card of an exported model: what it is, what it was trained on, what it scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import counted
from skill_plugin.export.parity import Parity
from skill_plugin.report.results import CorpusResult


@dataclass(frozen=True)
class Measured:
    """What was measured of an export.

    Attributes:
        parameters: how many it has.
        parity: how it compares with the trained model.
        dtype: type of its weights.
        split: the split that was scored; empty where none was.
        result: the score of the trained model on it.
        exported: its own score on it, where it is another one.
    """

    parameters: int
    parity: Parity
    dtype: str
    split: str = ""
    result: CorpusResult | None = None
    exported: CorpusResult | None = None

    def to_line(self) -> str | None:
        """The scores, for people; None where there are none."""
        if self.result is None:
            return None
        result = self.result
        where = f"of the trained model on the split {self.split} ({counted(result.n, 'item')})"
        own = "" if self.exported is None else f", {self.exported.value:.4f} as {self.dtype}"
        return f"{result.metric} {result.value:.4f} {where}{own}"


def model_card(
    bundle: Bundle, corpus: str, library: str, usage: str, notes: tuple[str, ...], measured: Measured
) -> str:
    """The card as Markdown, with what only a person knows to be filled in.

    Args:
        bundle: of the trained model.
        corpus: whose part was exported.
        library: of the Hugging Face hub.
        usage: how a person runs it.
        notes: what a person should know.
        measured: what was measured of it.
    """
    described = bundle.corpus(corpus)
    skills = () if bundle.is_text_to_text else bundle.active_set(corpus).skills
    labels, corpora = bundle.labels[corpus], counted(len(bundle.labels), "corpus", "corpora")
    front = {"language": described.language, "license": "TODO", "library_name": library, "tags": [described.kind]}
    rows: list[tuple[str, Any]] = [
        ("corpus", f"`{corpus}`, {described.kind}, language `{described.language}`"),
        ("labels", ", ".join(f"`{label}`" for label in labels) if labels else None),
        ("cut out of", f"a model of the variant `{bundle.variant}` for {corpora}"),
        ("skills that it uses", ", ".join(f"`{skill}`" for skill in skills) or None),
        ("parameters", f"{measured.parameters:,}"),
        ("longest sequence", counted(bundle.length_of(corpus), "token")),
        (
            "started from",
            " ← ".join(f"`{one.file}`" for one in bundle.origin.chain()) if bundle.origin else "random weights",
        ),
        ("score", measured.to_line()),
        ("compared with the trained model", measured.parity.to_line()),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows if value is not None)
    described_skills = "\n".join(f"- `{skill}`: {bundle.spec.skills[skill]}" for skill in skills)
    parts = [
        f"---\n{yaml.safe_dump(front, allow_unicode=True, sort_keys=False)}---",
        f"# {corpus}",
        f"| | |\n| --- | --- |\n{table}",
        f"## Use\n\n{usage.strip()}",
        "## What to know\n\n" + "\n".join(f"- {note}" for note in notes) if notes else "",
        f"## Skills\n\n{described_skills}" if described_skills else "",
        "## Licences\n\n- of the pretrained encoder: TODO\n- of the corpora: TODO\n- of this model: TODO",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
