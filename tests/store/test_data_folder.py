"""Kills and neighbours: no corpus is lost, none is dropped from the manifest, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skill_plugin.errors import InputError
from skill_plugin.spec.corpora_file import CorporaFile, parse_corpora_file
from skill_plugin.store import data_folder
from skill_plugin.store.corpus_folder import find_corpus_folder, replace_corpus
from skill_plugin.store.corpus_store import list_corpora, open_corpus
from skill_plugin.store.data_folder import NewData
from skill_plugin.store.prepare import prepare_corpora
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer

CORPUS = (
    "{kind: classification, language: en, skills: [generic], format: tsv, header: false, "
    "columns: {text_a: 0, label: 1}, train: train.tsv}"
)


@pytest.fixture
def spec(tmp_path: Path) -> CorporaFile:
    names = "".join(f"  {name}: {CORPUS}\n" for name in ("a", "b", "c"))
    text = f"languages: [en]\nskills: {{generic: on}}\ncorpora:\n{names}"
    (tmp_path / "corpora.yaml").write_text(text)
    (tmp_path / "train.tsv").write_text("the cat\tx\na dog\ty\n")
    return parse_corpora_file(text, tmp_path / "corpora.yaml")


@pytest.fixture
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


def there(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path.suffix not in (".tsv", ".yaml"))


class KilledError(Exception):
    """Stands for the end of a process: nothing is cleaned up after it."""


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_corpus_is_there_at_every_moment(
    spec: CorporaFile, encoder: TextEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Killed before the first, the second and the third renaming or removing of a replacement."""
    data = tmp_path / "data"
    prepare_corpora(spec.select(["a", "b"]), data, encoder)
    (tmp_path / "train.tsv").write_text("the cat\tx\na dog\ty\nhe\tx\n")
    prepare_corpora(spec.select(["a"]), tmp_path / "new", encoder)
    steps = []

    def dies(original: object) -> object:
        def step(*arguments: object, **options: object) -> None:
            if len(steps) == at:
                raise KilledError
            steps.append(original)
            original(*arguments, **options)  # type: ignore[operator]

        return step

    with monkeypatch.context() as patched:
        for module, name in (("os", "rename"), ("os", "replace"), ("shutil", "rmtree")):
            patched.setattr(f"{module}.{name}", dies(getattr(sys.modules[module], name)))
        with pytest.raises(KilledError):
            replace_corpus(tmp_path / "new" / "a", data, "a")
    assert list_corpora(data) == ("a", "b")
    assert len(open_corpus(data, spec.corpora["a"], "train")) == (3 if at == 2 else 2)
    prepare_corpora(spec.select(["c"]), data, encoder)  # ends what was begun
    assert list_corpora(data) == ("a", "b", "c")
    assert sorted(os.listdir(data)) == ["a", "b", "c", "manifest.json", "text"]
    assert len(open_corpus(data, spec.corpora["a"], "train")) == (3 if at == 2 else 2)
    assert find_corpus_folder(data, "a") == data / "a"


def test_corpora_that_the_manifest_does_not_know_yet_are_taken_up(
    spec: CorporaFile, encoder: TextEncoder, tmp_path: Path
) -> None:
    prepare_corpora(spec.select(["a", "b"]), tmp_path / "data", encoder)
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text())
    with NewData(tmp_path / "data", encoder) as new:
        assert new.target == tmp_path / "data"
        (tmp_path / "data" / "b").rename(tmp_path / "kept")
        new.publish([])
    (tmp_path / "kept").rename(tmp_path / "data" / "b")
    prepare_corpora(spec.select(["c"]), tmp_path / "data", encoder)
    found = json.loads((tmp_path / "data" / "manifest.json").read_text())
    assert sorted(found["corpora"]) == ["a", "b", "c"]
    assert found["files"] == manifest["files"]


def test_one_at_a_time(spec: CorporaFile, encoder: TextEncoder, tmp_path: Path) -> None:
    data, refused = tmp_path / "data", []

    def beside(*_: object) -> None:
        with pytest.raises(InputError) as error:
            prepare_corpora(spec.select(["b"]), data, encoder)
        refused.append(str(error.value))

    prepare_corpora(spec.select(["a"]), data, encoder, on_progress=beside)
    at_work = f"{data}: another 'skill-plugin prepare' is at work here (process {os.getpid()})"
    assert set(refused) == {f"{at_work}; wait until it has ended"}
    prepare_corpora(spec.select(["b"]), data, encoder)
    assert there(data) == ["data"]
    assert list_corpora(data) == ("a", "b")


def test_a_new_folder_is_refused_and_nothing_is_left(
    spec: CorporaFile, encoder: TextEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(data_folder, "put_in_place", full)
    with pytest.raises(InputError, match="data: cannot be written: no space left on device"):
        prepare_corpora(spec, tmp_path / "deep" / "data", encoder)
    assert there(tmp_path / "data") == []


@pytest.mark.slow
def test_a_killed_prepare_leaves_no_process_and_the_next_one_removes_its_folder(
    spec: CorporaFile, encoder: TextEncoder, sentencepiece_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "train.tsv").write_text(("the cat sat on the mat " * 200 + "\tx\n") * 20000 + "a\ty\n")
    command = [sys.executable, "-m", "skill_plugin", "prepare", str(spec.path), str(tmp_path / "data")]
    command += ["--tokenizer", str(sentencepiece_model), "--workers", "2", "--only-corpora", "a"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    partial = tmp_path / f"data.partial-{process.pid}"

    def wait_for(condition: object) -> None:
        until = time.monotonic() + 60
        while not condition() and time.monotonic() < until:  # type: ignore[operator]
            time.sleep(0.05)
        assert condition()  # type: ignore[operator]

    wait_for(lambda: (partial / "a").exists() and len(members(process.pid)) >= 3)
    with pytest.raises(InputError, match=rf"at work here \(process {process.pid}\)"):
        prepare_corpora(spec.select(["b"]), tmp_path / "data", encoder)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not members(process.pid))
    (tmp_path / "train.tsv").write_text("the cat\tx\na dog\ty\n")
    prepare_corpora(spec.select(["b"]), tmp_path / "data", encoder)
    assert there(tmp_path / "data") == ["data"]


def members(group: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, leader = place.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(leader) == group and state != "Z":
            found.append(int(place.parent.name))
    return found
