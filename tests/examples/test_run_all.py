"""run_all.sh of each work makes its main table from nothing, and goes on where it was stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import torch
import transformers

from tests.examples.recipes import cut_work, table
from tests.warm_python import warm_python

EXAMPLES = Path(__file__).parents[2] / "examples"
PARALLEL = [
    f"{name}-{language}/dev-{language}.tsv" for name in ("xnli", "pawsx") for language in ("en", "de", "es", "zh")
]
# corpora files, more files, settings, name of the table, its rows
WORKS = {
    "ca_mtl": (
        ("corpora", "new_corpus"), (), {"CORPORA": "rte,mrpc,wnli"}, "compare",
        ["dense", "+ conditional attention", "+ conditional bottleneck", "+ alignment and norm",
         "+ uncertainty sampling"],
    ),
    "mt_tag": (
        ("robustness", "new_corpus"), (), {"CORPORA": "rte,stsb", "SMALL": "rte"}, "compare",
        ["single", *(f"{name}, joint + fine-tuning" for name in ("dense", "mt_switch", "mt_tag"))],
    ),
    "skillnet": (
        ("corpora",), ("tatoeba/tatoeba.cmn-eng.cmn", "cmedqa/train.txt", "cmedqa/dev.txt"), {}, "compare",
        ["single", "dense", "moe_top2", "skillnet", "skillnet, pre-trained skills"],
    ),
    "skillnet_x": (
        ("corpora", "pretrain"), (), {"VARIANTS": "dense skillnet_x_ffn_mha"}, "compare",
        ["single", "dense", "skillnet_x_ffn_mha", "skillnet_x_ffn_mha, pre-trained skills"],
    ),
    "thesis": (
        ("corpora", "target"), PARALLEL, {"TASKS": "xnli nc-de", "XNLI_TRAIN": "18", "PAWSX_TRAIN": "16"}, "ladder",
        ["single", "single, XNLI_mix", "joint", "+ accumulation", "+ XNLI_mix", "+ R3F", "+ R3F, loss scaling"],
    ),
}  # fmt: skip


def downloaded(folder: Path, word_pieces: Path) -> Path:
    """What a Hugging Face folder of a BERT is."""
    torch.manual_seed(0)
    pieces = word_pieces.read_text(encoding="utf-8").splitlines()
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizer(str(word_pieces), do_lower_case=True).save_pretrained(folder)
    return folder


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("work", WORKS)
def test_from_nothing_with_a_stop(work: str, raw: Path, word_piece_tokens: list[str], tmp_path: Path) -> None:
    files, more, own, name, rows = WORKS[work]
    data = cut_work(EXAMPLES / work, files, raw, word_piece_tokens, tmp_path / "data", more)
    here = tmp_path / "work"
    settings = {
        "PYTHON": str(warm_python()), "WORK": str(here), "SIZE": "tiny",
        "SKILL_DATA": str(data / "raw"),
        "DEVICE": "cpu", "SEEDS": "1", "UPDATES": "2", "EPOCHS": "1", "PATIENCE": "1", "BATCH": "16",
        "PRETRAIN_UPDATES": "2", "JOBS": "2", "OPTIONS": "--num-workers 0 --max-update 2", "MAX_LENGTH": "64", **own,
    }  # fmt: skip
    command = ["bash", EXAMPLES / work / "run_all.sh", downloaded(tmp_path / "bert", data / "vocab.txt")]
    environment = {**os.environ, **settings}
    log = (tmp_path / "log").open("w")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    until = time.monotonic() + 300
    while not list(here.rglob("results.json")):
        assert process.poll() is None and time.monotonic() < until, (tmp_path / "log").read_text()[-2000:]
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(60) != 0
    done = {path: path.stat().st_mtime_ns for path in here.rglob("results.json")}
    assert not (here / f"{name}.md").exists()
    again = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert again.returncode == 0, again.stdout[-2000:] + again.stderr[-2000:]
    assert list(table(here, name)["rows"]) == rows
    assert done and {path: path.stat().st_mtime_ns for path in done} == done  # nothing is made twice
    made = {path: path.stat().st_mtime_ns for path in here.rglob("results.json")}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    assert {path: path.stat().st_mtime_ns for path in made} == made
