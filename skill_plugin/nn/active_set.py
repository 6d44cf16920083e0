"""What one corpus activates in the encoder: passed explicitly, never stored in a module."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ActiveSet:
    """The skills of one segment (SkillNet-X, section 2: some task skills and exactly one language skill), and more.

    Attributes:
        skills: names of the active task skills.
        language: name of the active language skill.
        gate: name of the corpus's gate, for models with a gate per corpus (MT-TaG, section 3.1).
        embedding: name of the corpus's task embedding, for models that are conditioned on one (CA-MTL, section 3.3).
    """

    skills: tuple[str, ...]
    language: str
    gate: str = ""
    embedding: str = ""
