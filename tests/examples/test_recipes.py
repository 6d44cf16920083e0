"""What holds for the recipes of all papers: what they would run is right, and what they share does what it says."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from fairseq import options as fairseq_options

from skill_plugin.cli.main import skill_plugin
from skill_plugin.command_lines import find_fault
from skill_plugin.sweeps.plan import _options, _points
from skill_plugin.sweeps.read_sweep_file import read_sweep_file
from skill_plugin.sweeps.schedule import settle_shares

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SHELL = sorted(EXAMPLES.rglob("*.sh"))
SHARED = {"settings.sh", "recipes.sh", "tables.sh", "split.sh", "run_all.sh"}  # runs nothing, or what others run
sys.path.insert(0, str(ROOT / "scripts"))
import two_stage  # noqa: E402

NAMES = ("data", "--init-from", "--corpora", "--only-corpora")

# stands for Python: notes what it is asked to run, but for what tells published settings
RECORDER = f"""#!/usr/bin/env bash
if [[ $2 == skill_plugin.pipeline.preset ]]; then exec {sys.executable} "$@"; fi
printf '%s\\0' "$@" >"$(mktemp "$RECORDED/$(date +%s%N)-XXXXXX")"
"""


@pytest.mark.parametrize("recipe", SHELL, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_it_is_shell_without_syntax_errors(recipe: Path) -> None:
    subprocess.run(["bash", "-n", recipe], check=True)


def recorded(recipe: Path, folder: Path) -> list[list[str]]:
    """The command lines, without the interpreter, of all that a recipe with its own settings runs in Python."""
    work, commands = folder / "work", folder / "commands"
    runs = [f"table5/{variant}/seed1/joint" for variant in ("dense", "moe_top2", "skillnet_x_ffn_mha")]
    tasks = ("pawsx", "nc-zh", "nc-de", "qadsm-de", "qam-en", "wpr-zh")
    runs += [f"single/seed1/{task}/seed1/joint" for task in tasks]
    for path in (commands, work / "parallel", *(work / run for run in runs)):
        path.mkdir(parents=True)
    for run in runs:  # what recipes want to be there once others have run
        (work / run / "checkpoint_last.pt").touch()
        (work / run / "results.json").touch()
    python = folder / "python"
    python.write_text(RECORDER)
    python.chmod(0o755)
    settings = {"PYTHON": str(python), "RECORDED": str(commands), "WORK": str(work), "SKILL_DATA": str(folder),
                "DEVICE": "cpu", "SEEDS": "1"}  # fmt: skip
    done = subprocess.run(["bash", recipe], capture_output=True, text=True, check=False, env={**os.environ, **settings})
    assert done.returncode == 0, done.stderr
    return [path.read_text().split("\0")[:-1] for path in sorted(commands.iterdir())]


_known: set[tuple[str, ...]] = set()  # an option with its values, of which one number is as good as another


def fault_of(options: Mapping[str, tuple[str, ...]]) -> dict[str, str | None] | None:
    """What fairseq-train says of options; nothing where it has seen each of them."""
    asked = {(name, *(re.sub(r"[\d.e-]+", "1", value) for value in values)) for name, values in options.items()}
    if asked <= _known:
        return None
    _known.update(asked)
    return find_fault(["data", *(word for name, values in options.items() for word in (name, *values))])


def training_runs(words: list[str], folder: Path) -> Iterator[dict[str, tuple[str, ...]]]:
    """The options of fairseq-train that scripts/two_stage.py comes to, without files and names of corpora."""
    cut = words.index("--")
    asked = two_stage.parser().parse_args(words[:cut])
    file = folder / "two_stage.yaml"
    file.write_text(yaml.safe_dump(two_stage.sweep_of(asked, words[cut + 1 :]), sort_keys=False, width=1000))
    sweep = read_sweep_file(file)
    for stage in sweep.stages:
        for point in _points(sweep.axes_of(stage)):
            options = settle_shares(_options(sweep, stage, point), {"a": 1000}, 1, file)
            kept = {name: one.words for name, one in options.items() if name not in NAMES}
            kept |= {"--init-from": ("x.pt",)} if "--init-from" in options else {}
            yield {name: given for name, given in kept.items() if given is not None}


@pytest.mark.parametrize(
    "recipe", [path for path in SHELL if path.name not in SHARED], ids=lambda path: str(path.relative_to(EXAMPLES))
)
def test_programs_know_what_it_asks_of_them(recipe: Path, tmp_path: Path) -> None:
    found = recorded(recipe, tmp_path)
    assert found
    for program, *words in found:
        name = Path(program).name
        if program == "-m" and words[0] == "skill_plugin":
            command, arguments = skill_plugin, words[1:]
            while isinstance(command, type(skill_plugin)):
                command = command.get_command(None, arguments[0])  # type: ignore[arg-type]
                assert command is not None, words
                arguments = arguments[1:]
            command.make_context(words[1], arguments)  # raises UsageError
        elif program == "-m":
            assert words[0] == "fairseq_cli.train"
            assert find_fault(words[1:]) is None, words
        elif name == "two_stage.py":
            corpora = Path(words[words.index("--corpora") + 1])
            assert corpora.exists() or corpora.is_relative_to(tmp_path)  # which another program would have made
            for options in training_runs(words, tmp_path):
                assert fault_of(options) is None, options
        elif program not in ("-", "-c"):
            known = ("compare_runs", "run_curves.py", "learning_curves.py", "similarity_gains.py", "random_mt5.py")
            assert name in known, program
        if "--published" in words and name == "compare_runs":
            rows = {word.partition("=")[0] for word in words if "=" in word and not word.startswith("--")}
            said = json.loads(Path(words[words.index("--published") + 1]).read_text())
            assert rows & said["rows"].keys(), (sorted(rows), list(said["rows"]))
            assert said["source"]


# The published settings stand once for recipes, `train --preset` and fairseq-hydra-train.

PRESETS = ROOT / "skill_plugin/pipeline/presets"
COMPARED = (
    "lr", "batch_size", "max_update", "max_epoch", "clip_norm", "lr_scheduler", "warmup_updates", "update_freq",
    "criterion", "loss_scaling", "corpus_sampling", "sampling_alpha", "corpora_per_batch", "max_length", "head",
    "optimizer", "dropout", "r3f_noise", "r3f_sigma", "r3f_lambda",
)  # fmt: skip


def settings_of(words: Sequence[str]) -> dict[str, Any]:
    """What fairseq-train makes of a command line."""
    args = fairseq_options.parse_args_and_arch(fairseq_options.get_training_parser(), ["data", *words])
    return {name: getattr(args, name) for name in COMPARED if hasattr(args, name)}


def words_of(preset: Path) -> list[str]:
    """The command line that a configuration stands for."""
    names = {"model": "--arch", "task": "--task", "criterion": "--criterion", "optimizer": "--optimizer",
             "lr_scheduler": "--lr-scheduler"}  # fmt: skip
    words: list[str] = []
    for section, values in yaml.safe_load(preset.read_text()).items():
        for key, value in values.items():
            name = names[section] if key == "_name" else f"--{key.replace('_', '-')}"
            if value == "???" or name == "--corpus-sampling":
                words += ["--sampling", value] if value != "???" else []
            elif value is True:
                words.append(name)
            else:
                words += [name, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return words


@pytest.mark.parametrize(
    ("work", "recipe", "run"),
    [
        ("ca_mtl", "compare.sh", "glue/ca_mtl-uncertainty"),
        ("mt_tag", "compare.sh", "glue/mt_tag"),
        ("skillnet", "compare.sh", "joint"),
        ("skillnet_x", "compare.sh", "table5/skillnet_x_ffn_mha"),
        ("thesis", "ladder.sh", "r3f-scaling"),
    ],
)
def test_recipe_and_preset_agree(work: str, recipe: str, run: str, tmp_path: Path) -> None:
    preset = settings_of(words_of(PRESETS / f"{work}.yaml"))
    (words,) = (words for _, *words in recorded(EXAMPLES / work / recipe, tmp_path) if words[0].endswith(f"work/{run}"))
    cut = words.index("--stages")
    end = next(place for place in range(cut + 1, len(words)) if words[place].startswith("-"))
    joint = [*words[: cut + 1], "joint", *words[end:]]
    (options,) = training_runs(joint, tmp_path)
    made = settings_of([word for name, values in options.items() for word in (name, *values)])
    assert made == preset
    if (EXAMPLES / work / "train.sh").exists():
        (tmp_path / "train").mkdir()
        alone = recorded(EXAMPLES / work / "train.sh", tmp_path / "train")[0]
        assert settings_of(alone[3:]) == preset


def test_skill_pretraining_has_the_settings_of_the_joint_training() -> None:
    joint, own = (settings_of(words_of(file)) for file in
                  (PRESETS / "skillnet_x.yaml", EXAMPLES / "skillnet_x/conf/pretrain.yaml"))  # fmt: skip
    assert {name for name in joint if joint[name] != own[name]} == {"max_update"}


# recipes.sh

SCRIPT = """
here={examples}/ca_mtl
PYTHON={python} DEVICE=cpu
source {examples}/recipes.sh
"""


def run_shell(text: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    script = folder / "recipe.sh"
    script.write_text(SCRIPT.format(examples=EXAMPLES, python="true") + text)
    return subprocess.run(["bash", script], capture_output=True, text=True, check=False, cwd=folder,
                          env={**os.environ, "WORK": str(folder / "work"), **settings})  # fmt: skip


def test_several_at_once(tmp_path: Path) -> None:
    """Three, two at a time: the second begins before the first ends, the third after one has ended."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "begin $1" >>order\nsleep $2\necho "end $1" >>order\necho said $1\n')
    program.chmod(0o755)
    text = (
        "at_once a ./program a 0.3\nat_once b/c ./program b 0.6\nat_once d ./program c 0\nall_done\necho end >>order\n"
    )
    done = run_shell(text, tmp_path, JOBS="2")
    assert (done.returncode, done.stderr) == (0, "")
    order = (tmp_path / "order").read_text().splitlines()
    assert sorted(order[:2]) == ["begin a", "begin b"] and order[2] == "end a"
    assert set(order[3:5]) == {"begin c", "end c"} and order[5:] == ["end b", "end"]
    assert (tmp_path / "work/logs/b-c.log").read_text() == "said b\n"
    (tmp_path / "order").unlink()
    run_shell(text, tmp_path, JOBS="1")
    assert (tmp_path / "order").read_text().split("\n")[:4] == ["begin a", "end a", "begin b", "end b"]
    (tmp_path / "order").unlink()
    run_shell(text, tmp_path, TABLES_ONLY="yes")
    assert (tmp_path / "order").read_text() == "end\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_fails_ends_the_recipe_when_the_others_are_done(jobs: str, tmp_path: Path) -> None:
    text = (
        "at_once bad sh -c 'echo reason; exit 3'\nat_once good sh -c 'sleep 0.3; echo x >good'\n"
        "at_once late sh -c 'echo x >late'\nall_done\necho not here\n"
    )
    done = run_shell(text, tmp_path, JOBS=jobs)
    assert done.returncode == 1 and "not here" not in done.stdout
    said, rest = done.stderr.splitlines()
    assert said == ("bad failed" if jobs == "1" else f"bad failed: reason; see {tmp_path}/work/logs/bad.log")
    assert rest.startswith("not all runs are there: the same command makes what is missing")
    assert (tmp_path / "good").exists() and (tmp_path / "late").exists()


