"""Other languages, and other skills (SkillNet-X, section 5.2)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from skill_plugin.analysis.perturbation.condition import Condition
from skill_plugin.api import Model
from skill_plugin.errors import InputError

SEEDS = (42, 624, 123)  # those of table 7
_WORDS = {"language": "language", "gate": "gate of", "embedding": "embedding of"}


def make_perturbations(model: Model, corpora: Sequence[str], seeds: Sequence[int] = SEEDS) -> list[Condition]:
    """Each other language, gate or task embedding; all task skills; random task skills, for each seed.

    Args:
        model: the trained model.
        corpora: those that are asked for, in the order of the corpora file.
        seeds: seeds of random skills.

    Raises:
        InputError: the model activates the same for every corpus.
    """
    if not model.choices:
        raise InputError(
            f"this {model.bundle.variant} model activates the same for every corpus; expected one with skills, with "
            "gates of corpora or with task embeddings"
        )
    return [*_exchanged(model, corpora), *_other_skills(model, corpora, seeds)]


def draw_skills(corpora: Sequence[str], skills: Sequence[str], seed: int) -> dict[str, tuple[str, ...]]:
    """Each skill of each corpus with a probability of 0.5 (SkillNet-X, tables 6 and 7).

    The draws are those of the published table: Python's generator gives a number for each skill of each corpus, which
    is active if that is above 0.5. A corpus that is left without a skill is drawn again.

    Args:
        corpora: in their order.
        skills: the task skills, in their order; the generic one is one of them.
        seed: of the generator.
    """
    generator = random.Random(seed)
    drawn: dict[str, tuple[str, ...]] = {}
    for name in corpora:
        while not drawn.get(name):
            drawn[name] = tuple(skill for skill in skills if generator.random() > 0.5)
    return drawn


def _exchanged(model: Model, corpora: Sequence[str]) -> Iterator[Condition]:
    for part, words in _WORDS.items():
        for other in model.choices.get(part, ()):
            change: dict[str, Any] = {part: other}
            own = {name: model.active_set(name) for name in corpora}
            changed = {name: replace(active, **change) for name, active in own.items()}
            yield Condition(
                f"{words} {other}", {name: active for name, active in changed.items() if active != own[name]}
            )


def _other_skills(model: Model, corpora: Sequence[str], seeds: Sequence[int]) -> Iterator[Condition]:
    skills = model.choices.get("skills", ())
    if skills:
        chosen = {"all skills": dict.fromkeys(corpora, skills)}
        chosen |= {f"random skills, seed {seed}": draw_skills(corpora, skills, seed) for seed in seeds}
        for title, of_corpora in chosen.items():
            yield Condition(
                title, {name: replace(model.active_set(name), skills=own) for name, own in of_corpora.items()}
            )
