"""``split: {valid: 10%, seed: 1}``: splits that are made of the rows of train."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError, nearest
from skill_plugin.spec.corpus import Cut
from skill_plugin.spec.sizes import read_size
from skill_plugin.spec.yaml_lines import LinedDict, show

MADE = ("valid", "test")
SEED = 1


def read_cut(value: Any, place: str, file: Path, line: int) -> Cut:
    """How the rows of train are divided.

    Args:
        value: what stands in the YAML.
        place: corpus and key, for messages.
        file: the corpora file.
        line: of the key in it.

    Raises:
        InputError: no split is made, an unknown key, a size or seed that cannot be.
    """
    if not isinstance(value, LinedDict) or not value:
        raise InputError(f"{place}: expected {{valid: 10%, seed: 1}}, not {show(value)}", file, line)
    for key in value:
        if key not in (*MADE, "seed"):
            why = "; it has the rows that are left" if key == "train" else nearest(str(key), (*MADE, "seed"))
            raise InputError(f"{place}: unknown key {str(key)!r}{why}", file, value.lines[key])
    sizes = {name: _size(value[name], f"{place}: {name}", file, value.lines[name]) for name in MADE if name in value}
    if not sizes:
        raise InputError(f"{place}: makes no split; expected {{valid: 10%}}, test, or both", file, line)
    if sum(size for size in sizes.values() if isinstance(size, float)) >= 1:
        raise InputError(f"{place}: leaves no row to train; expected less than 100% in all", file, line)
    return Cut(sizes=sizes, seed=read_seed(value, "seed", place, file), line=line)


def read_seed(section: LinedDict, key: str, place: str, file: Path) -> int:
    """The seed under a key; ``SEED`` if it is not given.

    Args:
        section: the mapping in the YAML.
        key: the key of the seed.
        place: what the section is called in messages.
        file: the corpora file, for messages.

    Raises:
        InputError: the seed is no whole number from 0 to 2^32 - 1.
    """
    seed = section.get(key, SEED)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 32:
        raise InputError(f"{place}: {key}: expected a whole number from 0, not {show(seed)}", file, section.lines[key])
    return seed


def _size(value: Any, place: str, file: Path, line: int) -> int | float:
    size = read_size(value)
    if size is None or (isinstance(size, float) and size == 1):
        raise InputError(f"{place}: expected a share such as 10%, or a number of rows, not {show(value)}", file, line)
    return size
