"""Tables of several runs: values, means and spreads as the statistics module has them, and one line for each fault."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.report.comparison.paired import paired_difference
from tests import warm_process

SCRIPT = Path(__file__).parents[2] / "scripts" / "compare_runs"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """write("a/seed1", rte=0.5) writes a/seed1/results.json."""

    def run(folder: str, split: str = "valid", metric: str = "accuracy", n: int = 9, **values: float) -> Path:
        corpora = {
            name: {"language": name.partition("-")[2] or "en", "kind": "classification", "metric": metric,
                   "value": value, "n": n, "averaged": metric != "perplexity"}
            for name, value in values.items()
        }  # fmt: skip
        path = tmp_path / folder / "results.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"split": split, "corpora": corpora, "avg": 0.0, "by_language": {}}))
        return path

    return run


def call(*arguments: object) -> tuple[int, str, str]:
    done = warm_process.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_means_and_spreads_over_seeds(write: Write, tmp_path: Path) -> None:
    dense = {1: (0.60, 0.70, 0.9), 2: (0.64, 0.72, 0.8), 3: (0.65, 0.68, 0.85)}
    for seed, (rte, mrpc, mnli) in dense.items():
        write(f"dense/seed{seed}", rte=rte, mrpc=mrpc, mnli=mnli)
        write(f"moe/seed{seed}/rte", rte=rte + 0.1)  # a run of three files
        write(f"moe/seed{seed}/mrpc", mrpc=mrpc)
        write(f"moe/seed{seed}/mnli", mnli=mnli)
    status, out, err = call(
        f"dense={tmp_path}/dense/seed*/results.json", f"experts={tmp_path}/moe/seed*", "--small", "rte,mrpc",
        "--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json", "--title", "GLUE",
    )  # fmt: skip
    assert (status, err) == (0, "")
    table = json.loads((tmp_path / "t.json").read_text())
    assert list(table["metrics"]) == ["rte", "mrpc", "mnli"]
    row = table["rows"]["experts"]
    rte = [r + 0.1 for r, _, _ in dense.values()]
    assert row["corpora"]["rte"] == {
        "mean": pytest.approx(statistics.mean(rte)),
        "deviation": pytest.approx(statistics.stdev(rte)),
        "values": pytest.approx(rte),
    }
    small = [(r + 0.1 + m) / 2 for r, m, _ in dense.values()]
    everything = [(r + 0.1 + m + n) / 3 for r, m, n in dense.values()]
    assert (row["small"]["mean"], row["small"]["deviation"]) == pytest.approx(
        (statistics.mean(small), statistics.stdev(small))
    )
    assert row["all"]["deviation"] == pytest.approx(statistics.stdev(everything))
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[:4] == [
        "**GLUE**", "", "| | rte (accuracy) | mrpc (accuracy) | mnli (accuracy) | small | all |".replace("| |", "|  |"),
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    shown = f"{100 * statistics.mean(rte):.1f} ± {100 * statistics.stdev(rte):.1f}"
    assert lines[5].startswith(f"| experts | {shown} | ")
    assert lines[-1].startswith("Valid, in percent; mean ± standard deviation of 3 runs; small: mean over rte, mrpc")
    assert shown in out
    assert "GLUE" in out


def test_means_are_over_what_all_rows_have(write: Write, tmp_path: Path) -> None:
    """As in MT-TaG's robustness comparison: with and without unrelated corpora, scored on the others."""
    write("clean", rte=0.5, mrpc=0.7)
    write("glue", rte=0.6, cola=0.1, mrpc=0.8)
    write("glue/text", metric="perplexity", raw=12.0)
    status, _, err = call(f"clean={tmp_path}/clean", f"glue={tmp_path}/glue", "--json", tmp_path / "t.json",
                          "--markdown", tmp_path / "t.md")  # fmt: skip
    assert (status, err) == (0, "")
    table = json.loads((tmp_path / "t.json").read_text())
    assert table["all"] == ["rte", "mrpc"]
    assert table["rows"]["glue"]["all"]["mean"] == pytest.approx(0.7)
    assert table["rows"]["glue"]["all"]["deviation"] is None
    text = (tmp_path / "t.md").read_text()
    assert "| clean | 50.0 | 70.0 | – | – | 60.0 |" in text
    assert "| glue | 60.0 | 80.0 | 10.0 | 12.0 | 70.0 |" in text
    assert "all: mean over rte, mrpc" in text
    status, _, _ = call(f"glue={tmp_path}/glue", "--columns", "cola,rte", "--markdown", tmp_path / "t.md")
    assert status == 0
    assert "| glue | 10.0 | 60.0 | 35.0 |" in (tmp_path / "t.md").read_text()


