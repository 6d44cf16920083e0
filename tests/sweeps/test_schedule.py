"""Shares of the updates of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.sweeps.options import Given, Options, defaults
from skill_plugin.sweeps.schedule import count_updates, settle_shares

ROWS = {"a": 17, "b": 8}


def settled(ranks: int = 1, **words: str) -> dict[str, tuple[str, ...] | None]:
    found = settle_shares(defaults(**words), ROWS, ranks, Path("sweep.yaml"))
    return {name: given.words for name, given in found.items()}


def test_updates_are_those_of_the_end_that_comes_first() -> None:
    assert count_updates(defaults(max_update="100"), ROWS, 1) == 100
    assert count_updates(defaults(max_epoch="2", batch_size="8"), ROWS, 1) == 2 * (3 + 1)
    assert count_updates(defaults(max_epoch="2", batch_size="8", max_update="5"), ROWS, 1) == 5
    assert count_updates(defaults(max_epoch="2", batch_size="8", update_freq="3"), ROWS, 1) == 2 * 2
    assert count_updates(defaults(max_epoch="2", batch_size="8", corpora_per_batch="2"), ROWS, 2) == 2
    assert count_updates(defaults(max_epoch="2", max_tokens="8"), ROWS, 1) is None
    more = {"text": 8000, **ROWS}
    share = defaults(max_epoch="2", batch_size="8", mlm_batch_share="0.2")
    assert count_updates(share, more, 1, ["text"]) == 2 * 5  # four batches of the others, and one
    assert count_updates(defaults(lr="what"), ROWS, 1) is None


def test_shares_become_numbers() -> None:
    assert settled(max_update="100", warmup_updates="10%")["--warmup-updates"] == ("10",)
    assert settled(max_update="100", validate_interval_updates="0.5 %")["--validate-interval-updates"] == ("1",)
    assert settled(max_update="100", warmup_updates="7")["--warmup-updates"] == ("7",)
    options: Options = {"--warmup-updates": Given(("10%",), 4)}
    with pytest.raises(InputError, match=r"^sweep.yaml:4: --warmup-updates 10%: a share needs --max-update, or"):
        settle_shares(options, ROWS, 1, Path("sweep.yaml"))


def test_a_polynomial_schedule_ends_with_the_run() -> None:
    assert settled(lr_scheduler="polynomial_decay", max_epoch="2", batch_size="8")["--total-num-update"] == ("8",)
    assert settled(lr_scheduler="polynomial_decay", max_update="9", total_num_update="5")["--total-num-update"] == (
        "5",
    )
    assert "--total-num-update" not in settled(lr_scheduler="fixed", max_update="9")
