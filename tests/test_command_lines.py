"""What is wrong with command lines of fairseq-train."""

from __future__ import annotations

import pytest

from skill_plugin.command_lines import find_fault

GOOD = (
    "data --task multilingual_multitask --corpora c.yaml --arch dense_tiny --criterion multitask_cross_entropy "
    "--optimizer skill_adam --lr 1e-3 --batch-size 8"
)


@pytest.mark.parametrize(
    ("words", "option", "message"),
    [
        ("--lrr 3", "--lrr", "--lrr: fairseq-train has no such option; did you mean '--lr'?"),
        ("--arch dense_tinny", "--arch", "--arch dense_tinny: unknown; did you mean 'dense_tiny'?"),
        ("--max-update many", "--max-update", "--max-update: invalid int value: 'many'"),
        ("--dropout 2", "--dropout", "--dropout 2.0: expected 0 to below 1"),
        ("--lr", "--lr", "--lr: expected one argument"),
        ("--lr-scheduler polynomial_decay", "--lr-scheduler", "--lr-scheduler polynomial_decay needs "),
    ],
)
def test_the_first_fault_is_named(words: str, option: str, message: str) -> None:
    fault = find_fault([*GOOD.split(), *words.split()])
    assert fault is not None
    assert fault["option"] == option
    assert str(fault["message"]).startswith(message)


def test_a_good_one_has_none() -> None:
    assert find_fault(GOOD.split()) is None


def test_nothing_says_which_model() -> None:
    fault = find_fault(GOOD.replace("--arch dense_tiny ", "").split())
    assert fault == {"option": "--arch", "message": "--arch is needed, such as dense_tiny"}