def test_texts_that_are_no_answer_are_told(write: Write, tmp_path: Path) -> None:
    """Of the corpora that are shown, in the mean over runs; nothing of a model that chooses."""
    for seed in (1, 2):
        write(f"chosen/seed{seed}", rte=0.5, mrpc=0.6, cola=0.5)
        path = write(f"written/seed{seed}", rte=0.4, mrpc=0.6, cola=0.5)
        content = json.loads(path.read_text())
        for name, count in (("rte", 2000 * seed), ("mrpc", 0), ("cola", 7)):
            content["corpora"][name]["unreadable"] = count
        path.write_text(json.dumps(content))
    rows = (f"chosen={tmp_path}/chosen/seed*", f"written={tmp_path}/written/seed*")
    files = ("--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json")
    status, _, err = call(*rows, "--columns", "rte,mrpc", *files)
    assert (status, err) == (0, "")
    words = "texts that are no answer and count as wrong, of a run: 3,000 of written."
    assert (tmp_path / "t.md").read_text().endswith(f"; {words}\n")
    found = json.loads((tmp_path / "t.json").read_text())["rows"]
    assert found["written"]["unreadable"] == 3000 and "unreadable" not in found["chosen"]


def test_the_difference_from_a_baseline_is_paired_by_seed(write: Write, tmp_path: Path) -> None:
    """Of two runs, whatever their order, and of the published means; where all differences are one number, the interval
    is that number."""
    for seed, shift in ((1, 0.0), (2, 0.2)):
        write(f"dense/seed{seed}", rte=0.5 + shift, mrpc=0.6 + shift)
        write(f"alike/seed{seed}", rte=0.53 + shift, mrpc=0.63 + shift)
        write(f"mixed/seed{seed}", rte=0.7 + shift, mrpc=0.5 + shift)
    said = {"source": "a paper, table 9", "rows": {"dense": {"all": 60.5, "rte": 50}, "mixed": {"all": 60.1}}}
    (tmp_path / "table9.json").write_text(json.dumps(said))
    status, _, err = call(
        f"dense={tmp_path}/dense/seed*", f"alike={tmp_path}/alike/seed2", f"alike={tmp_path}/alike/seed1",
        f"mixed={tmp_path}/mixed/seed*", "--baseline", "dense",
        "--published", tmp_path / "table9.json", "--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0].endswith("| all | all − dense |")
    assert lines[2].endswith("± 14.1 |  |")
    assert lines[3] == "| dense: published | 50 | – | 60.5 |  |"
    assert lines[4].endswith("| +3.0 [+3.0, +3.0] p <0.001 |")
    assert lines[5].endswith("| +5.0 [−10.0, +20.0] p <0.001 |")  # one corpus gains 20, the other loses 10
    assert lines[6] == "| mixed: published | – | – | 60.1 | −0.4 |"
    assert "published: a paper, table 9, on its own data and encoder" in lines[-1]
    few = ("--columns", "mrpc", "--published", tmp_path / "table9.json", "--markdown", tmp_path / "few.md")
    status, _, _ = call(f"dense={tmp_path}/dense/seed*", *few)
    assert "| dense: published | – | – |" in (tmp_path / "few.md").read_text()  # its mean is of rte too
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["rows"]["mixed"]["differences"]["all"]["mean"] == pytest.approx(0.05)
    assert content["published"] == said


def test_the_interval_is_that_of_all_resamples() -> None:
    """All resamples of two runs and three corpora, each as likely as the others."""
    ours = np.array([[0.5, 0.7, 0.1], [0.6, 0.4, 0.3]])
    theirs = np.array([[0.4, 0.5, 0.4], [0.4, 0.1, 0.1]])
    found = paired_difference(ours, theirs)
    means = [
        np.mean([(ours - theirs)[run, corpus] for run in runs for corpus in corpora])
        for runs in product(range(2), repeat=2)
        for corpora in product(range(3), repeat=3)
    ]
    assert found.mean == pytest.approx(np.mean(ours - theirs))
    assert (found.low, found.high) == pytest.approx(np.quantile(means, (0.025, 0.975)), abs=0.02)
    assert paired_difference(ours, theirs) == found  # the same table twice


def test_deviations_over_entries_and_the_data_that_was_used(write: Write, tmp_path: Path) -> None:
    path = write("run", rte=0.5, mrpc=0.8)
    content = json.loads(path.read_text())
    content["corpora"]["mrpc"]["details"] = {"f1": 0.9}
    path.write_text(json.dumps({**content, "data_used": 0.75}))
    status, out, err = call(f"run={path}", "--entries", "mrpc:f1", "--data-used", "--json", tmp_path / "t.json")
    assert (status, err) == (0, "")
    assert "mrpc by accuracy and f1" in " ".join(out.split())
    row = json.loads((tmp_path / "t.json").read_text())["rows"]["run"]
    assert row["task σ"]["mean"] == pytest.approx(statistics.stdev([0.5, 0.8, 0.9]))
    assert row["data used"]["mean"] == 0.75
    write("less", rte=0.5)
    status, _, err = call(f"less={tmp_path}/less", "--entries", "")
    assert status == 1 and "--entries: a deviation needs two entries or more" in err


def test_how_much_further_apart_entries_are(write: Write, tmp_path: Path) -> None:
    ours, theirs = np.array([[0.2, 0.8, 0.5], [0.1, 0.7, 0.6]]), np.array([[0.4, 0.5, 0.6], [0.3, 0.5, 0.5]])
    for seed in (0, 1):
        write(f"a/seed{seed}", **dict(zip(("x", "y", "z"), ours[seed], strict=True)))
        write(f"b/seed{seed}", **dict(zip(("x", "y", "z"), theirs[seed], strict=True)))
    rows = [f"{name}={tmp_path}/{name}/seed*" for name in ("a", "b")]
    status, _, err = call(*rows, "--entries", "", "--baseline", "b", "--json", tmp_path / "t.json")
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "t.json").read_text())["rows"]["a"]["differences"]["task σ"]
    apart = [statistics.stdev(one) - statistics.stdev(other) for one, other in zip(ours, theirs, strict=True)]
    assert found["mean"] == pytest.approx(statistics.mean(apart))
    resampled = [
        np.mean(
            [statistics.stdev(ours[run][list(entries)]) - statistics.stdev(theirs[run][list(entries)]) for run in runs]
        )
        for runs in product(range(2), repeat=2)
        for entries in product(range(3), repeat=3)
    ]
    assert (found["low"], found["high"]) == pytest.approx(np.quantile(resampled, (0.025, 0.975)), abs=0.02)


