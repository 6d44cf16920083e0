"""The splits of a corpus."""

from __future__ import annotations

from typing import Literal, get_args

SplitName = Literal["train", "valid", "test"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
