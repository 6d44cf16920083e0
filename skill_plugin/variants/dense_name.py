"""How a variant's parameters are named after the pretrained ones that they start from."""

from __future__ import annotations

import re

# what a variant puts between a layer's slot and the parameters that it copies from the pretrained layer
_COPIES = re.compile(r"\.(task_skills|language_skills|languages)\.[^.]+")


def dense_name(name: str) -> str:
    """The name that a parameter has in a dense model: skills start as copies of the pretrained layer's.

    >>> dense_name("encoder.layers.3.feed_forward.task_skills.sentence.fc1.weight")
    'encoder.layers.3.feed_forward.fc1.weight'
    """
    return _COPIES.sub("", name)