def test_what_does_not_compare_is_refused_in_one_line(write: Write, tmp_path: Path) -> None:
    write("a/seed1", rte=0.5, mrpc=0.7)
    write("a/seed2", rte=0.5)
    write("b", split="test", rte=0.5)
    write("c", metric="f1", rte=0.5)
    write("d/one", rte=0.5)
    write("d/two", rte=0.5)
    write("i/seed1", rte=0.5)
    write("i/seed3", rte=0.5)
    write("j", n=8, rte=0.5)
    (tmp_path / "e").mkdir()
    (tmp_path / "f.json").write_text("[1]")
    (tmp_path / "g.json").write_text("{")
    for arguments, message in (
        ([f"a={tmp_path}/a/seed*"], f"{tmp_path}/a/seed2: no results of 'mrpc', which {tmp_path}/a/seed1 has"),
        ([f"a={tmp_path}/a/seed1", f"b={tmp_path}/b"], f"{tmp_path}/b: scored 'test'"),
        ([f"a={tmp_path}/a/seed2", f"c={tmp_path}/c"], f"{tmp_path}/c: rte is scored by f1, elsewhere by accuracy"),
        ([f"d={tmp_path}/d"], f"{tmp_path}/d/two/results.json: 'rte' is in another results.json"),
        ([f"e={tmp_path}/e"], f"{tmp_path}/e: no results.json in this folder"),
        ([f"f={tmp_path}/f.json"], f"{tmp_path}/f.json: expected a JSON object, found list"),
        ([f"g={tmp_path}/g.json"], f"{tmp_path}/g.json:1: not JSON: "),
        ([f"d={tmp_path}/d/one", "--baseline", "e"], "--baseline 'e' is not a row"),
        (
            [f"a={tmp_path}/a/seed*", f"d={tmp_path}/d/one", "--columns", "rte", "--baseline", "d"],
            "a has 2 runs, d 1; expected the same seeds",
        ),
        (
            [f"a={tmp_path}/a/seed*", f"i={tmp_path}/i/seed*", "--columns", "rte", "--baseline", "i"],
            "a has the seeds 1, 2, i 1, 3; expected the same seeds",
        ),
        ([f"d={tmp_path}/d/one", f"j={tmp_path}/j"], f"{tmp_path}/j: rte is scored on 8 items, elsewhere on 9"),
        ([f"d={tmp_path}/d/one", "--published", tmp_path / "f.json"], f"{tmp_path}/f.json: expected a JSON object"),
        ([f"d={tmp_path}/d/one", "--entries", "rte"], "'rte': expected CORPUS:METRIC"),
        ([f"d={tmp_path}/d/one", "--entries", "rte:f1"], f"{tmp_path}/d/one: rte has no f1"),
        ([f"h={tmp_path}/h*"], f"h: nothing matches {tmp_path}/h*"),
        (["runs"], "'runs': expected NAME=PATTERN"),
        (
            [f"a={tmp_path}/a/seed*", f"a={tmp_path}/a/seed1/results.json"],
            f"{tmp_path}/a/seed1/results.json: is named twice",
        ),
        (
            [f"a={tmp_path}/a/seed2", f"a={tmp_path}/i/seed1", f"a={tmp_path}/a/seed1", "--partial"],
            f"{tmp_path}/a/seed1: a has the seed 1 here and in {tmp_path}/i/seed1; each run of a row has a seed of its",
        ),
        ([f"a={tmp_path}/a/seed1", "--columns", "mprc"], "no run scored 'mprc'; did you mean 'mrpc'?"),
        ([f"a={tmp_path}/a/seed2", "--small", "mrpc"], "small corpus 'mrpc' is not one that all runs have"),
    ):
        status, out, err = call(*arguments)
        assert (status, out) == (1, "")
        assert err.startswith(message)
        assert err.count("\n") == 1


