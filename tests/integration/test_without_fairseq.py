"""Where fairseq is not installed, all that needs no training works, and prints and writes the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import OmegaConf

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import Checkpoint, read_checkpoint, save_checkpoint
from skill_plugin.weights.torch_file import load_torch_file
from tests import warm_process

pytestmark = pytest.mark.slow
HIDDEN = "import sys; sys.modules.update(dict.fromkeys(('fairseq', 'fairseq_cli', 'hydra', 'omegaconf')))\n"
COMMANDS = """
import contextlib, json, sys
from skill_plugin.cli.main import main
told = []
for arguments in json.load(sys.stdin):
    with open("out", "w+") as out, open("err", "w+") as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(arguments)
            except SystemExit as stop:
                status = stop.code
        told.append([status, *(file.seek(0) or file.read() for file in (out, err))])
json.dump(told, sys.stdout)
"""
LOADED = """
import skill_plugin
model = skill_plugin.load("trained.pt")
print([answer.to_json() for answer in model.predict("nli-en", [("A man eats.", "He runs."), ("", "a")])])
"""


def fairseq_model(file: Path) -> Path:
    """A ``model.pt`` of fairseq 0.10, of the size ``tiny``, whose options are objects of omegaconf's."""
    stem, width = "encoder.sentence_encoder.", 64
    maps, norms = {}, [f"{stem}layernorm_embedding"]
    for layer in (f"{stem}layers.0.", f"{stem}layers.1."):
        maps |= {f"{layer}self_attn.{name}_proj": (width, width) for name in ("q", "k", "v", "out")}
        maps |= {f"{layer}fc1": (128, width), f"{layer}fc2": (width, 128)}
        norms += [f"{layer}self_attn_layer_norm", f"{layer}final_layer_norm"]
    sizes = {f"{name}.weight": size for name, size in maps.items()} | {f"{name}.weight": (width,) for name in norms}
    sizes |= {f"{name}.bias": size[:1] for name, size in maps.items()} | {f"{name}.bias": (width,) for name in norms}
    sizes |= {f"{stem}embed_tokens.weight": (9, width), f"{stem}embed_positions.weight": (130, width)}
    options = {"_name": "roberta", "encoder_attention_heads": 2, "activation_fn": "gelu"}
    content = {
        "args": None,
        "cfg": OmegaConf.create({"model": options, "task": {"_name": "masked_lm"}}),
        "model": {name: torch.full(size, 0.5) for name, size in sizes.items()},
    }
    torch.save(content, file)
    return file


def changed(bundle: Bundle, file: Path, **changes: Any) -> Path:
    """A checkpoint of another variant with the weights that it is given at the start."""
    torch.manual_seed(1)
    other = replace(bundle, **changes)
    save_checkpoint(Checkpoint(other, build_model(other).state_dict()), file)
    return file


