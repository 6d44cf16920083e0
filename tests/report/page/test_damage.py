"""Whatever is in the files of a run, the page is made or one line says which file is at fault."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.html_page import HtmlPage
from tests.report.page.test_training import log_of

Command = Callable[..., tuple[int, str, str]]
OTHERS = [None, True, -1, 1e308, "", "a", "</td>", [], ["a"], {}, {"a": 1}, [[1]], float("nan")]
SPLIT = {
    "kind": "classification", "language": "en", "rows": 3, "trained": None, "skipped": 1, "labels": {"x": 3},
    "skipped_by_reason": {"empty": 1}, "contents": None, "characters": {"median": 3, "p95": 4, "maximum": 5},
    "tokens": None,
}  # fmt: skip
NOTICE = {"file": "a.tsv", "line": 3, "message": "odd", "corpus": "nli_en", "split": "train"}
CONTENTS: dict[str, Any] = {
    "results.json": {
        "split": "valid",
        "corpora": {"nli_en": {
            "language": "en", "kind": "classification", "metric": "accuracy", "value": 0.5, "n": 10, "averaged": True,
            "calibration": {"ece": 0.1, "bins": [{"n": 10, "confidence": 0.9, "accuracy": 0.8}]},
            "details": {"f1_x": 0.5}, "training": {}, "constant": 0.5, "confusion": {"x": {"x": 3, "y": 1}},
        }},
        "groups": {"g": {"corpora": ["nli_en"], "value": 0.5}},
    },
    "check.json": {"corpora": {"nli_en": {"train": SPLIT}}, "faults": [NOTICE], "notices": [NOTICE]},
    "log.jsonl": log_of({10: 0.5, 20: 0.7}, entropy=True),
    "usage.json": {
        "experts": 2, "experts_per_token": 1, "layers": [0], "split": "valid", "overlap": {"mean": [[1.0]]},
        "corpora": {"nli_en": {"shares": [[0.5, 0.5]], "entropy": [1.0]}},
    },
}  # fmt: skip


def write(folder: Path, name: str, content: Any) -> None:
    lines = content if name == "log.jsonl" and isinstance(content, list) else [content]
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def damage(content: Any, draw: st.DataObject) -> Any:
    """With one value replaced, at any depth, or one key left out."""
    if not isinstance(content, dict | list) or not content or draw.draw(st.integers(0, 5)) == 0:
        return draw.draw(st.sampled_from(OTHERS))
    key = draw.draw(st.sampled_from(list(content) if isinstance(content, dict) else range(len(content))))
    if draw.draw(st.integers(0, 5)) == 0:
        del content[key]
    else:
        content[key] = damage(content[key], draw)
    return content


@pytest.mark.parametrize("name", list(CONTENTS))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_a_damaged_file_is_named(name: str, draw: st.DataObject, command: Command, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.unlink(missing_ok=True)
    for other, content in CONTENTS.items():
        write(tmp_path, other, content)
    write(tmp_path, name, damage(copy.deepcopy(CONTENTS[name]), draw))
    status, _, err = command("report", tmp_path, "--out", out)
    if status == 0:
        HtmlPage.read(out)
    else:
        assert (status, err.count("\n"), err.startswith(f"{tmp_path / name}:"), out.exists()) == (1, 1, True, False)
