"""A run at a glance: what fits a terminal, and what is left out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from skill_plugin.tasks.display.picture import make_picture
from skill_plugin.tasks.display.run_numbers import CorpusNumbers, RunNumbers


def a_run(corpora: int) -> RunNumbers:
    """After two validations, of which the second was worse for every third corpus."""
    names = [f"a-corpus-with-quite-a-long-name-{i}" for i in range(corpora)]
    run = RunNumbers({name: CorpusNumbers("macro_f1") for name in names}, last=30_000)
    run.update, run.seconds_left = 1234, 3700.0
    run.trained({"loss": 0.41239, "lr": 4.8e-5, "ups": 13.4, **{f"{name}/loss": 0.5 for name in names}})
    for update in (1000, 1200):
        scores = {
            f"{name}/macro_f1": 0.1 + i / 100 - (0.05 if update == 1200 and i % 3 == 0 else 0)
            for i, name in enumerate(names)
        }
        run.validated(update, {"avg": 0.5, "best_avg": 0.6, "loss": 1, f"{names[0]}/ece": 0.9, **scores})
    run.shared(dict.fromkeys(names, 1 / corpora))
    return run


def lines(run: RunNumbers, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=False)
    console.print(make_picture(run, height))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (80, 10), (200, 60), (60, 24)])
@pytest.mark.parametrize("corpora", [1, 3, 25])
def test_it_fits(corpora: int, width: int, height: int) -> None:
    found = lines(a_run(corpora), width, height)
    assert max(map(len, found)) <= width
    assert len(found) < height
    rows = sum(line.startswith("a-corpus") for line in found)
    assert rows + sum(int(line.split()[1]) for line in found if line.startswith("and ")) == corpora
    assert rows == min(corpora, 12, height - 6)


def test_what_it_says() -> None:
    found = lines(a_run(3), 80, 24)
    assert found[0].startswith("update 1,234 of 30,000, epoch 1")
    assert found[0].rstrip().endswith("4%  1 h 1 min left")
    assert found[1] == "loss 0.4124, lr 4.8e-05, 13.4 updates/s"
    assert found[2] == "valid after 1,200 updates: avg 0.5000 (best 0.6000)"
    assert found[3].split() == ["corpus", "share", "loss", "score", "valid", "best"]
    assert found[4].split()[1:] == ["33.3%", "0.500", "macro_f1", "0.0500", "0.1000"]
    run = a_run(3)
    run.at_work = "test", 7, 1000
    assert lines(run, 80, 24)[2] == "validating on test: 7 of 1,000 batches"


def test_a_run_that_has_just_begun() -> None:
    found = [line.rstrip() for line in lines(RunNumbers({"nli": CorpusNumbers()}), 80, 24)]
    assert found[:3] == ["update 0, epoch 1", "no line of numbers yet", "not validated yet"]


def test_of_many_those_that_lost_most_come_first() -> None:
    run = RunNumbers(
        {name: CorpusNumbers("perplexity" if name == "fell" else "f1") for name in ("low", "fell", "rose", "new")},
        lower=frozenset({"fell"}),
    )
    run.validated(1, {"low/f1": 0.2, "fell/perplexity": 3.0, "rose/f1": 0.5})
    run.validated(2, {"low/f1": 0.2, "fell/perplexity": 5.0, "rose/f1": 0.7})
    assert run.corpora["fell"].best == 3.0
    assert run.most_relevant(3) == ["fell", "low", "rose"]
    assert run.most_relevant(4) == ["low", "fell", "rose", "new"]  # all, in their order
