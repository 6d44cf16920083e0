"""Training on a part of a split: what the sampler sees, resume, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_plugin.errors import InputError
from tests.integration.conftest import Made
from tests.integration.test_resume import losses, same_weights

pytestmark = pytest.mark.slow
Command = Callable[..., tuple[int, str, str]]
ONLY = ("--only-corpora", "nli-en,reviews-zh", "--batch-size", 4, "--disable-validation")
ALPHA = 0.4
PART = ("--train-rows", "nli-en=25%,reviews-zh=30")


def planned_shares(output: str) -> str:
    (line,) = (line for line in output.splitlines() if "planned shares" in line and "epoch 1:" in line)
    return line.partition("epoch 1: ")[2]


def test_the_sampler_sees_the_part_and_a_run_resumes(
    train: Callable[..., Any], command: Command, tmp_path: Path
) -> None:
    whole = train(tmp_path / "whole", *ONLY, *PART, "--max-update", 16)
    sizes = {"nli-en": 10, "reviews-zh": 30}
    total = sum(size**ALPHA for size in sizes.values())
    shares = ", ".join(f"{name} {size**ALPHA / total:.2%}" for name, size in sizes.items())
    batches = -(-10 // 4) + -(-30 // 4)
    planned = f"{batches} updates, {batches} draws of a corpus, alpha {ALPHA}, planned shares: {shares}"
    assert planned_shares(whole.output) == planned
    for name, size in sizes.items():
        assert f"{name}: trains on {size} of its 40 rows" in whole.output
    train(tmp_path / "run", *ONLY, *PART, "--max-update", 13)
    again = train(tmp_path / "run", *ONLY, *PART, "--max-update", 16)
    assert min(losses(again)) == 14
    assert same_weights(again, whole)
    described = json.loads(command("describe", tmp_path / "run/checkpoint_last.pt", "--json")[1])["trained_on"]
    assert {name: (one["rows"], one["train_rows"]) for name, one in described.items()} == {
        "nli-en": (10, "25%"), "reviews-zh": (30, "30"),
    }  # fmt: skip
    table = command("describe", tmp_path / "run/checkpoint_last.pt")[1]
    assert "10, 25% of train" in table and sum(one["batches"] for one in described.values()) == 16
    for other, was, now in (
        ((), "nli-en=25% reviews-zh=30", "not given"),
        (("--train-rows", "nli-en=20%,reviews-zh=30"), "nli-en=25% reviews-zh=30", "nli-en=20% reviews-zh=30"),
    ):
        refused = train(tmp_path / "run", *ONLY, *other, "--max-update", 17, good=False)
        assert refused.status == 1
        assert f"cannot resume: train-rows was {was}, now {now}; keep it, or" in refused.output.splitlines()[-1]


def test_the_corpora_file_says_it_and_the_option_otherwise(
    made: Made, train: Callable[..., Any], command: Command, tmp_path: Path
) -> None:
    written = made.corpora.with_name("train_rows.yaml")
    head, _, rest = made.corpora.read_text().partition("  nli-en:\n")
    written.write_text(f"{head}  nli-en:\n    train_rows: 25%\n{rest}")
    options = (*ONLY, "--corpora", written, "--max-update", 1)
    assert "nli-en: trains on 10 of its 40 rows" in train(tmp_path / "file", *options).output
    run = train(tmp_path / "option", *options, "--train-rows", "100%")
    assert "nli-en: trains on 40 of its 40 rows" in run.output

    status, out, _ = command("check", written, "--only-corpora", "nli-en")
    assert status == 0
    assert "10 of 40" in out
    status, out, _ = command("check", written, "--only-corpora", "nli-en", "--json")
    found = json.loads(out)["corpora"]["nli-en"]
    assert {split: one["trained"] for split, one in found.items()} == dict.fromkeys(found) | {"train": 10}
    assert found["train"]["rows"] == 40
    options = ("--tokenizer", made.tokenizer, "--only-corpora", "nli-en")
    status, out, err = command("prepare", written, tmp_path / "data", *options)
    assert (status, err) == (0, "")
    assert "10 of 40" in out


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("nli=10%", "--train-rows: 'nli' is no corpus that has training data; did you mean 'nli-en'?"),
        ("nli-en=0%", "--train-rows nli-en=0%: expected CORPUS=PART with a share or a number of rows"),
        ("nli-en", "--train-rows nli-en: expected CORPUS=PART"),
        ("nli-en=41", "--train-rows nli-en=41: asks for 41 rows, but train has 40"),
    ],
)
def test_what_is_refused(value: str, message: str, train_here: Callable[..., None], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        train_here(tmp_path, *ONLY, "--train-rows", value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
