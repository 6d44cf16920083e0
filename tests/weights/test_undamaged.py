"""Files of weights that were changed since they were written: each change is named, none is loaded."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from skill_plugin import api
from skill_plugin.checkpoints.checkpoint import TASK
from skill_plugin.errors import InputError
from skill_plugin.sampling.training_shares import TrainingShares
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.weights.torch_file import load_torch_file
from skill_plugin.weights.undamaged import checked_weights
from tests.every_kind import examples, make_world


@pytest.fixture(scope="module")
def checkpoint(sentencepiece_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    rows = {name: examples(name, 3) for name in ("one", "pair")}
    model = make_world(folder / "bin", open_tokenizer(sentencepiece_model), rows).model()
    state = {f"model.{name}": value for name, value in model.model.state_dict().items()}
    torch.save({"model": state, "task_state": {"bundle": model.bundle.to_state()}}, folder / "model.pt")
    return folder / "model.pt"


def fault(path: Path) -> str:
    with pytest.raises(InputError) as error:
        api.load(str(path))
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def test_every_flipped_bit_of_a_part_is_found(checkpoint: Path, tmp_path: Path) -> None:
    content = checkpoint.read_bytes()
    random, path = np.random.default_rng(0), tmp_path / "model.pt"
    with zipfile.ZipFile(checkpoint) as archive:
        parts = [(part.header_offset + 30 + len(part.filename), part.file_size) for part in archive.infolist()]
    for start, size in parts:
        if size:
            at = start + int(random.integers(size))  # in its padding too, which is not read
            path.write_bytes(content[:at] + bytes([content[at] ^ 1 << int(random.integers(8))]) + content[at + 1 :])
            if _parts(path) == _parts(checkpoint):
                api.load(str(path))
            else:
                assert "damaged: " in fault(path)
    path.write_bytes(content[: len(content) // 2])
    assert "is not a whole file; was its writing or copying cut short?" in fault(path)


def _parts(path: Path) -> list[bytes] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            return [archive.read(part) for part in archive.infolist()]
    except zipfile.BadZipFile:
        return None


def test_a_file_that_was_zipped_again_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(checkpoint) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as again:
        for part in archive.infolist():
            again.writestr(part.filename, archive.read(part))
    assert "its parts are compressed" in fault(path)
    with zipfile.ZipFile(checkpoint) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as again:
        for part in archive.infolist():
            again.writestr(part.filename, archive.read(part))
    for name, tensor in load_torch_file(path)["model"].items():
        assert torch.equal(tensor, load_torch_file(checkpoint)["model"][name])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_numbers_that_are_not_finite(value: float, dtype: torch.dtype) -> None:
    good = torch.ones(3, 5, dtype=dtype)
    bad = good.clone()
    bad[1, 4] = value
    assert checked_weights({"a": good, "n": torch.zeros(0), "i": torch.ones(2, dtype=torch.int64)}, "f").keys()
    with pytest.raises(InputError, match="f: b holds numbers that are not finite"):
        checked_weights({"a": good, "b": bad}, "f")


def _set(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["task_state"]["bundle"].update({key: value})


@pytest.mark.parametrize(
    "change",
    [
        _set("corpora_text", "corpora: [1"),
        _set("corpora_text", "languages: [en]\ncorpora:\n  one: {kind: classified}\n"),
        _set("shape", {"layers": 1}),
        _set("shape", None),
        _set("labels", {"none": ["a"]}),
        _set("labels", 3),
        _set("text", {"version": 1}),
        _set("variant", "dens"),
        _set("facts", {}),
        lambda content: content["task_state"].update(bundle=[1]),
        _set("max_length", None),
        lambda content: content.update(task_state=7),
        lambda content: content.update(model=[1]),
        lambda content: content["model"].popitem(),
        lambda content: content["model"].update({"model.x": torch.ones(1)}),
        lambda content: content.pop("model"),
    ],
)
def test_whatever_is_inside_the_checkpoint_is_named(
    checkpoint: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    content = load_torch_file(checkpoint)
    change(content)
    torch.save(content, tmp_path / "model.pt")

    def use() -> None:
        model = api.load(str(tmp_path / "model.pt"))
        model.bundle.metrics()
        model.predict("one", ["the cat"])

    with pytest.raises(InputError) as error:
        use()
    assert str(error.value).startswith(f"{tmp_path / 'model.pt'}: ")
    assert "\n" not in str(error.value)


def test_a_weight_that_no_model_has_is_named(checkpoint: Path, tmp_path: Path) -> None:
    content = load_torch_file(checkpoint)
    content["model"]["model.colour"] = torch.ones(1)
    torch.save(content, tmp_path / "model.pt")
    with pytest.raises(InputError, match=r'Unexpected key\(s\) in state_dict: "colour"'):
        api.load(str(tmp_path / "model.pt"))


def _shares(**changes: Any) -> Callable[[dict[str, Any]], None]:
    shares = TrainingShares(["one", "pair"], [3, 3]).to_state()
    return lambda content: content.update(extra_state={TASK: {"shares": shares | changes}})


@pytest.mark.parametrize(
    "change",
    [
        _set("variant", "dens"),
        _set("calibrations", {"one": {"temperature": 0.0}}),
        _set("calibrations", {"one": {"temperature": float("nan")}}),
        _shares(counts=[[1]]),
        _shares(sizes=[3]),
        _shares(parts=7),
        lambda content: content.update(extra_state={TASK: {"shares": 7}}),
        lambda content: content.update(cfg=3),
        lambda content: content.update(optimizer_history=7),
        lambda content: content["task_state"]["bundle"]["shape"].update(layers=-1),
    ],
)
def test_what_is_told_of_it_is_one_line_too(
    command: Callable[..., tuple[int, str, str]], checkpoint: Path, tmp_path: Path,
    change: Callable[[dict[str, Any]], None],
) -> None:  # fmt: skip
    """Of what only describe and report read."""
    content, file = load_torch_file(checkpoint), tmp_path / "model.pt"
    change(content)
    torch.save(content, file)
    ends = [command("describe", file), command("report", file, "--out", tmp_path / "page.html")]
    faults = [err for status, _, err in ends if status]
    assert faults and all(err.startswith(f"{file}: ") and err.count("\n") == 1 for err in faults)
    assert all(status in (0, 1) for status, _, _ in ends)
