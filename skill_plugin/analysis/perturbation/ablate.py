"""Each skill left out (the slides of SkillNet, table 6, without training anew)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skill_plugin.analysis.perturbation.condition import Condition
from skill_plugin.api import Model
from skill_plugin.errors import InputError
from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.variants.catalogue import VARIANTS


def make_ablations(model: Model, corpora: Sequence[str]) -> list[Condition]:
    """For each task skill, the corpora that activate it without it.

    A corpus whose only skill would go cannot be, where the variant needs one.

    Args:
        model: the trained model.
        corpora: those that are asked for, in the order of the corpora file.

    Raises:
        InputError: the model has no task skills, or these corpora activate none.
    """
    variant = model.bundle.variant
    if "skills" not in model.choices:
        raise InputError(f"this {variant} model has no task skills; nothing can be left out")
    conditions = []
    for skill in model.choices["skills"]:
        active: dict[str, ActiveSet] = {}
        impossible: dict[str, str] = {}
        for name in corpora:
            own = model.active_set(name)
            rest = tuple(other for other in own.skills if other != skill)
            if len(rest) == len(own.skills):
                continue
            if rest or not VARIANTS[variant].needs_task_skill:
                active[name] = replace(own, skills=rest)
            else:
                impossible[name] = f"{skill} is its only skill"
        if active or impossible:
            conditions.append(Condition(f"without {skill}", active, impossible))
    if not conditions:
        raise InputError("these corpora activate no task skill; nothing can be left out")
    return conditions
