"""Every option out of its range is refused in one line before anything is launched, made or loaded."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig, ListConfig, open_dict

from skill_plugin.compat.fairseq_options import ALLOWED
from skill_plugin.errors import InputError
from skill_plugin.options.allowed_values import LARGEST, Range
from tests.integration.conftest import Run

# option, value, and what its message says; numbers below a range are test_every_range_is_looked_at's
OF_OURS = [
    ("--dropout", "1.0", "expected 0 to below 1"),
    ("--dropout", "nan", "expected 0 to below 1"),
    ("--attention-dropout", "1", "expected 0 to below 1"),
    ("--lora-dropout", "1", "expected 0 to below 1"),
    ("--lora-alpha", "nan", "expected more than 0"),
    ("--lora-rank", "-1", "expected 0 or more (0: no adapters)"),
    ("--experts", "100000", "expected 1 to 1024"),
    ("--balance-loss", "nan", "expected 0 or more"),
    ("--sampling-alpha", "-1", "expected a number of 0 to 10, or FIRST:LAST as 1.0:0.4"),
    ("--sampling-alpha", "nan", "expected a number of 0 to 10"),
    ("--sampling-alpha", "1e308", "expected a number of 0 to 10"),
    ("--corpora-per-batch", "1000000000", "expected 1 to 4096"),
    ("--mlm-batch-share", "1", "expected above 0 to below 1"),
    ("--mlm-batch-share", "0", "expected above 0 to below 1"),
    ("--only-corpora", ",", "expected names separated by commas"),
]
OF_FAIRSEQ = [
    ("--batch-size", "-1", "expected 1 or more"),
    ("--batch-size", "1" + 30 * "0", f"expected at most {LARGEST}"),
    ("--lr", "-1", "expected 0 or more"),
    ("--lr", "0.1,-1e999", "expected 0 or more"),
    ("--lr", "0.1,1e999", "expected at most"),
    ("--adam-eps", "nan", "expected more than 0"),
    ("--adam-betas", "(1,2)", "expected two numbers from 0 to below 1"),
    ("--adam-betas", "nan", "expected two numbers from 0 to below 1"),
    ("--adam-betas", "(0.9, float('nan'))", "expected two numbers from 0 to below 1"),
    ("--weight-decay", "nan", "expected 0 or more"),
    ("--clip-norm", "nan", "expected 0 or more"),
    ("--update-freq", "0", "expected 1 or more"),
    ("--update-freq", "", "expected one number or more, each 1 or more"),
    ("--lr", "", "expected one number or more, each 0 or more"),
    ("--update-freq", "2,-1", "expected 1 or more"),
    ("--keep-interval-updates-pattern", "0", "expected 1 or more, or -1 for none"),
    ("--optimizer-overrides", "{", "expected a dictionary"),
    ("--optimizer-overrides", "[]", "expected a dictionary"),
    ("--stop-time-hours", "nan", "expected 0 or more"),
]
# options that do not go together, or need another; the first is replaced or added
TOGETHER = [
    (("--criterion", "multitask_r3f", "--r3f-sigma", "1e308"), "--r3f-sigma 1e+308: expected at most"),
    (("--criterion", "multitask_r3f", "--r3f-sigma", "-1"), "--r3f-sigma -1.0: expected 0 or more"),
    (("--criterion", "multitask_r3f", "--r3f-lambda", "nan"), "--r3f-lambda nan: expected 0 or more"),
    (("--arch", "roberta_base"), "--arch roberta_base: not of this plugin"),
    (("--optimizer", "sgd", "--momentum", "2"), "--momentum 2.0: expected 0 to below 1"),
    (("--optimizer", "adam", "--weight-decay", "nan"), "--weight-decay nan: expected 0 or more"),
    (("--optimizer", "adam", "--adam-eps", "0"), "--adam-eps 0.0: expected more than 0"),
    (("--optimizer", "adam", "--fp16-adam-stats"), "--optimizer adam cannot be made: "),
    (("--optimizer", "cpu_adam"), "--optimizer cpu_adam cannot be made: "),
    (("--lr-scheduler", "polynomial_decay"), "polynomial_decay needs --total-num-update, or --max-update"),
    (
        ("--lr-scheduler", "inverse_sqrt", "--warmup-updates", "0"),
        "--warmup-updates 0: --lr-scheduler inverse_sqrt needs 1 or more",
    ),
    (("--lr-scheduler", "inverse_sqrt", "--lr", "0.1,0.2"), "--lr-scheduler inverse_sqrt cannot be made: "),
    (("--lr-scheduler", "cosine", "--lr-period-updates", "0"), "--lr-scheduler cosine"),
    (("--lr-scheduler", "tri_stage", "--phase-ratio", "(1,1,1)", "--max-update", "9"), "tri_stage cannot be made"),
    (("--bf16",), "use --autocast bf16"),
    (("--fp16", "--bf16"), "Cannot combine"),
    (("--profile",), "--profile needs a GPU"),
    (("--model-parallel-size", "2"), "--model-parallel-size 2: "),
    (("--write-checkpoints-asynchronously",), "leave it out"),
]  # fmt: skip


@pytest.fixture
def refusal(
    arguments: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, Path]]:
    """What ``fairseq-train`` says of options in this process, and where it would have saved."""
    from fairseq_cli import train as fairseq_train

    import skill_plugin.register  # noqa: F401
    from skill_plugin.compat import install

    install()  # again: fairseq's program may be younger than the plugin
    monkeypatch.setattr(fairseq_train.distributed_utils, "call_main", lambda *_: pytest.fail("it was launched"))

    def run(*more: str) -> tuple[str, Path]:
        folder = tmp_path / "run"
        monkeypatch.setattr(sys, "argv", ["fairseq-train", *arguments(folder, *more, arch="moe_top2_tiny")[3:]])
        with pytest.raises(InputError) as caught:
            fairseq_train.cli_main()
        return str(caught.value), folder

    return run


@pytest.fixture
def configuration(arguments: Callable[..., list[str]], tmp_path: Path) -> Callable[..., Any]:
    """The configuration that ``fairseq-train`` makes of options, all of them good."""
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    import skill_plugin.register  # noqa: F401

    def run(*more: str) -> Any:
        line = arguments(tmp_path, *more, arch="moe_top2_tiny")[3:]
        return convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), line))

    return run


@pytest.mark.parametrize(("option", "value", "message"), [*OF_OURS, *OF_FAIRSEQ])
def test_out_of_range(refusal: Callable[..., tuple[str, Path]], option: str, value: str, message: str) -> None:
    said, folder = refusal(f"{option}={value}")
    assert re.match(rf"{option}[ :]", said)
    assert message in said
    assert "\n" not in said
    assert not folder.exists()


@pytest.mark.parametrize(("options", "message"), TOGETHER)
def test_together(refusal: Callable[..., tuple[str, Path]], options: tuple[str, ...], message: str) -> None:
    said, folder = refusal(*options)
    assert message in said
    assert "\n" not in said
    assert not folder.exists()


def test_every_range_is_looked_at(configuration: Callable[..., Any]) -> None:
    """Each number that our options or fairseq's table give a range, just outside of it."""
    from skill_plugin.compat.early_checks import check
    from skill_plugin.criterions.multitask_r3f import MultitaskR3FConfig
    from skill_plugin.models.skill_encoder import SkillEncoderConfig
    from skill_plugin.tasks.multilingual_multitask_config import MultilingualMultitaskConfig

    allowed = {name: values for group in ALLOWED.values() for name, values in group.items()}
    for kind in (MultitaskR3FConfig, SkillEncoderConfig, MultilingualMultitaskConfig):
        allowed |= {f.name: f.metadata["allowed"] for f in dataclasses.fields(kind) if "allowed" in f.metadata}
        numbers = [f for f in dataclasses.fields(kind) if re.search(r"\b(int|float)\b", str(f.type))]
        assert not [f.name for f in numbers if "allowed" not in f.metadata and "${" not in str(f.default)]
    cfg = configuration("--criterion", "multitask_r3f")
    tried = 0
    for name, values in allowed.items():
        part = next((part for part in cfg.values() if isinstance(part, DictConfig) and name in part), None)
        if part is None or not isinstance(values, Range):
            continue
        before, below = part[name], values.low if values.above_low else values.low - 1
        with open_dict(part):
            part[name] = [below] if isinstance(before, ListConfig) else below
            with pytest.raises(InputError) as caught:
                check(cfg, trains=True)
            part[name] = before
        option = f"--{name.replace('_', '-')}"
        assert re.fullmatch(rf"{option} \S+: expected {re.escape(str(values))}", str(caught.value))
        tried += 1
    assert tried > 50


