"""``skill-plugin analyse usage``: tables, JSON and plot of expert checkpoints, and one line for what cannot be."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import World, examples, make_world

Command = Callable[..., tuple[int, str, str]]
NAMES = ("one", "pair", "tags", "span")
VARIANTS = {"mt_tag": (4, 1), "mt_switch": (4, 1), "moe_top2": (10, 2), "dense": (0, 0)}


@pytest.fixture(scope="module")
def world(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = {name: examples(name, 10) for name in NAMES}
    return make_world(tmp_path_factory.mktemp("data") / "bin", open_tokenizer(sentencepiece_model), rows)


@pytest.fixture(scope="module")
def checkpoints(world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, files = tmp_path_factory.mktemp("models"), {}
    for variant in VARIANTS:
        model = World(world.folder, replace(world.bundle, variant=variant, skill_layers=None)).model()
        state = {f"model.{name}": value for name, value in model.model.state_dict().items()}
        files[variant] = folder / f"{variant}.pt"
        torch.save({"model": state, "task_state": {"bundle": model.bundle.to_state()}}, files[variant])
    return files


@pytest.mark.parametrize("variant", ["mt_tag", "mt_switch", "moe_top2"])
def test_table_json_and_plot(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path, variant: str
) -> None:
    files = (tmp_path / "out" / "usage.json", tmp_path / "out" / "usage.png")
    status, out, err = command(
        "analyse", "usage", checkpoints[variant], world.folder, "--json", files[0], "--plot", files[1]
    )
    assert (status, err) == (0, "")
    found = json.loads(files[0].read_text())
    experts, per_token = VARIANTS[variant]
    assert list(found) == [
        "variant", "split", "layers", "experts", "experts_per_token", "corpora", "languages", "all", "overlap",
    ]  # fmt: skip
    assert (found["variant"], found["split"], found["layers"]) == (variant, "valid", [0, 1])
    assert (found["experts"], found["experts_per_token"]) == (experts, per_token)
    assert list(found["corpora"]) == list(NAMES)
    for one in (*found["corpora"].values(), *found["languages"].values(), found["all"]):
        np.testing.assert_allclose(np.sum(one["shares"], -1), [1, 1])
        assert np.sum(one["counts"], -1).tolist() == [one["tokens"] * per_token] * 2
        assert np.shape(one["counts"]) == (2, experts)
    assert {name: one["corpora"] for name, one in found["languages"].items()} == {
        "en": ["one", "tags", "span"],
        "de": ["pair"],
    }
    assert np.shape(found["overlap"]["by_layer"]) == (2, 4, 4)
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in files[0].parent.iterdir()) == ["usage.json", "usage.png"]

    assert f" e{experts - 1} " in out and f" e{experts} " not in out
    assert ("choices, 2 a token" in out) == (per_token == 2)
    shares = [f"{100 * share:.1f}" for share in found["corpora"]["tags"]["shares"][0]]
    entropy = f"{found['corpora']['tags']['entropy'][0]:.2f}"
    tokens = f"{found['corpora']['tags']['tokens']:,}"
    rows = [line.split() for line in out.splitlines()]
    assert ["tags", "en", tokens, *shares, entropy] in rows
    overlap = [f"{100 * value:.0f}" for value in found["overlap"]["mean"][3]]
    assert ["4", "span", *overlap] in rows


def test_selection_split_and_limit(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--only-corpora", "one", "--limit", 3, "--batch-size", 2, "--json", tmp_path / "u.json")
    status, out, err = command("analyse", "usage", checkpoints["mt_tag"], world.folder, *options)
    assert (status, err) == (0, "")
    found = json.loads((tmp_path / "u.json").read_text())
    assert {name: one["rows"] for name, one in found["corpora"].items()} == {"one": 3}
    assert "overlap" not in out  # of what with what?
    status, out, err = command("analyse", "usage", checkpoints["mt_tag"], world.folder, "--split", "test")
    assert (status, out) == (1, "")
    assert err.startswith(f"{world.folder}: nothing to count (one, ")
    assert err.endswith(": no test split)\n") and err.count("no test split") == 1


@pytest.mark.parametrize(
    ("variant", "options", "status", "message"),
    [
        ("dense", (), 1, "this dense model has no experts; expected a checkpoint of moe_top2, mt_switch, mt_tag"),
        ("mt_tag", ("--only-corpora", "one,tag"), 1, "the model has no corpus 'tag'; did you mean 'tags'?"),
        ("mt_tag", ("--split", "dev"), 2, "'dev' is not one of 'train', 'valid', 'test'"),
        ("mt_tag", ("--limit", "-1"), 2, "-1 is not in the range 0<=x<=2147483647"),
        ("mt_tag", ("--device", "abacus"), 1, "cannot run on the device 'abacus'"),
    ],
)
def test_faults_leave_nothing(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path,
    variant: str, options: tuple[Any, ...], status: int, message: str,
) -> None:  # fmt: skip
    files = ("--json", tmp_path / "u.json", "--plot", tmp_path / "u.png")
    found, out, err = command("analyse", "usage", checkpoints[variant], world.folder, *files, *options)
    assert (found, out) == (status, "")
    assert message in err
    assert status == 2 or err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["usage.gif", "usage", "png"])
def test_plots_of_other_formats_are_refused_at_once(command: Command, tmp_path: Path, name: str) -> None:
    options = ("--json", tmp_path / "u.json", "--plot", tmp_path / name)
    status, out, err = command("analyse", "usage", tmp_path / "no-such.pt", tmp_path, *options)
    assert (status, out) == (2, "")
    assert f"{name}' ends with none of .png, .svg, .pdf" in " ".join(err.split())
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_one_line(
    command: Command, world: World, checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "u.svg").mkdir()
    command_line = ("analyse", "usage", checkpoints["mt_tag"], world.folder, "--plot", tmp_path / "u.svg")
    status, out, err = command(*command_line)
    assert status == 1
    assert not out  # before anything is counted
    assert err == f"{tmp_path / 'u.svg'}: is a directory\n"


def test_help_starts_without_torch() -> None:
    code = (
        "import sys; from skill_plugin.cli.main import main\n"
        "try: main(['analyse', 'usage', '--help'])\n"
        "finally: assert not {'torch', 'matplotlib', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--plot FILE.png|svg|pdf" in done.stdout


def test_unknown_analyses_are_wrong_usage(command: Command) -> None:
    status, out, err = command("analyse", "usages")
    assert (status, out) == (2, "")
    assert "No such command 'usages'" in err
    assert command("analyse", "--help")[1].count("usage") >= 1


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_what_is_read_is_not_written_over(
    command: Command, world: World, checkpoints: dict[str, Path], option: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.png"
    file.write_bytes(checkpoints["mt_tag"].read_bytes())
    before = file.read_bytes()
    status, out, err = command("analyse", "usage", file, world.folder, option, file)
    assert (status, out, err) == (1, "", f"{file}: is read and to be written; name another file to write\n")
    assert file.read_bytes() == before
