"""Settings follow from data, encoder and machine, and what is given counts."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.pipeline.choose_options import Data, choose_options, updates
from skill_plugin.pipeline.fairseq_options import Options, option_words, parse_options
from skill_plugin.pipeline.machine import Machine
from skill_plugin.pipeline.preset import Budget, read_preset
from skill_plugin.pipeline.start import Start, random_start
from skill_plugin.spec.corpora_file import parse_corpora_file

CORPORA = """
languages: [en]
skills: {generic: always on}
corpora:
  nli: {kind: classification, language: en, skills: [generic], format: tsv, train: a.tsv, valid: b.tsv,
        columns: {text_a: 0, label: 1}}
"""
CPU, GPUS = Machine(0, None, False, 4), Machine(4, 80 << 30, True, 64)
BASE = Start(Path("xlmr.pt"), "base", 512, 250_002)


def choose(
    given: str = "", preset: str = "standard", start: Start = BASE, machine: Machine = CPU, rows: int = 10_000,
    validated: bool = True, validation_rows: int = 0,
) -> Options:  # fmt: skip
    spec = parse_corpora_file(CORPORA, Path("c.yaml"))
    return choose_options(
        read_preset(preset), start, spec, Data(rows, validated, validation_rows), machine, parse_options(given.split())
    )


def test_an_encoder_on_a_cpu() -> None:
    options = choose()
    assert options["--arch"] == ("dense_base",)
    assert (options["--lr"], options["--batch-size"]) == (("2e-5",), ("32",))
    assert options["--max-update"] == ("3125",)  # ten passes
    assert options["--warmup-updates"] == ("312",)
    assert options["--best-checkpoint-metric"] == ("avg",)
    assert not options.keys() & {"--autocast", "--update-freq", "--cpu", "--disable-validation"}


def test_all_gpus_make_one_update_of_the_same_size() -> None:
    options = choose(machine=GPUS)
    assert options["--batch-size"] == ("8",)
    assert options["--autocast"] == ("bf16",)
    assert "--autocast" not in choose("--fp16", machine=GPUS)
    assert choose(machine=GPUS)["--max-update"] == choose()["--max-update"]
    small = choose(machine=Machine(1, 8 << 30, True, 8))
    assert int(small["--batch-size"][0]) * int(small["--update-freq"][0]) == 32


def test_what_is_given_counts_and_the_rest_follows() -> None:
    options = choose("--arch mt_tag_base --lr 3e-4 --max-update 1000 --warmup-updates 7 --fp16 --seed 3")
    assert (options["--arch"], options["--lr"], options["--seed"]) == (("mt_tag_base",), ("3e-4",), ("3",))
    assert (options["--warmup-updates"], options["--validate-interval-updates"]) == (("7",), ("50",))
    assert choose("--max-update 1000")["--warmup-updates"] == ("100",)


def test_a_run_is_validated_and_saved_at_its_end_whichever_comes_first() -> None:
    for epochs, interval in (("", "1000000"), ("--max-epoch 3", "3")):
        options = choose(epochs)
        assert options["--validate-interval"] == options["--save-interval"] == (interval,)
    choose("--validate-after-updates 8 --max-update 8")
    choose("--validate-after-updates 9 --max-update 8 --disable-validation")
    with pytest.raises(InputError, match="--validate-after-updates 9: the run has 8 updates, and none would be valid"):
        choose("--validate-after-updates 9 --max-update 8")


def test_mt5_is_trained_as_t5_is() -> None:
    mt5 = Start(Path("mt5-base"), "base", sys.maxsize, 250_112, "mt5")
    options = choose(start=mt5, machine=GPUS)
    assert (options["--arch"], options["--optimizer"], options["--lr"]) == (("mt5_base",), ("adafactor",), ("1e-3",))
    assert options["--lr-scheduler"] == ("fixed",) and "--warmup-updates" not in options
    assert options["--autocast"] == ("bf16",)
    paper = choose("--lr 5e-4", preset="paper:thesis_mt5", start=mt5)
    assert (paper["--arch"], paper["--lr"], paper["--criterion"]) == (("mt5_base",), ("5e-4",), ("multitask_r3f",))
    for given, preset, start, message in (
        ("--arch mt5_base", "standard", BASE, r"xlmr.pt: an encoder alone: --arch mt5_base starts from mT5"),
        ("", "paper:thesis_mt5", replace(BASE, variant="dense"), r"xlmr.pt: an encoder alone: --arch mt5_base"),
        ("", "paper:mt_tag", mt5, r"mt5-base: mT5, encoder and decoder: --arch mt_tag_base starts from an encoder"),
        ("--arch dense_base", "standard", mt5, r"--arch dense_base starts from an encoder; use --arch mt5_…"),
        (
            "--arch dense_tiny",
            "standard",
            BASE,
            r"xlmr.pt: the encoder has 12 layers x 768 .*; did you mean --arch dense_base",
        ),
        ("--arch mt5_tiny", "standard", mt5, r"mt5-base: the model has .*; did you mean --arch mt5_base"),
    ):
        with pytest.raises(InputError, match=message):
            choose(given, preset, start)


def test_a_papers_settings_stay() -> None:
    options = choose(preset="paper:mt_tag")
    assert options["--arch"] == ("mt_tag_base",)
    assert (options["--max-update"], options["--warmup-updates"]) == (("30000",), ("3000",))
    assert (options["--batch-size"], options["--lr"], options["--clip-norm"]) == (("32",), ("5e-5",), ("1.0",))
    assert not options.keys() & {"--patience", "--validate-interval-updates"}
    assert choose("--max-update 300", preset="paper:mt_tag")["--warmup-updates"] == ("30",)
    assert choose(preset="paper:thesis", machine=GPUS)["--batch-size"] == ("8",)
    assert "--update-freq" not in choose(preset="paper:thesis", machine=GPUS)


def test_without_validation_data_there_is_no_best_checkpoint() -> None:
    for preset in ("standard", "paper:mt_tag"):
        options = choose(preset=preset, validated=False)
        assert "--disable-validation" in options
        assert not [name for name in options if "best" in name]


def test_validations_read_no_more_rows_than_are_trained_on() -> None:
    def interval(given: str, rows: int) -> str:
        return choose(given, validation_rows=rows)["--validate-interval-updates"][0]

    assert interval("--max-update 1000", 1600) == "50"  # some twenty, 50 updates of 32 rows apart
    assert interval("--max-update 1000", 6400) == "200"
    assert interval("--max-update 1000 --batch-size 16", 6400) == "400"
    assert interval("--max-update 60", 100_000) == "60"  # at the end


def test_random_weights_train_longer_and_faster() -> None:
    start = random_start({})
    assert start.size == "tiny"
    options = choose(start=start)
    assert int(options["--max-update"][0]) == pytest.approx(4 * int(choose()["--max-update"][0]), abs=4)
    assert options["--lr"] == ("2e-3",)
    assert random_start({"--arch": ("dense_small",)}).size == "small"


def test_more_rows_are_passed_over_less_often() -> None:
    budget = Budget((10, 2), (100, 20_000))
    assert updates(budget, 10_000, 32, False) == round(10 * 10_000 / 32)
    assert updates(budget, 100_000, 32, False) == pytest.approx(100_000 / 32 * 10 * 0.2**0.5, abs=1)
    assert updates(budget, 10_000_000, 32, False) == 20_000
    assert updates(budget, 3, 32, False) == 100


def test_words_become_options_and_words_again() -> None:
    words = shlex.split(
        "--lr 1e-4 --fp16 -a dense_tiny --update-freq=2 --adam-betas (0.9,0.98) --max-sentences 4 --lr 2"
    )
    options = parse_options(words)
    assert options == {
        "--lr": ("2",), "--fp16": (), "--arch": ("dense_tiny",), "--update-freq": ("2",),
        "--adam-betas": ("(0.9,0.98)",), "--batch-size": ("4",),
    }  # fmt: skip
    assert parse_options(option_words(options)) == options
    assert parse_options(["--lr", "-1e-4"]) == {"--lr": ("-1e-4",)}
    with pytest.raises(InputError, match="expected options of fairseq-train, as --lr 1e-4, not 'tiny'"):
        parse_options(["tiny"])
