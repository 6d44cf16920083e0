"""``results.json`` and the language × task table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from skill_plugin.errors import InputError
from skill_plugin.report.results import CorpusResult, Results
from skill_plugin.report.score_table import make_score_table

RESULTS = Results(
    "valid",
    {
        "nli-en": CorpusResult("en", "classification", "accuracy", 0.5, 10),
        "nli-de": CorpusResult("de", "classification", "accuracy", 0.75, 4),
        "cola": CorpusResult("en", "classification", "mcc", -0.1, 20),
        "text-zh": CorpusResult("zh", "masked_lm", "perplexity", 12.5, 7, averaged=False),
    },
)


def test_json_holds_what_scripts_read(tmp_path: Path) -> None:
    RESULTS.write(tmp_path / "new" / "results.json")
    read = json.loads((tmp_path / "new" / "results.json").read_text())
    assert read["corpora"]["nli-de"] == {
        "language": "de", "kind": "classification", "metric": "accuracy", "value": 0.75, "n": 4,
        "averaged": True, "details": {}, "training": {}, "constant": None,
    }  # fmt: skip
    assert read["avg"] == pytest.approx((0.5 + 0.75 - 0.1) / 3)
    assert read["by_language"] == {"en": pytest.approx(0.2), "de": 0.75}
    assert read["worst"] == -0.1 and "weighted_avg" not in read
    weighted = replace(RESULTS, weights={"cola": 0, "nli-en": 3}).to_json()
    assert weighted["weighted_avg"] == pytest.approx((3 * 0.5 + 0.75) / 4)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["results.json"]


def test_a_task_in_two_languages_stands_in_one_row() -> None:
    console = Console(width=100)
    with console.capture() as captured:
        console.print(make_score_table(RESULTS))
    lines = [
        line for line in captured.get().splitlines() if any(part in line for part in ("nli", "cola", "text", "avg"))
    ]
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    assert cells[0] == ["nli", "accuracy", "50.0", "75.0", "", "14"]
    assert cells[1] == ["cola", "mcc", "-10.0", "", "", "20"]
    assert cells[2] == ["text", "perplexity", "", "", "12.5", "7"]
    assert cells[3][2] == "38.3"


def test_a_score_that_a_constant_rule_reaches_is_marked() -> None:
    one = CorpusResult("en", "classification", "accuracy", 0.5, 10, constant=0.5)
    results = Results("test", {"rte": one, "qnli": replace(one, value=0.8)})
    assert results.to_json()["corpora"]["rte"]["constant"] == 0.5
    console = Console(width=80)
    with console.capture() as captured:
        console.print(make_score_table(results))
    assert "50.0* (50.0)" in captured.get() and "80.0 (50.0)" in captured.get()
    cost = CorpusResult("en", "masked_lm", "perplexity", 12.5, 10, constant=15.0)
    assert [replace(cost, value=value).is_constant for value in (12.5, 15.0, 16.0)] == [False, True, True]


def test_a_group_has_a_row_and_counts_once() -> None:
    groups = {"nli": ("nli-en", "nli-de", "nli-sw"), "none": ("a", "b")}
    results = replace(RESULTS, groups=groups)
    read = results.to_json()
    assert read["avg"] == pytest.approx(((0.5 + 0.75) / 2 - 0.1) / 2)
    assert read["groups"] == {"nli": {"corpora": ["nli-en", "nli-de", "nli-sw"], "value": 0.625}}
    assert read["by_language"] == RESULTS.by_language and "groups" not in RESULTS.to_json()
    console = Console(width=100)
    with console.capture() as captured:
        console.print(make_score_table(results))
    (row,) = (line for line in captured.get().splitlines() if "mean of 2" in line)
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["nli", "mean of 2", "50.0", "75.0", "", "14"]
    with console.capture() as captured:  # of one corpus it would be the same row again
        console.print(make_score_table(replace(RESULTS, groups={"nli": ("nli-en", "nli-sw")})))
    assert "mean of" not in captured.get()


def test_without_a_corpus_that_counts_there_is_no_average() -> None:
    results = Results("valid", {"text-zh": RESULTS.corpora["text-zh"]})
    assert results.to_json()["avg"] is None and results.by_language == {}


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="taken"):
        RESULTS.write(tmp_path / "taken" / "results.json")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