def test_by_language_columns_are_means_over_corpora_that_all_rows_have(write: Write, tmp_path: Path) -> None:
    nli = {1: (0.5, 0.4), 2: (0.6, 0.8)}
    for seed, (en, de) in nli.items():
        write(f"joint/seed{seed}", **{"nli-en": en, "nli-de": de, "qa": 0.3, "only": 0.0})
        write(f"single/seed{seed}/nli", **{"nli-en": en + 0.1, "nli-de": de})  # a run of two files
        write(f"single/seed{seed}/qa", qa=0.2)
        write(f"joint/seed{seed}/text", metric="perplexity", **{"raw-zh": 9.0})
        write(f"single/seed{seed}/text", metric="perplexity", **{"raw-zh": 8.0})
    rows = [f"{name}={tmp_path}/{name}/seed*" for name in ("single", "joint")]
    status, out, err = call(*rows, "--by-language", "--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json")
    assert (status, err) == (0, "")
    table = json.loads((tmp_path / "t.json").read_text())
    assert table["languages"] == {"en": ["nli-en", "qa"], "de": ["nli-de"]}  # no corpus in zh counts
    assert table["all"] == ["nli-en", "nli-de", "qa"]
    english = [(en + 0.3) / 2 for en, _ in nli.values()]
    assert table["rows"]["joint"]["languages"]["en"]["values"] == pytest.approx(english)
    everything = [(en + 0.1 + de + 0.2) / 3 for en, de in nli.values()]  # each corpus counts once
    assert table["rows"]["single"]["all"]["values"] == pytest.approx(everything)
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == "|  | en | de | all |"
    shown = f"{100 * statistics.mean(english):.1f} ± {100 * statistics.stdev(english):.1f}"
    assert lines[3].startswith(f"| joint | {shown} | 60.0 ± 28.3 | ")
    assert "en: mean over nli-en, qa; de: mean over nli-de; all: mean over" in lines[-1]
    assert shown in out
    status, out, err = call(*rows, "--by-language", "--columns", "raw-zh")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("--by-language: no corpus that all runs have counts")


