"""Options that count updates, given as a share of the updates of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.sweeps.options import Given, Options, text_of

SHARES = (
    "--warmup-updates", "--validate-interval-updates", "--validate-after-updates", "--save-interval-updates",
    "--log-interval", "--hold-steps", "--decay-steps",
)  # fmt: skip
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")
_POLYNOMIAL = "polynomial_decay"


def settle_shares(options: Options, rows: Mapping[str, int], ranks: int, file: Path) -> Options:
    """Options with shares (``warmup-updates: 10%``) as numbers, and the end of a polynomial schedule.

    A run makes ``--max-update`` updates, or those of ``--max-epoch`` epochs, whichever are fewer.

    Args:
        options: of a run.
        rows: of each corpus that it trains on.
        ranks: processes over which a batch is spread.
        file: of the sweep, for messages.

    Raises:
        InputError: a share, where the number of updates is not known.
    """
    settled = dict(options)
    shares = [name for name in SHARES if _SHARE.fullmatch(text_of(options, name) or "")]
    ends = text_of(options, "--lr-scheduler") == _POLYNOMIAL and "--total-num-update" not in options
    updates = count_updates(options, rows, ranks) if shares or ends else None
    for name in shares:
        share = _SHARE.fullmatch(text_of(options, name) or "")
        if updates is None or share is None:
            message = f"{name} {text_of(options, name)}: a share needs --max-update, or --max-epoch and --batch-size"
            raise InputError(message, file, options[name].line)
        number = round(updates * float(share[1]) / 100)
        settled[name] = Given((str(number if name == "--warmup-updates" else max(1, number)),), options[name].line)
    if ends and updates is not None:
        settled["--total-num-update"] = Given((str(updates),))
    return settled


def count_updates(options: Options, rows: Mapping[str, int], ranks: int) -> int | None:
    """How many updates a run makes if nothing ends it before; None where that is not known."""
    updates, epochs = _number(options, "--max-update"), _number(options, "--max-epoch")
    sentences = _number(options, "--batch-size")
    found = [updates] if updates else []
    if epochs and sentences and rows:
        batches = sum(math.ceil(number / sentences) for number in rows.values())  # as many as corpora have together
        at_once = (_number(options, "--corpora-per-batch") or 1) * (_number(options, "--update-freq") or 1) * ranks
        found.append(epochs * math.ceil(batches / at_once))
    return round(min(found)) if found else None


def _number(options: Options, name: str) -> float | None:
    try:
        return float(text_of(options, name) or "") or None
    except ValueError:  # what is wrong with it is said by fairseq-train
        return None
