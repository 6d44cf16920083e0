"""Options that count updates, given as a share of the updates of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.sampling.auxiliary import epoch_with_auxiliary
from skill_plugin.sweeps.options import Given, Options, text_of

SHARES = (
    "--warmup-updates", "--validate-interval-updates", "--validate-after-updates", "--save-interval-updates",
    "--log-interval", "--hold-steps", "--decay-steps",
)  # fmt: skip
_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")
_POLYNOMIAL = "polynomial_decay"


def settle_shares(
    options: Options, rows: Mapping[str, int], ranks: int, file: Path, masked: Collection[str] = ()
) -> Options:
    """Options with shares (``warmup-updates: 10%``) as numbers, and the end of a polynomial schedule.

    A run makes ``--max-update`` updates, or those of ``--max-epoch`` epochs, whichever are fewer.

    Args:
        options: of a run.
        rows: of each corpus that it trains on.
        ranks: processes over which a batch is spread.
        file: of the sweep, for messages.
        masked: those of them that are of masked tokens (``--mlm-batch-share``).

    Raises:
        InputError: a share, where the number of updates is not known.
    """
    settled = dict(options)
    shares = [name for name in SHARES if _SHARE.fullmatch(text_of(options, name) or "")]
    ends = text_of(options, "--lr-scheduler") == _POLYNOMIAL and "--total-num-update" not in options
    updates = count_updates(options, rows, ranks, masked) if shares or ends else None
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


def count_updates(options: Options, rows: Mapping[str, int], ranks: int, masked: Collection[str] = ()) -> int | None:
    """How many updates a run makes if nothing ends it before; None where that is not known."""
    updates, epochs = _number(options, "--max-update"), _number(options, "--max-epoch")
    sentences, share = _number(options, "--batch-size"), _number(options, "--mlm-batch-share")
    found = [updates] if updates else []
    if epochs and sentences and rows:
        batches = [math.ceil(number / sentences) for number in rows.values()]
        draws = epoch_with_auxiliary(batches, [name in masked for name in rows], share) if share else sum(batches)
        at_once = (_number(options, "--corpora-per-batch") or 1) * (_number(options, "--update-freq") or 1) * ranks
        found.append(epochs * math.ceil(draws / at_once))
    return round(min(found)) if found else None


def _number(options: Options, name: str) -> float | None:
    try:
        return float(text_of(options, name) or "") or None
    except ValueError:  # what is wrong with it is said by fairseq-train
        return None
