"""Start-up without pages of noise."""

import logging

import pytest
from omegaconf import OmegaConf
from torch import nn

from skill_plugin.compat import install
from tests.compat.fairseq_runs import train


@pytest.mark.slow
def test_a_run_starts_within_a_page(tmp_path):
    run = train(tmp_path, "--max-update", "1", fresh=True)
    assert run.status == 0
    assert run.err == ""
    before = run.out[: run.out.index("begin training epoch 1")]
    assert len(before.splitlines()) < 40
    assert max(map(len, before.splitlines())) < 200


@pytest.mark.slow
def test_without_the_patch_it_does_not(tmp_path):
    run = train(tmp_path, "--max-update", "1", fresh=True, TOY_PATCHES="0")
    assert run.status == 0
    assert "Warning" in run.err
    assert max(map(len, run.out.splitlines())) > 5_000


def test_texts_about_a_model_are_shown(caplog):
    logger = logging.getLogger("fairseq_cli.train")
    with caplog.at_level("INFO"):
        logger.info(OmegaConf.create({"a": 1}))
        logger.info(nn.Linear(1, 1))
        logger.info("model: ToyModel")
    assert caplog.messages == ["model: ToyModel"]


def test_installing_twice_changes_nothing():
    import sys

    from fairseq import checkpoint_utils
    from fairseq.distributed import utils as distributed_utils
    from fairseq.trainer import Trainer

    def state():
        functions = [distributed_utils.call_main, Trainer.__init__, Trainer.train_step, sys.excepthook]
        return functions, checkpoint_utils.load_checkpoint, logging.getLogger("fairseq_cli.train").filters.copy()

    before = state()
    install()
    assert state() == before
