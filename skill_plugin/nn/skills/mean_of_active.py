"""Runs each active module once, over the tokens of all segments that activate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn


def mean_of_active(
    x: Tensor, spans: Sequence[tuple[int, int]], active: Sequence[Sequence[str]], modules: Mapping[str, nn.Module]
) -> Tensor:
    """For every segment the mean of its active modules' outputs (SkillNet-X, equation 4).

    Args:
        x: [N, D].
        spans: ``(start, end)`` of each segment; they cover x in order.
        active: names of the active modules of each segment, at least one.
        modules: the modules by name; each maps [n, D] to [n, E].

    Returns:
        [N, E]. A module that no segment activates is not run, and gets no gradient.

    Raises:
        ValueError: a segment activates no module.
    """
    if not all(active):
        raise ValueError("every segment must activate at least one skill")
    spans, active = _joined(spans, active)
    outputs: list[list[Tensor]] = [[] for _ in spans]
    for name in dict.fromkeys(name for names in active for name in names):
        members = [i for i, names in enumerate(active) if name in names]
        lengths = [spans[i][1] - spans[i][0] for i in members]
        whole = len(members) == len(spans)
        y = modules[name](x if whole else torch.cat([x[spans[i][0] : spans[i][1]] for i in members]))
        for i, part in zip(members, y.split(lengths) if len(members) > 1 else [y], strict=True):
            outputs[i].append(part)
    means = [_mean(parts) for parts in outputs]
    return torch.cat(means) if len(means) > 1 else means[0]


def _joined(
    spans: Sequence[tuple[int, int]], active: Sequence[Sequence[str]]
) -> tuple[list[tuple[int, int]], list[Sequence[str]]]:
    """Neighbours with the same active modules as one, which saves cutting x up and putting it together again."""
    joined: list[tuple[int, int]] = []
    names: list[Sequence[str]] = []
    for (start, end), own in zip(spans, active, strict=True):
        if names and names[-1] == own:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
            names.append(own)
    return joined, names


def _mean(parts: list[Tensor]) -> Tensor:
    if len(parts) == 1:
        return parts[0]
    total = parts[0] + parts[1]
    for part in parts[2:]:
        total += part
    return total.mul_(1 / len(parts))