@pytest.fixture(scope="module")
def commands(trained: Any, made: Any, train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Command lines over files of which the folders of both runs have links."""
    folder = tmp_path_factory.mktemp("files")
    bundle = read_checkpoint(trained.folder / "checkpoint_last.pt").bundle
    known = [name for name in bundle.labels if name != "reviews-zh"]
    fewer = {name: getattr(bundle, name) for name in ("labels", "facts")}
    fewer = {name: {corpus: values[corpus] for corpus in known} for name, values in fewer.items()}
    base = trained.folder / "checkpoint_best.pt"
    adapted = train(
        folder / "lora", "--init-from", base, "--only-corpora", "nli-de", "--lora-rank", 2, "--max-update", 1
    )
    files = {
        "trained.pt": trained.folder / "checkpoint_last.pt",
        "base.pt": base,
        "adapted.pt": adapted.folder / "checkpoint_last.pt",
        "experts.pt": changed(bundle, folder / "experts.pt", variant="mt_switch"),
        "conditional.pt": changed(bundle, folder / "conditional.pt", variant="ca_mtl", **fewer),
        "fairseq.pt": fairseq_model(folder / "fairseq.pt"),
        "corpora.yaml": made.corpora,
        "raw": made.corpora.parent / "raw",
        "data": made.data,
        "tokenizer.model": made.tokenizer,
    }
    lines = """
        check corpora.yaml
        check corpora.yaml --tokenizer tokenizer.model --json
        prepare corpora.yaml again --tokenizer tokenizer.model
        import fairseq.pt encoder.pt
        evaluate trained.pt data --json results.json
        predict trained.pt --corpus reviews-de raw/reviews-de.valid.csv predicted.jsonl --json
        describe trained.pt
        describe adapted.pt --json
        describe skillnet_x_ffn_mha_tiny --corpora corpora.yaml
        describe mt_tag_tiny --corpora corpora.yaml --init-from encoder.pt
        analyse usage experts.pt data --json usage.json
        analyse covariance trained.pt data --before base.pt --json covariance.json
        analyse transfer conditional.pt data --embeddings --corpus reviews-zh --corpora corpora.yaml --head reviews-de
        adapter extract adapted.pt adapter.pt
        evaluate base.pt data --only-corpora nli-de --adapter adapter.pt
        adapter merge base.pt adapter.pt merged.pt
    """
    return files, [line.split() for line in lines.strip().splitlines()]


def test_every_command(commands: Any, tmp_path: Path) -> None:
    files, lines = commands
    told = {}
    for name, start, hidden in (("with", warm_process.run, ""), ("without", subprocess.run, HIDDEN)):
        folder = tmp_path / name
        folder.mkdir()
        for link, file in files.items():
            (folder / link).symlink_to(file)
        done = start(
            [sys.executable, "-c", hidden + COMMANDS],
            input=json.dumps(lines), capture_output=True, text=True, cwd=folder, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told[name] = json.loads(done.stdout)
    for line, (status, out, err), alone in zip(lines, told["with"], told["without"], strict=True):
        assert alone == [status, out, err], line
        assert status == 0, (line, err)
    written = [sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*")) for name in told]
    assert written[0] == written[1]
    for file in written[0]:
        ours, theirs = tmp_path / "without" / file, tmp_path / "with" / file
        if file.suffix == ".pt":
            assert_equal(load_torch_file(ours), load_torch_file(theirs))
        elif ours.is_file():
            assert ours.read_bytes() == theirs.read_bytes(), file


def assert_equal(ours: Any, theirs: Any) -> None:
    weights = ours.pop("model"), theirs.pop("model")
    torch.testing.assert_close(*weights, rtol=0, atol=0)


def test_python(commands: Any, tmp_path: Path) -> None:
    (tmp_path / "trained.pt").symlink_to(commands[0]["trained.pt"])
    where = {"capture_output": True, "text": True, "cwd": tmp_path, "check": True}
    ours = subprocess.run([sys.executable, "-c", HIDDEN + LOADED], **where)
    theirs = warm_process.run([sys.executable, "-c", LOADED], **where)
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)
    assert "entailment" in ours.stdout


def test_check_and_prepare_need_no_torch(every_kind: Any, tmp_path: Path) -> None:
    """Of every kind, whose folders hold files that need torch beside those that do not."""
    lines = [
        ["check", str(every_kind.corpora), "--tokenizer", str(every_kind.tokenizer)],
        ["prepare", str(every_kind.corpora), "data", "--tokenizer", str(every_kind.tokenizer)],
    ]
    code = f"import sys; sys.modules['torch'] = None\n{COMMANDS}"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(lines), capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [status for status, _, _ in json.loads(done.stdout)] == [0, 0], done.stdout
    assert (tmp_path / "data" / "manifest.json").is_file()


@pytest.mark.parametrize("missing", ["fairseq", "omegaconf"])
def test_registering_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import skill_plugin.register"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: training needs {missing}, which a plain installation of skill_plugin leaves out: "
        "pip install '.[train]' in the folder of its source"
    )
