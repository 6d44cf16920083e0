"""``skill-plugin check``: counts of the real data, every fault on standard error, exit status, and no torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skill_plugin.cli.main import main

# rows of the data's README, less what the corpora file leaves out
ROWS = {
    "nli-en": {"train": 1666, "valid": 200, "test": 400},
    "qnli": {"train": 1600, "valid": 500},
    "sst2": {"train": 4000, "valid": 872},
    "ocnli": {"train": 1500 - 1, "valid": 600 - 8},  # no majority label
    "tnews": {"train": 1185, "valid": 1098},
    "reviews-de": {"train": 1839, "valid": 324},
    "reviews-es": {"train": 1839, "valid": 324},
    "rte": {"train": 1200, "valid": 277},
    "mrpc": {"train": 1800, "valid": 700},
    "cola": {"train": 4000, "valid": 1043},
    "qqp": {"train": 3000 - 1, "valid": 800},  # the first row is broken
    "mnli": {"train": 1500, "valid": 500},
}
SKIPPED = {("ocnli", "train"): 1, ("ocnli", "valid"): 8, ("qqp", "train"): 1}
HEAD = "languages: [en]\nskills: {generic: on}\ncorpora:\n"
SECTION = (
    "  {name}:\n    kind: classification\n    language: en\n    skills: [generic]\n    format: tsv\n"
    "    columns: {{text_a: t, label: l}}\n    train: {name}.tsv\n"
)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    with pytest.raises(SystemExit) as caught:
        main(["check", *map(str, arguments)])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.mark.parametrize(
    ("file", "corpora"),
    [
        ("skillnet_x", "nli-en,qnli,sst2,ocnli,tnews,reviews-de,reviews-es"),
        ("glue", "rte,mrpc,cola,sst2,qnli,qqp,mnli"),
        ("skillnet_x_new", "mrpc"),
    ],
)
def test_real_corpora(shared: Path, capsys: pytest.CaptureFixture[str], file: str, corpora: str) -> None:
    path = shared / f"corpora/{file}.yaml"
    status, out, err = run(capsys, path, "--only-corpora", corpora, "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["faults"] == []
    assert list(report["corpora"]) == [name for name in report["corpora"] if name in corpora.split(",")]
    for name, splits in report["corpora"].items():
        assert {split: found["rows"] for split, found in splits.items()} == ROWS[name]
        for split, found in splits.items():
            assert found["skipped"] == SKIPPED.get((name, split), 0)
            assert sum(found["labels"].values()) == found["rows"]
            assert list(found["labels"]) == report["labels"][name]


def test_the_table_for_people(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, shared / "corpora/skillnet_x.yaml", "--only-corpora", "sst2,ocnli")
    assert (status, err) == (0, "")
    assert "negative 1,920, positive 2,080" in out
    lines = out.splitlines()
    skipped = lines.index("skipped rows")
    assert lines[skipped + 1 : skipped + 3] == [
        "  ocnli train: 1 (dropped label '-')",
        "  ocnli valid: 8 (dropped label '-')",
    ]
    notice = lines[lines.index("notices of sst2") + 1]
    assert notice.endswith("sst2/train.tsv:1118: train: rows that repeat an earlier row: 3, the first one here")


def test_every_fault_of_every_corpus_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sections = [SECTION.format(name=name) for name in ("a", "b", "c")]
    sections[0] += "    valid: a.valid.tsv\n"
    (tmp_path / "corpora.yaml").write_text(HEAD + "".join(sections))
    (tmp_path / "a.tsv").write_text("t\tl\nx\tyes\nx\nx\tno\ty\nx\tno\n")
    (tmp_path / "a.valid.tsv").write_text("t\tl\nx\tmaybe\nx\tnein\n")
    (tmp_path / "c.tsv").write_text("t\tl\nx\tp\nx\tp\n")
    status, out, err = run(capsys, tmp_path / "corpora.yaml", "--json")
    assert status == 1
    lines = [line.replace(f"{tmp_path}/", "") for line in err.splitlines()]
    assert lines == [
        "a.tsv:3: 1 cell; expected 2",
        "a.tsv:4: 3 cells; expected 2",
        "a.valid.tsv:2: unknown label 'maybe'; expected one of: no, yes"
        "; label_map renames labels, drop_labels leaves out their rows",
        "a.valid.tsv:3: unknown label 'nein'; expected one of: no, yes",
        "corpora.yaml:18: corpus 'b': train: cannot read b.tsv: No such file or directory",
        "corpora.yaml:19: corpus 'c' has the one label 'p' in train; expected two or more",
    ]
    report = json.loads(out)
    assert len(report["faults"]) == 6
    assert set(report["faults"][0]) == {"file", "line", "message"}
    assert report["corpora"]["a"]["train"]["rows"] == 2
    assert report["corpora"]["a"]["train"]["skipped_by_reason"] == {"wrong number of cells": 2}


def test_a_corpora_file_at_fault_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.yaml").write_text(HEAD + SECTION.format(name="a").replace("format", "fromat"))
    status, out, err = run(capsys, tmp_path / "c.yaml")
    assert (status, out) == (1, "")
    assert err == f"{tmp_path}/c.yaml:8: corpus 'a': unknown key 'fromat'; did you mean 'format'?\n"
    status, out, err = run(capsys, tmp_path / "c.yaml", "--json")
    assert json.loads(out)["faults"][0]["line"] == 8


def test_unknown_corpora_are_one_line(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared / "corpora/skillnet_x.yaml"
    status, _, err = run(capsys, path, "--only-corpora", "qnli,sst")
    assert (status, err) == (1, f"{path}: unknown corpus 'sst'; did you mean 'sst2'?\n")


def test_wrong_usage_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "x.yaml", "--encoder", "a", "--tokenizer", "b")[0] == 2
    assert run(capsys, "x.yaml", "--dict", "a")[0] == 2
    assert run(capsys)[0] == 2


def test_corpora_that_share_a_head_need_equal_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sections = [SECTION.format(name=name) + "    head: h\n" for name in ("a", "b")]
    (tmp_path / "c.yaml").write_text(HEAD + "".join(sections))
    (tmp_path / "a.tsv").write_text("t\tl\nx\tyes\ny\tno\n")
    (tmp_path / "b.tsv").write_text("t\tl\nx\tyes\ny\tnein\n")
    status, _, err = run(capsys, tmp_path / "c.yaml")
    message = "corpus 'b' shares the head 'h' with 'a' but not its labels: ['nein', 'yes']; expected ['no', 'yes']"
    assert (status, err.replace(f"{tmp_path}/", "")) == (1, f"c.yaml:12: {message}, in this order\n")


def test_labels_of_as_come_from_train_of_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + SECTION.format(name="a") + "  b:\n    as: a\n    language: sw\n    test: b.tsv\n"
    (tmp_path / "c.yaml").write_text(text)
    (tmp_path / "a.tsv").write_text("t\tl\nx\tyes\ny\tno\n")
    (tmp_path / "b.tsv").write_text("t\tl\nx\tyes\ny\tnoo\n")
    status, out, err = run(capsys, tmp_path / "c.yaml", "--only-corpora", "b", "--json")
    hint = "; label_map renames labels, drop_labels leaves out their rows"
    assert (status, err.replace(f"{tmp_path}/", "")) == (1, f"b.tsv:3: unknown label 'noo'; did you mean 'no'?{hint}\n")
    assert json.loads(out)["labels"] == {"b": ["no", "yes"]}


def test_notices_do_not_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.yaml").write_text(HEAD + SECTION.format(name="a") + "    valid: v.tsv\n")
    (tmp_path / "a.tsv").write_text("t\tl\nx\tcontradictory\nx\tcontradictory\nx\tcontradiction\n\tcontradiction\n")
    (tmp_path / "v.tsv").write_text("t\tl\nx\tcontradictory\n")
    status, out, err = run(capsys, tmp_path / "c.yaml", "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    notices = [(n["file"].removeprefix(f"{tmp_path}/"), n["line"], n["split"], n["message"]) for n in report["notices"]]
    other = "rows that have the texts of an earlier row but another label: 1, the first one here"
    assert notices == [
        ("a.tsv", 5, "train", "rows with an empty text_a: 1, the first one here"),
        ("a.tsv", 3, "train", "rows that repeat an earlier row: 1, the first one here"),
        ("a.tsv", 4, "train", other),
        ("v.tsv", 2, "valid", "rows that also occur in train: 1, the first one here"),
        ("c.yaml", 4, "", "the labels 'contradiction' and 'contradictory' of train look like one"),
    ]
    assert {n["corpus"] for n in report["notices"]} == {"a"}
    found = report["corpora"]["a"]
    assert (found["train"]["duplicates"], found["train"]["conflicting"], found["valid"]["in_train"]) == (1, 1, 1)


def test_token_lengths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.yaml").write_text(HEAD + SECTION.format(name="a"))
    (tmp_path / "a.tsv").write_text("t\tl\nred blue red\tx\nred green\ty\n")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "blue"]
    (tmp_path / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    arguments = (tmp_path / "c.yaml", "--tokenizer", tmp_path / "vocab.txt", "--max-length", 4)
    status, out, _ = run(capsys, *arguments, "--json")
    tokens = json.loads(out)["corpora"]["a"]["train"]["tokens"]
    assert status == 0
    histogram = {"edges": [0, 8], "counts": [2]}
    assert tokens["lengths"] == {"mean": 4.5, "median": 4, "p95": 4, "maximum": 5, "histogram": histogram}
    assert (tokens["truncated"], tokens["unknown_pieces"], tokens["max_length"]) == (0.5, 0.2, 4)
    assert (tokens["windowed"], tokens["sequences"], tokens["pieces"], tokens["unknown"]) == (0, 2, 5, 1)
    assert json.loads(out)["languages"]["en"] == {
        "corpora": ["a"],
        "rows": {"train": 2},
        "pieces": 5,
        "unknown_pieces": 0.2,
    }
    _, out, _ = run(capsys, *arguments)
    assert "50% cut" in out
    assert out.count("20.00%") == 2  # of the split and of the language
    status, _, err = run(capsys, *arguments[:3], "--max-length", 2)
    message = "corpus 'a': the longest sequence has 2 tokens; expected at least 3"
    assert (status, err) == (1, f"{tmp_path}/c.yaml:4: {message}\n")
    status, _, err = run(capsys, tmp_path / "c.yaml", "--tokenizer", tmp_path / "none.model")
    assert (status, err.count("\n")) == (1, 1)


def test_check_loads_neither_torch_nor_fairseq(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(HEAD + SECTION.format(name="a"))
    (tmp_path / "a.tsv").write_text("t\tl\nx\tyes\ny\tno\n")
    program = (
        "import sys, skill_plugin.cli.main as m\n"
        f"try: m.main(['check', {str(tmp_path / 'c.yaml')!r}])\n"
        "except SystemExit as e: assert not e.code, e.code\n"
        "print(sorted({'torch', 'fairseq', 'hydra', 'omegaconf', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("encoding", "verb"), [("ascii", "check"), ("latin-1", "describe")])
def test_other_encodings_of_standard_output_get_a_plain_table(encoding: str, verb: str, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("text\tlabel\nla niña\t好\nlong " + "x" * 90 + "\t坏\n", encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "languages: [es]\ncorpora:\n  c: {kind: classification, language: es, format: tsv, "
        "columns: {text_a: text, label: label}, train: t.tsv}\n"
    )
    command = ("check", "c.yaml") if verb == "check" else ("describe", "dense_tiny", "--corpora", "c.yaml")
    done = subprocess.run(
        [sys.executable, "-m", "skill_plugin", *command],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode(encoding).splitlines()
    if verb == "check":
        assert any("\\u597d 1" in line for line in lines) and any("#" in line for line in lines)
