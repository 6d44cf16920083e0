"""Corpora files of original data sets: read without a fault, from rows of the collection under the originals' names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.originals import put_all

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("file", "corpora"),
    [
        ("mt_tag/glue", 9),
        ("mt_tag/glue_pp", 17),
        ("mt_tag/scitail", 2),
        ("ca_mtl/glue", 10),
        ("ca_mtl/tasks", 25),
        ("ca_mtl/new_corpora_original", 2),
        ("skillnet_x/original", 11),
        ("skillnet/original", 6),
        ("skillnet/new_tasks_original", 2),
        ("thesis/target_original", 1),
        ("thesis/translate_original", 44),
    ],
)
def test_files_of_original_data_sets(
    file: str, corpora: int, raw: Path, tmp_path: Path, command: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name, folder in put_all([EXAMPLES / f"{file}.yaml"], tmp_path, raw, shutil.copy).items():
        monkeypatch.setenv(name, folder)
    status, out, err = command("check", EXAMPLES / f"{file}.yaml", "--json")
    report = json.loads(out)
    assert (status, err, report["faults"]) == (0, "", [])
    assert len(report["corpora"]) == corpora
    assert all(splits["valid"]["rows"] for name, splits in report["corpora"].items() if "-train-" not in name)
