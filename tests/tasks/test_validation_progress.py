"""How far a validation is."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from skill_plugin.tasks.validation_progress import ValidationProgress, line_interval


def test_a_line_every_so_many_batches(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    progress = ValidationProgress("valid", 2500, 1000)
    for _ in range(2500):
        progress.step()
    assert [record.message for record in caplog.records] == [
        "validation on 'valid': 1,000 of 2,500 batches",
        "validation on 'valid': 2,000 of 2,500 batches",
    ]


def test_where_there_is_a_bar_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    options = SimpleNamespace(log_interval=7, log_format=None, no_progress_bar=False)
    for terminal, log_format, no_bar, expected in (
        (False, None, False, 7),
        (True, None, False, 0),
        (True, "tqdm", True, 0),
        (True, "json", False, 7),
        (True, None, True, 7),
    ):
        monkeypatch.setattr("sys.stderr.isatty", lambda terminal=terminal: terminal)
        options.log_format, options.no_progress_bar = log_format, no_bar
        assert line_interval(options) == expected
