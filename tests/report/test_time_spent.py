"""Where the time of a run went, and what is advised where too much of it was writing."""

from __future__ import annotations

from typing import Any

import pytest

from skill_plugin.report.time_spent import TimeSpent

MUCH = TimeSpent(training=33, validation=4, checkpoints=1200)
# as fairseq-train has them by default, but for --no-epoch-checkpoints
SETTINGS = {
    "disable_validation": False, "no_epoch_checkpoints": True, "no_last_checkpoints": False, "save_interval": 1,
    "save_interval_updates": 0, "validate_interval_updates": 0, "max_epoch": 0, "keep_best_per_corpus": False,
    "keep_interval_updates": 0,
}  # fmt: skip
BY_EPOCHS = "--save-interval N --validate-interval N"
BEST_ONLY = "--no-last-checkpoints --no-save-optimizer-state"


@pytest.mark.parametrize(
    ("settings", "named", "not_named"),
    [
        ({}, [BY_EPOCHS, BEST_ONLY], ["--no-epoch-checkpoints", "-updates"]),
        ({"no_epoch_checkpoints": False}, ["--no-epoch-checkpoints", BY_EPOCHS], []),
        ({"save_interval_updates": 100}, ["a larger --save-interval-updates,", BY_EPOCHS], [BEST_ONLY]),
        ({"save_interval_updates": 100, "keep_interval_updates": 1}, ["--keep-interval-updates 0,"], []),
        # as `skill-plugin train` chooses them: never at the end of an epoch
        (
            {"save_interval_updates": 9, "validate_interval_updates": 9, "save_interval": 50, "max_epoch": 50},
            ["a larger --save-interval-updates and --validate-interval-updates"],
            ["--save-interval N", BEST_ONLY],
        ),
        ({"disable_validation": True}, ["--save-interval N,"], ["--validate-interval", BEST_ONLY]),
        ({"keep_best_per_corpus": True}, [BY_EPOCHS], [BEST_ONLY]),
        ({"no_last_checkpoints": True}, [BY_EPOCHS], [BEST_ONLY]),
    ],
)
def test_options_are_named_that_make_a_run_write_less(
    settings: dict[str, Any], named: list[str], not_named: list[str]
) -> None:
    advice = MUCH.advice(SETTINGS | settings)
    assert advice is not None and "\n" not in advice
    assert all(one in advice for one in named)
    assert not any(one in advice for one in not_named)


@pytest.mark.parametrize(
    ("training", "validation", "checkpoints", "advised"),
    [(40, 20, 31, True), (40, 25, 31, False), (0, 0, 9.9, False), (1, 0, 10, True)],
)
def test_more_than_a_third_of_more_than_a_moment_is_too_much(
    training: float, validation: float, checkpoints: float, advised: bool
) -> None:
    assert (TimeSpent(training, validation, checkpoints).advice(SETTINGS) is not None) == advised


def test_nothing_is_advised_where_nothing_would_help() -> None:
    once = {"save_interval": 1, "max_epoch": 1, "no_last_checkpoints": True}
    assert MUCH.advice(SETTINGS | once) is None


def test_it_is_read_as_it_is_written() -> None:
    spent = TimeSpent(training=1.25, validation=0.5, checkpoints=3)
    assert TimeSpent.of_end({"event": "end", "spent": spent.to_line()}) == spent
    assert TimeSpent.of_end({"event": "end"}) is None
