"""What a training run is given wrongly ends in one line on standard error and exit status 1."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin.errors import InputError

pytestmark = pytest.mark.slow


def test_missing_and_unknown_names(train_here: Callable[..., None], tmp_path: Path) -> None:
    cases: list[tuple[tuple[object, ...], str]] = [
        (("--init-from", tmp_path / "none.pt"), f"{tmp_path}/none.pt: no such file"),
        (("--corpora", tmp_path / "none.yaml"), f"{tmp_path}/none.yaml: "),
        (("--only-corpora", "nli-en,revews-de"), "did you mean 'reviews-de'?"),
        (("--max-length", 600), "--max-length 600: the encoder has positions for 512 tokens"),
        (("--skill-layers", 3), "--skill-layers 3: expected 0 to 2"),
        (("--restore-file", tmp_path / "none.pt"), "none.pt: --restore-file: no such checkpoint"),
        (("--best-checkpoint-metric", "nli-en_acuracy"), "of that name; did you mean 'nli-en_accuracy'?"),
        (("--best-checkpoint-metric", "loss"), "loss is better when lower: leave out"),
        (("--best-checkpoint-metric", "weighted_avg"), "weighted_avg needs --average-weights"),
        (("--average-weights", "nli-fr=2"), "--average-weights: 'nli-fr' is no corpus that counts in averages; did"),
        (("--mlm-batch-share", 0.01), "--mlm-batch-share 0.01: no masked_lm corpus has training data"),
        (("--mlm-batch-share", 1), "--mlm-batch-share 1.0: expected above 0 to below 1"),
        (("--keep-best-per-corpus", "--no-save"), "--keep-best-per-corpus does not work with --no-save"),
    ]
    for options, message in cases:
        with pytest.raises(InputError, match=re.escape(message)):
            train_here(tmp_path / "run", *options, "--max-update", 1)


def test_a_corpus_without_skills_is_refused_by_variants_that_need_one(
    train_here: Callable[..., None], made: Any, tmp_path: Path
) -> None:
    bare = made.corpora.with_name("bare.yaml")
    bare.write_text(made.corpora.read_text().replace("[generic, sentence, sentiment]", "[]"))
    with pytest.raises(InputError, match=r"bare.yaml:\d+: corpus 'reviews-en' activates no task skill"):
        train_here(tmp_path, "--corpora", bare)


def test_an_encoder_of_another_size(train_here: Callable[..., None], trained: Any, tmp_path: Path) -> None:
    options = ("--init-from", trained.folder / "checkpoint_best.pt")
    with pytest.raises(InputError, match=r"2 layers x 64 .* did you mean --arch skillnet_x_ffn_mha_tiny\?"):
        train_here(tmp_path, *options, arch="skillnet_x_ffn_mha_small")


def test_data_of_another_vocabulary(train_here: Callable[..., None], trained: Any, made: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(made.data, data)
    for path in data.rglob("dict.txt"):
        if path.parent.name != "label":
            lines = path.read_text(encoding="utf-8").splitlines()
            path.unlink()
            path.write_text("\n".join([*lines[:-2], lines[-1], lines[-2]]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="prepared with another vocabulary"):
        train_here(tmp_path / "run", "--init-from", trained.folder / "checkpoint_best.pt", "--no-verify", data=data)
    with pytest.raises(InputError, match=r"data/text/dict.txt: damaged: not as it was written"):
        train_here(tmp_path / "run", "--init-from", trained.folder / "checkpoint_best.pt", data=data)


def test_a_run_in_its_own_process_ends_with_one_line(train: Callable[..., Any], tmp_path: Path) -> None:
    run = train(tmp_path, "--max-length", 600, good=False, fresh=True)
    assert run.status == 1
    assert "Traceback" not in run.output
    assert run.output.splitlines()[-1].startswith("--max-length 600")


class Touch:
    """What a hostile pickle would run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_no_code_of_a_checkpoint_is_executed(
    train_here: Callable[..., None], trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    """DESIGN, invariant 11."""
    hostile, mark = tmp_path / "hostile.pt", tmp_path / "executed"
    torch.save({**trained.checkpoint(), "extra": Touch(mark)}, hostile)
    torch.load(hostile, weights_only=False)
    assert mark.exists()  # it would work
    mark.unlink()
    for arguments in (
        ("evaluate", hostile, made.data),
        ("predict", hostile, "--corpus", "nli-en", "-"),
        ("describe", hostile),
    ):
        status, _, err = command(*arguments)
        assert status == 1 and "holds more than weights" in err
    for option in ("--init-from", "--restore-file", "--finetune-from-model"):
        with pytest.raises(InputError):
            train_here(tmp_path / "run", option, hostile, "--max-update", 1)
    assert not mark.exists()
