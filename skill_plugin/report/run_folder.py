"""What the folder of a run tells by its path: of which model it is, and which seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_SEED = re.compile(r"seed(\d+)")


def named_seed(path: Path) -> int | None:
    """The number of the last part of a path that is ``seed`` and a number; None where no part is.

    >>> named_seed(Path("runs/dense/seed3/joint"))
    3
    """
    place = _place(path)
    return None if place is None else int(path.parts[place].removeprefix("seed"))


def run_name(folder: Path) -> str:
    """What a person calls a run: the folder's name, behind that of its model where it is one of several seeds.

    >>> run_name(Path("/runs/dense/seed3")), run_name(Path("/runs/dense/seed3/joint")), run_name(Path("/runs/ckpt"))
    ('dense/seed3', 'dense/seed3/joint', 'ckpt')
    """
    parts, place = folder.parts, _place(folder)
    return folder.name if not place else "/".join(part for part in parts[place - 1 :] if part != folder.anchor)


def pair_seeds(ours: Sequence[Path], theirs: Sequence[Path]) -> list[int] | None:
    """For each of our runs the place of the one of theirs with the same seed; where a path names none, that in order.

    None where they do not pair, since they are not as many or have other seeds.

    >>> pair_seeds([Path("a/seed2"), Path("a/seed10")], [Path("b/seed10"), Path("b/seed2")])
    [1, 0]
    """
    if len(ours) != len(theirs):
        return None
    seeds = [[named_seed(path) for path in paths] for paths in (ours, theirs)]
    known = [[seed for seed in found if seed is not None] for found in seeds]
    if any(len(found) < len(ours) for found in known):
        return list(range(len(ours)))
    if sorted(known[0]) != sorted(known[1]):
        return None
    order = [sorted(range(len(found)), key=found.__getitem__) for found in known]
    return [place for _, place in sorted(zip(*order, strict=True))]


def _place(path: Path) -> int | None:
    places = [place for place, part in enumerate(path.parts) if _SEED.fullmatch(part)]
    return places[-1] if places else None