def test_nothing_says_how_large_a_batch_is(refusal: Callable[..., tuple[str, Path]], monkeypatch: Any) -> None:
    from fairseq_cli import train as fairseq_train

    given = [
        "x", "--task", "multilingual_multitask", "--arch", "dense_tiny", "--criterion", "multitask_cross_entropy",
        "--optimizer", "skill_adam",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["fairseq-train", *given])
    with pytest.raises(InputError, match="--batch-size or --max-tokens is needed"):
        fairseq_train.cli_main()
    monkeypatch.setattr(sys, "argv", ["fairseq-train", *given[:-2], "--batch-size", "8"])
    with pytest.raises(InputError, match="--optimizer is needed, such as skill_adam"):
        fairseq_train.cli_main()
    foreign = ["cross_entropy" if one == "multitask_cross_entropy" else one for one in given]
    monkeypatch.setattr(sys, "argv", ["fairseq-train", *foreign, "--batch-size", "8"])
    with pytest.raises(InputError, match="--criterion cross_entropy: not of this plugin"):
        fairseq_train.cli_main()


@pytest.mark.parametrize("value", ["nan", "x", "1/0", "(", "[1"])
def test_numbers_that_are_none_are_wrong_usage(
    refusal: Callable[..., tuple[str, Path]], value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        refusal(f"--lr={value}")
    assert stop.value.code == 2
    assert "argument --lr: expected numbers separated by commas" in capsys.readouterr().err


def test_where_checkpoints_cannot_be_saved(refusal: Callable[..., tuple[str, Path]], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder, message in (
        ("", "--save-dir: expected the name of a folder"),
        (file, f"{file}: --save-dir: expected a folder, but {file} is a file"),
        (file / "run", f"{file}/run: --save-dir: expected a folder, but {file} is a file"),
        (tmp_path / ("x" * 300), f"{tmp_path}/{'x' * 300}: --save-dir: file name too long"),
    ):
        assert refusal("--save-dir", str(folder))[0] == message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--batch-size=-1",), "--batch-size -1: expected 1 or more"),
        (("--profile",), "--profile needs a GPU; leave it out"),
        (("--distributed-world-size=2", "--adam-eps=nan"), "--adam-eps nan: expected more than 0"),
        (("--conditional-length", "100000"), "--conditional-length 100000: the encoder has positions for 512 tokens"),
    ],
)
def test_in_a_process(train: Callable[..., Run], tmp_path: Path, options: tuple[str, ...], line: str) -> None:
    run = train(tmp_path / "run", *options, good=False, arch="ca_mtl_tiny")
    assert run.status == 1
    assert "Traceback" not in run.output
    assert line in run.output.splitlines()
