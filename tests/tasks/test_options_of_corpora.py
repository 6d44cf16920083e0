"""Options that do not go with the corpora of a run are told by the corpora file, before there is a data folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skill_plugin.command_lines import find_fault

ROW = "kind: {kind}, language: en, format: tsv, columns: {columns}"
TEXT, ANSWERED = (
    ROW.format(kind="masked_lm", columns="{text: 0}"),
    ROW.format(kind="classification", columns="{text_a: 0, label: 1}"),
)
CORPORA = f"""\
languages: [en]
groups: {{both: [a, b]}}
corpora:
  a: {{{ANSWERED}, train: a.tsv, valid: a.tsv}}
  b: {{{ANSWERED}, train: a.tsv}}
  raw: {{{TEXT}, train: a.tsv}}
  asked: {{{ANSWERED}, labels: [x, y], test: a.tsv}}
"""
GOOD = (
    "--task multilingual_multitask --arch dense_tiny --criterion multitask_cross_entropy --optimizer skill_adam "
    "--lr 1e-3 --batch-size 8"
)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--sampling-weights rea=2",
            "--sampling-weights: 'rea' is no corpus that has training data; did you mean 'raw'?",
        ),
        ("--sampling-weights asked=2", "--sampling-weights: 'asked' is no corpus that has training data"),
        ("--train-rows asked=2", "--train-rows: 'asked' is no corpus that has training data"),
        ("--average-weights a=2", "--average-weights: 'a' is no corpus that counts in averages; expected one of: both"),
        ("--mlm-batch-share 0.1 --only-corpora a,b", "--mlm-batch-share 0.1: no masked_lm corpus has training data"),
        ("--valid-subset test", "--valid-subset test: no corpus of .* that the run trains has a 'test' split; "),
        ("--only-corpora b", "--valid-subset valid: no corpus of .* that the run trains has a 'valid' split; "),
        ("--only-corpora c", ".*: unknown corpus 'c'"),
        ("--corpus-patience 2 --disable-validation", "--corpus-patience 2 needs validation"),
        ("--keep-best-per-corpus --no-save", "--keep-best-per-corpus does not work with --no-save"),
        ("--sampling uncertainty --corpora-per-batch 2", "--corpora-per-batch 2: --sampling uncertainty chooses"),
        ("--lora-rank 2", "--lora-rank 2: goes with --init-from"),
        ("--freeze old", "--freeze old: goes with --init-from"),
        ("--max-length 513", "--max-length 513: the encoder has positions for 512 tokens"),
        ("--arch mt5_tiny --skill-layers 1", "--skill-layers 1: mt5 has no layers with skills"),
        ("--sampling-weights raw=2 --average-weights both=2 --train-rows b=1", ""),
        ("--valid-subset test --init-from x.pt --max-length 513 --lora-rank 2", ""),
        ("--only-corpora b --disable-validation", ""),
    ],
)
def test_faults_of_options(words: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "corpora.yaml").write_text(CORPORA)
    line = [str(tmp_path / "none"), "--corpora", str(tmp_path / "corpora.yaml"), *GOOD.split(), *words.split()]
    fault = find_fault(line)
    said = "" if fault is None else str(fault["message"])
    assert re.match(message, said) if message else not said, said
