"""What the name of a parameter says: which pretrained one it starts from, whose it is, and who activates it."""

from __future__ import annotations

import re

from skill_plugin.nn.active_set import ActiveSet

# what a variant puts between a layer's slot and the parameters that it copies from the pretrained layer
_COPY = re.compile(r"\.(task_skills|language_skills|languages)\.([^.]+)")
_HEAD = re.compile(r"heads\.([^.]+)\.")

GROUPS = ("encoder", "skills", "experts", "gates", "heads")


def dense_name(name: str) -> str:
    """The name that a parameter has in a dense model: skills start as copies of the pretrained layer's.

    >>> dense_name("encoder.layers.3.feed_forward.task_skills.sentence.fc1.weight")
    'encoder.layers.3.feed_forward.fc1.weight'
    """
    return _COPY.sub("", name)


def group_of(name: str) -> str:
    """One of ``GROUPS``: ``encoder`` is what all corpora share; no variant has experts or gates yet."""
    if _HEAD.match(name):
        return "heads"
    return "skills" if _COPY.search(name) else "encoder"


def is_active(name: str, active: ActiveSet, head: str) -> bool:
    """Whether a corpus with this active set and head uses the parameter."""
    if found := _HEAD.match(name):
        return found[1] == head
    if found := _COPY.search(name):
        return found[2] in (active.skills if found[1] == "task_skills" else (active.language,))
    return True