def test_by_task_columns_are_means_over_languages(write: Write, tmp_path: Path) -> None:
    write("joint/seed1", **{"nli-en": 0.5, "nli-de": 0.4, "qa": 0.3})
    said = {
        "source": "a thesis", "rows": {"joint": {"nli-en": 80, "all": 70}}, "languages": {"joint": {"de": 75}},
        "tasks": {"joint": {"nli": 81, "qa": 61, "all": 71}},
    }  # fmt: skip
    (tmp_path / "said.json").write_text(json.dumps(said))
    files = ("--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json", "--published", tmp_path / "said.json")
    status, _, err = call(f"joint={tmp_path}/joint/seed*", "--by-task", *files)
    assert (status, err) == (0, "")
    table = json.loads((tmp_path / "t.json").read_text())
    assert table["tasks"] == {"nli": ["nli-en", "nli-de"], "qa": ["qa"]} and table["published"] == said
    assert table["rows"]["joint"]["tasks"]["nli"]["mean"] == pytest.approx(0.45)
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == "|  | nli | qa | all |"
    assert lines[2:4] == ["| joint | 45.0 | 30.0 | 40.0 |", "| joint: published | 81 | 61 | 71 |"]
    status, _, _ = call(f"joint={tmp_path}/joint/seed*", "--by-language", *files)
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == "|  | en | de | all |" and lines[3] == "| joint: published | – | 75 | – |"
    status, _, err = call(f"joint={tmp_path}/joint/seed*", "--by-task", "--by-language")
    assert status == 2 and "not allowed with" in err


def test_what_is_missing_of_a_partial_table(write: Write, tmp_path: Path) -> None:
    """Rows, runs and corpora; differences are over what both have, paired by seed, not by the order of paths."""
    for seed in (1, 2, 10):
        write(f"dense/seed{seed}/joint", rte=0.5 + seed / 100, mrpc=0.6, cola=0.1)
    write("moe/seed2/joint", rte=0.62, mrpc=0.6, cola=0.1)
    write("moe/seed10/joint", rte=0.70, mrpc=0.6, cola=0.1)
    write("single/seed1/single/rte", rte=0.41)
    write("single/seed1/single/mrpc", mrpc=0.6)
    write("single/seed2/single/rte", rte=0.42)
    rows = [f"{name}={tmp_path}/{name}/seed*" for name in ("single", "dense", "moe", "later")]
    options = ("--columns", "rte,mrpc,cola,wnli", "--small", "rte,mrpc", "--baseline", "dense", "--entries", "mrpc:x")
    status, _, err = call(*rows, *options)
    assert status == 1 and err.startswith("later: nothing matches")
    files = ("--markdown", tmp_path / "t.md", "--json", tmp_path / "t.json")
    status, _, err = call(*rows, *options[:-2], "--partial", *files)
    assert (status, err) == (0, "no results yet: later\n")
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == (
        "|  | rte (accuracy) | mrpc (accuracy) | cola (accuracy) | small | all | small − dense | all − dense |"
    )
    assert lines[2] == (
        "| single | 41.5 ± 0.7 | 60.0 (1 run) | – | 50.5 (1 run) | – "
        "| −10.0 [−10.0, −10.0] p <0.001 (1 corpus, 2 runs) | −10.0 [−10.0, −10.0] p <0.001 (1 corpus, 2 runs) |"
    )
    assert lines[4].startswith("| moe | 66.0 ± 5.7 | 60.0 ± 0.0 | 10.0 ± 0.0 | 63.0 ± 2.8 | ")
    assert lines[4].endswith("| +3.3 [+0.0, +10.0] p <0.001 (2 runs) |")  # by seed: 10 on one corpus of three
    assert "in brackets: how many runs and corpora a value is of where it is not of all" in lines[-1]
    row = json.loads((tmp_path / "t.json").read_text())["rows"]["moe"]["differences"]["all"]
    assert (row["mean"], row["runs"], row["corpora"]) == (pytest.approx(0.1 / 3), 2, 3)
    status, _, err = call(rows[0], rows[2], *options[:-2], "--partial", *files)  # without the baseline: the first row
    assert (status, err) == (0, "") and "all − single" in (tmp_path / "t.md").read_text().splitlines()[0]
    (tmp_path / "t.md").unlink()
    status, out, err = call(rows[3], "--partial", *files)
    assert (status, out, err) == (0, "", "") and not (tmp_path / "t.md").exists()
    write("odd/first", rte=0.5)
    status, _, err = call(f"odd={tmp_path}/odd/*", rows[1], "--partial", "--baseline", "dense")
    assert status == 1 and "no folder is named after the run's seed, as seed1" in err


