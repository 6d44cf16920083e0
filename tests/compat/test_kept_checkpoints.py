"""Further names of a checkpoint: whole, before the last one is replaced, with and without hard links."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from fairseq.trainer import Trainer

from skill_plugin.compat import kept_checkpoints
from skill_plugin.compat.kept_checkpoints import STATE, link
from skill_plugin.tasks.best_of_corpora import BestOfCorpora


@pytest.mark.parametrize("links", [True, False])
def test_names_are_replaced_whole(tmp_path, monkeypatch, links):
    if not links:

        def refuse(source, target):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)
    source, old, new = tmp_path / "s.pt", tmp_path / "old.pt", tmp_path / "new.pt"
    source.write_bytes(b"new")
    old.write_bytes(b"older and longer")
    (tmp_path / "old.pt.tmp").write_bytes(b"what a killed run left")
    link(str(source), [str(old), str(new)])
    assert old.read_bytes() == new.read_bytes() == b"new"
    assert (os.stat(old).st_ino == os.stat(source).st_ino) == links
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.pt", "old.pt", "s.pt"]


@pytest.fixture
def trainer(tmp_path):
    kept = BestOfCorpora()
    kept.validated(7, {"a": 0.5, "b": 0.25}, {"a": True, "b": True})
    return SimpleNamespace(
        task=SimpleNamespace(best_of_corpora=kept), checkpoint_suffix="-x", get_num_updates=lambda: 7
    )


def test_what_is_kept_comes_first(trainer, tmp_path):
    written = []

    def save(self, filename, extra_state):
        written.append((filename, extra_state[STATE]))
        with open(filename, "wb") as file:
            file.write(b"weights")

    last = tmp_path / "checkpoint_last-x.pt"
    last.write_bytes(b"before")
    assert kept_checkpoints.save_checkpoint(save, trainer, str(last), {"epoch": 1}) == str(last)
    assert written == [(str(tmp_path / "checkpoint_best_a-x.pt"), {"a": 0.5, "b": 0.25})]
    assert all((tmp_path / name).read_bytes() == b"weights" for name in ("checkpoint_best_b-x.pt", last.name))
    assert trainer.task.best_of_corpora.best == {"a": 0.5, "b": 0.25}


def test_a_run_that_is_killed_in_between_still_has_the_last_one_and_its_scores(trainer, tmp_path, monkeypatch):
    def save(self, filename, extra_state):
        with open(filename, "wb") as file:
            file.write(b"weights")

    def killed(source, target, overwrite):
        raise KeyboardInterrupt

    last = tmp_path / "checkpoint_last-x.pt"
    last.write_bytes(b"before")
    monkeypatch.setattr(kept_checkpoints.PathManager, "copy", killed)
    with pytest.raises(KeyboardInterrupt):
        kept_checkpoints.save_checkpoint(save, trainer, str(last), {})
    assert last.read_bytes() == b"before"
    assert (tmp_path / "checkpoint_best_b-x.pt").read_bytes() == b"weights"
    assert trainer.task.best_of_corpora.best == {}


def test_other_tasks_save_as_ever(trainer, tmp_path):
    given = []
    for task in (SimpleNamespace(), SimpleNamespace(best_of_corpora=None)):
        trainer.task = task
        kept_checkpoints.save_checkpoint(lambda self, *rest: given.append(rest), trainer, "f", {"a": 1})
    assert given == [("f", {"a": 1})] * 2


@pytest.mark.parametrize(
    ("reset", "expected"), [({}, {"a": 0.75}), ({"reset_meters": True}, {}), ({"reset_optimizer": True}, {})]
)
def test_a_run_that_goes_on_knows_its_best_unless_fairseq_forgets_its_own(trainer, tmp_path, reset, expected):
    (tmp_path / "checkpoint_best_a-x.pt").touch()
    trainer.cfg = SimpleNamespace(checkpoint=SimpleNamespace(save_dir=str(tmp_path)))
    extra_state = {STATE: {"a": 0.75, "b": 0.5}}  # the file of b is not there
    kept_checkpoints.load_checkpoint(lambda *args, **kwargs: extra_state, trainer, "f", **reset)
    assert trainer.task.best_of_corpora.best == expected


def test_fairseqs_trainer_is_patched():
    kept_checkpoints.install()
    for name in ("save_checkpoint", "load_checkpoint"):
        assert hasattr(getattr(Trainer, name), "__wrapped__")
