"""The toy plugin, imported into this process as fairseq imports a user folder."""

import argparse

import pytest
from fairseq import utils

from tests.compat.fairseq_runs import TOY, train_here


@pytest.fixture(scope="session", autouse=True)
def _toy_plugin():
    utils.import_user_module(argparse.Namespace(user_dir=str(TOY)))


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with the checkpoints of six updates."""
    save = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as monkeypatch:
        train_here(monkeypatch, save)
    return save