def test_conditions_of_a_perturbation_are_rows(tmp_path: Path) -> None:
    for seed in (1, 2):
        corpora = {name: {"language": "en", "kind": "classification", "metric": "accuracy", "n": 5, "averaged": True,
                          "constant": None} for name in ("a", "b")}  # fmt: skip
        conditions = {
            "as trained": {"corpora": {"a": {"value": 0.8}, "b": {"value": 0.6}}},
            "language zh": {"corpora": {"a": {"value": 0.7}}},
        }
        file = tmp_path / f"seed{seed}/perturb.json"
        file.parent.mkdir()
        file.write_text(json.dumps({"split": "valid", "corpora": corpora, "conditions": conditions}))
    pattern = f"{tmp_path}/seed*/perturb.json"
    rows = [f"trained={pattern}#as trained", f"zh={pattern}#language zh"]
    status, _, err = call(*rows, "--partial", "--baseline", "trained", "--markdown", tmp_path / "t.md")
    assert (status, err) == (0, "")
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[2] == "| trained | 80.0 ± 0.0 | 60.0 ± 0.0 | 70.0 ± 0.0 |  |"
    assert lines[3] == "| zh | 70.0 ± 0.0 | – | – | −10.0 [−10.0, −10.0] p <0.001 (1 corpus) |"
    status, _, err = call(f"zh={pattern}#language zx")
    assert status == 1 and "no condition 'language zx'; did you mean 'language zh'?" in err
    file.write_text("{}")
    status, _, err = call(rows[0])
    assert status == 1 and "expected what `analyse perturb` or `analyse ablate` writes by --json" in err
    status, _, err = call(f"zh={tmp_path}/none.json#x")
    assert status == 1 and err.startswith("zh: nothing matches")


def test_a_group_counts_once(write: Write, tmp_path: Path) -> None:
    for seed in (1, 2):
        path = write(f"d/seed{seed}", **{"mnli-m": 0.5, "mnli-mm": 0.7, "rte": 0.2 * seed})
        content = json.loads(path.read_text())
        content["groups"] = {"mnli": {"corpora": ["mnli-m", "mnli-mm"], "value": 0.6}}
        path.write_text(json.dumps(content))
    status, out, err = call(f"d={tmp_path}/d/*", "--json", tmp_path / "table.json")
    assert (status, err) == (0, "")
    assert "mnli-m and mnli-mm count once, as mnli" in " ".join(out.split())
    table = json.loads((tmp_path / "table.json").read_text())
    assert table["rows"]["d"]["all"]["values"] == pytest.approx([(0.6 + 0.2) / 2, (0.6 + 0.4) / 2])
    assert table["groups"] == {"mnli": ["mnli-m", "mnli-mm"]}
    content["groups"]["mnli"]["corpora"] = ["mnli-m", "rte"]
    path.write_text(json.dumps(content))
    status, _, err = call(f"d={tmp_path}/d/*")
    assert status == 1 and "the group 'mnli' is mnli-m, rte, elsewhere mnli-m, mnli-mm" in err


def test_square_brackets_are_no_markup(write: Write, tmp_path: Path) -> None:
    write("d", rte=0.5)
    status, out, err = call(f"a[/b]={tmp_path}/d", "--title", "[bold]T")
    assert (status, err) == (0, "")
    assert "a[/b]" in out and "[bold]T" in out


def test_a_table_of_many_corpora_is_turned(write: Write, tmp_path: Path) -> None:
    """Nothing is cut: a column for each of two models, where one for each of twenty corpora would not fit."""
    corpora = {f"corpus-number-{number}": 0.5 + number / 1000 for number in range(20)}
    write("a/seed1", **corpora)
    write("b/seed1", **corpora)
    status, out, _ = call(f"first={tmp_path}/a", f"second={tmp_path}/b", "--baseline", "first")
    assert status == 0
    for name, value in corpora.items():
        assert f"│ {f'{name} (accuracy)':27} │ {100 * value:5.1f} │ {100 * value:6.1f} │" in out