def test_what_is_stopped_ends_the_recipe(tmp_path: Path) -> None:
    done = run_shell("at_once stopped sh -c 'exit 130'\necho not here\n", tmp_path, JOBS="1")
    assert done.returncode == 130 and "not here" not in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_it_stops_what_runs(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C goes to all of the terminal's programs, of which those in the background ignore it."""
    for name in ("a", "b"):
        os.mkfifo(tmp_path / name)
    text = "".join(f"at_once {name} sh -c 'echo $$ >{name}; exec sleep 60'\n" for name in ("a", "b")) + "all_done\n"
    (tmp_path / "recipe.sh").write_text(SCRIPT.format(examples=EXAMPLES, python="true") + text)
    environment = {**os.environ, "WORK": str(tmp_path / "work"), "JOBS": "2"}
    process = subprocess.Popen(["bash", "recipe.sh"], cwd=tmp_path, env=environment, start_new_session=True,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    running = [int((tmp_path / name).read_text()) for name in ("a", "b")]
    os.killpg(process.pid, number)
    assert process.wait(20) == {signal.SIGINT: 130, signal.SIGTERM: 1}[number]
    until = time.monotonic() + 20
    while any(Path(f"/proc/{one}").exists() for one in running):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_numbers_of_the_published_settings(tmp_path: Path) -> None:
    text = "".join(f"setting {preset} {key}\n" for preset, key in (
        ("ca_mtl", "lr"), ("mt_tag", "batch_size"), ("skillnet_x", "sampling_alpha"), ("thesis", "max_update"),
    ))  # fmt: skip
    assert run_shell(text, tmp_path).stdout.split() == ["2e-5", "32", "0.4", "20000"]
