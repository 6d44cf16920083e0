"""What a corpus activates at inference in place of what it was trained with: ``SKILL,…+LANGUAGE@CORPUS``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError, nearest
from skill_plugin.nn.active_set import ActiveSet

_ACTIVATION = re.compile(r"(?P<skills>[^+@]+)?(\+(?P<language>[^+@]+))?(@(?P<corpus>[^+@]+))?")
_EXPECTED = "expected SKILL,SKILL+LANGUAGE, skills or +LANGUAGE alone, or @CORPUS for its gate or task embedding"
_WORDS = {"skills": "task skill", "language": "language skill", "gate": "gate", "embedding": "task embedding"}

Choices = Mapping[str, Sequence[str]]


def parse_activation(text: str, name: str, bundle: Bundle, choices: Choices) -> ActiveSet:
    """What a corpus activates, changed by a text: ``generic,token``, ``+zh``, ``generic+zh`` or ``@other-corpus``.

    What the text does not name stays.

    Args:
        text: the change.
        name: a corpus of the model.
        bundle: the model's bundle.
        choices: what the model has to activate, see ``choices_of``.

    Raises:
        InputError: not such a text, or a name that the model does not have.
    """
    found = _ACTIVATION.fullmatch("".join(text.split()))
    given = {} if found is None else {part: value for part, value in found.groupdict().items() if value}
    if not given:  # an empty text, or not of this form
        raise InputError(f"{name}={text}: {_EXPECTED}")
    active = bundle.active_set(name)
    try:
        if "skills" in given:
            skills = tuple(given["skills"].split(","))
            for skill in skills:
                _check_name(skill, "skills", bundle, choices)
            if len(set(skills)) < len(skills):
                raise InputError("names a skill twice")
            active = replace(active, skills=skills)
        if "language" in given:
            _check_name(given["language"], "language", bundle, choices)
            active = replace(active, language=given["language"])
        if "corpus" in given:
            active = _as_corpus(active, given["corpus"], bundle, choices)
    except InputError as error:
        raise InputError(f"{name}={text}: {error.message}") from None
    return active


def _check_name(name: str, part: str, bundle: Bundle, choices: Choices) -> None:
    if part not in choices:
        has = ", ".join(f"{_WORDS[one]}s" for one in choices)
        raise InputError(f"this {bundle.variant} model has no {_WORDS[part]}s{f', but {has}' if has else ''}")
    if name not in choices[part]:
        other = "language" if part == "skills" else "skills"
        hint = nearest(name, choices[part])
        if name in choices.get(other, ()):
            hint = f", but a {_WORDS[other]} of this name: write {'+' if other == 'language' else ''}{name}"
        raise InputError(f"the model has no {_WORDS[part]} {name!r}{hint}")


def _as_corpus(active: ActiveSet, corpus: str, bundle: Bundle, choices: Choices) -> ActiveSet:
    """The gate and the task embedding of another corpus."""
    for part in ("gate", "embedding"):
        if part in choices:
            if corpus not in bundle.labels:
                raise InputError(f"the model has no corpus {corpus!r}{nearest(corpus, bundle.labels)}")
            return replace(active, **{part: getattr(bundle.active_set(corpus), part)})
    raise InputError(f"this {bundle.variant} model has no gates and no task embeddings")
