"""The section of scores: its numbers are those of results.json, and words are said only where they hold."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats

from skill_plugin.report.page.difference import difference
from tests.html_page import HtmlPage

Command = Callable[..., tuple[int, str, str]]
MakePage = Callable[..., HtmlPage]


def test_numbers_are_those_of_the_results(run: Path, page: MakePage) -> None:
    results = json.loads((run / "results.json").read_text())
    section = page(run).section("scores")
    facts = {one.all("dt")[0].text: one.all("dd")[0].text for one in section.all("div") if one.all("dt")}
    assert facts["avg"].startswith(f"{100 * results['avg']:.1f} ".replace("-", "−"))
    table = section.table("task")
    heads = next(one for one in section.all("table")).all("th")
    languages = [head.text for head in heads[1 : 1 + len({one["language"] for one in results["corpora"].values()})]]
    for name, one in results["corpora"].items():
        row = table.get(name) or table[name.removesuffix(f"-{one['language']}")]
        scale = 1 if one["metric"] == "perplexity" else 100
        expected = f"{scale * one['value']:.1f}"
        if one["constant"] is not None:
            expected += f" constant {scale * one['constant']:.1f}"
        assert row[languages.index(one["language"])] == expected.replace("-", "−"), name


def test_seeds_beside_a_baseline(scored: Callable[..., Path], page: MakePage) -> None:
    """Means, deviations, changes and words; no word where seeds overlap."""
    ours = {"nli_en": (0.70, 0.72, 0.71), "ner_de": (0.80, 0.90, 0.70), "qa_en": (0.61, 0.60, 0.62)}
    theirs = {"nli_en": (0.65, 0.66, 0.66), "ner_de": (0.79, 0.85, 0.75), "qa_en": (0.65, 0.63, 0.66)}
    runs = [scored(f"ours{i}", **{name: values[i] for name, values in ours.items()}) for i in range(3)]
    baselines = [scored(f"theirs{i}", **{name: values[i] for name, values in theirs.items()}) for i in range(3)]
    section = page(*runs, *(part for one in baselines for part in ("--baseline", one))).section("scores")
    table = section.table("corpus")
    for name, values in ours.items():
        mean, other = statistics.fmean(values), statistics.fmean(theirs[name])
        assert table[name][0] == f"{100 * mean:.1f} ± {100 * statistics.stdev(values):.1f}"
        assert table[name][2] == f"{100 * (mean - other):+.1f}".replace("-", "−")
    assert [row[-1] for row in table.values()][1:4] == ["better", "no clear difference", "worse"]
    said = [item.text for item in section.all("li")]
    assert said == [
        "qa_en lost 3.7 points of accuracy against the baseline.",
        "nli_en gained 5.3 points of accuracy against the baseline.",
        "No clear difference: ner_de.",
    ]


def test_runs_are_paired_by_their_seeds(scored: Callable[..., Path], page: MakePage) -> None:
    """Seeds differ by 10 points, models by 1: an interval of one number where pairs are found, a wide one without."""
    runs = [scored(f"ours/seed{seed}", nli_en=0.5 + seed / 10) for seed in (1, 2, 3)]
    baselines = {seed: scored(f"theirs/seed{seed}", nli_en=0.49 + seed / 10) for seed in (3, 1, 2)}
    others = [scored("theirs/seed4", nli_en=0.69), baselines[1], baselines[2]]
    for chosen, interval, words in (
        ([*baselines.values()], "+1.0 … +1.0", "compared in pairs"),
        (others, "", "not paired"),
    ):
        section = page(*runs, *(part for one in chosen for part in ("--baseline", one))).section("scores")
        change, found = section.table("corpus")["nli_en"][2:4]
        assert words in section.text
        assert (found == interval) is bool(interval), (change, found)


def test_the_interval_is_that_of_resampled_pairs() -> None:
    """Three pairs have 27 resamples, of which one is all of the smallest and one all of the greatest."""
    found = difference((0.70, 0.72, 0.71), (0.65, 0.66, 0.66))
    assert (found.low, found.high) == (pytest.approx(0.05), pytest.approx(0.06))
    assert found.value == pytest.approx(0.16 / 3) and found.verdict == "better"
    assert found.p == pytest.approx(stats.ttest_1samp((0.05, 0.06, 0.05), 0).pvalue)
    unpaired = difference((0.70, 0.72), (0.65, 0.66, 0.66))
    assert not unpaired.paired and unpaired.value == pytest.approx(0.71 - 1.97 / 3)


def test_an_interval_alone_is_no_claim() -> None:
    """Three differences of one sign are no proof: their interval never covers 0."""
    found = difference((0.71, 0.75, 0.80), (0.70, 0.70, 0.70))
    assert found.low is not None and found.low > 0 and found.verdict == "no clear difference"


def test_one_run_each_says_nothing_of_chance(scored: Callable[..., Path], page: MakePage) -> None:
    ours, theirs = scored("ours", nli_en=0.7), scored("theirs", nli_en=0.6)
    section = page(ours, "--baseline", theirs).section("scores")
    assert section.table("corpus")["nli_en"] == ["70.0", "60.0", "+10.0", "", "one run each"]
    assert "too few runs to tell a difference from chance" in section.text


def test_a_lower_perplexity_is_better(scored: Callable[..., Path], page: MakePage) -> None:
    ours, theirs = scored("ours", "perplexity", text_en=9.0), scored("theirs", "perplexity", text_en=10.0)
    again = [scored("ours2", "perplexity", text_en=9.1), scored("theirs2", "perplexity", text_en=10.18)]
    section = page(ours, again[0], "--baseline", theirs, "--baseline", again[1]).section("scores")
    assert section.table("corpus")["text_en"][2:] == ["−1.04", "−1.08 … −1.00", "better"]


def test_single_runs_together_are_a_baseline(scored: Callable[..., Path], page: MakePage, tmp_path: Path) -> None:
    joint = scored("joint", nli_en=0.7, ner_de=0.6)
    scored("single/nli", nli_en=0.6)
    scored("single/ner", ner_de=0.65)
    table = page(joint, "--baseline", tmp_path / "single").section("scores").table("corpus")
    assert (table["nli_en"][2], table["ner_de"][2]) == ("+10.0", "−5.0")


def test_what_does_not_compare_is_one_line(command: Command, scored: Callable[..., Path], tmp_path: Path) -> None:
    one, other = scored("one", nli_en=0.7), scored("other", "perplexity", nli_en=7.0)
    out = tmp_path / "page.html"
    for arguments, message in (
        ([one, "--baseline", other], f"{other}: nli_en is scored by perplexity, in another run by accuracy"),
        ([tmp_path], f"{tmp_path / 'other' / 'results.json'}: 'nli_en' is in another results.json too"),
        ([one, one], f"{one / 'results.json'}: is named twice; each run counts once, and none is its own baseline"),
        ([one, "--baseline", tmp_path / "other/../one/results.json"], "is the same as"),
        ([tmp_path / "absent"], f"{tmp_path / 'absent'}: no such file"),
    ):
        status, _, err = command("report", *arguments, "--out", out)
        assert (status, err.count("\n")) == (1, 1) and message in err
    (one / "results.json").write_text('{"split": "valid", "corpora": {"nli_en": {"value": "high"}}}')
    status, _, err = command("report", one, "--out", out)
    assert status == 1 and err.startswith(f"{one / 'results.json'}: damaged:") and not out.exists()
    (tmp_path / "empty").mkdir()
    status, _, err = command("report", tmp_path / "empty", "--out", out)
    assert status == 1 and "holds none of checkpoint_best.pt, checkpoint_last.pt, results.json" in err


def test_texts_that_are_no_answer_are_told(scored: Callable[..., Path], page: MakePage) -> None:
    run = scored("written", nli_en=0.7, ner_de=0.8)
    results = json.loads((run / "results.json").read_text())
    results["corpora"]["nli_en"]["unreadable"], results["corpora"]["ner_de"]["unreadable"] = 3, 0
    (run / "results.json").write_text(json.dumps(results))
    section = page(run).section("scores")
    assert "3 unreadable" in section.text and "0 unreadable" not in section.text
