"""The section of analyses: each file that `analyse` writes is shown, with its numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.analysis.covariance.measure import CovarianceComparison, CovarianceSimilarity
from skill_plugin.analysis.perturbation.condition import Condition
from skill_plugin.analysis.perturbation.measure import TRAINED, Perturbation
from skill_plugin.analysis.relatedness.measure import Relatedness
from skill_plugin.analysis.transfer.measure import EmbeddingChoice, EmbeddingTransfer
from skill_plugin.analysis.usage.measure import CorpusUsage, ExpertUsage
from skill_plugin.files.json_file import write_json
from skill_plugin.report.results import CorpusResult
from tests.html_page import HtmlPage

MakePage = Callable[..., HtmlPage]


@pytest.fixture
def folder(scored: Callable[..., Path]) -> Path:
    """The folder of a run with a file of each analysis."""
    run = scored("run", nli_en=0.7)
    counts = np.array([[30, 10], [20, 20]])
    usage = {"nli": CorpusUsage("en", 5, 40, counts), "ner": CorpusUsage("de", 5, 40, counts[:, ::-1].copy())}
    write_json(run / "usage.json", ExpertUsage("mt_tag", "valid", (0, 3), 1, usage).to_json())
    result = CorpusResult("en", "classification", "accuracy", 0.8, 10)
    worse = CorpusResult("en", "classification", "accuracy", 0.65, 10)
    condition = Condition("without token", {"nli": "generic"})
    ablated = Perturbation("skillnet", "valid", [condition], {"nli": {TRAINED: result, "without token": worse}})
    write_json(run / "ablate.json", ablated.to_json())
    grams = [np.diag([2.0, 1.0]), np.diag([1.0, 2.0])]
    similarity = CovarianceSimilarity.of("model.pt", grams)
    compared = CovarianceComparison("valid", {"nli": 1234, "ner": 99}, {"after": similarity})
    write_json(run / "covariance.json", compared.to_json())
    vectors = {"nli": {"text": np.array([1.0, 0.0])}, "ner": {"text": np.array([1.0, 1.0])}}
    write_json(run / "text.json", Relatedness("text", {"nli": 5, "ner": 5}, vectors).to_json())
    choices = [EmbeddingChoice("nli", ("nli",), 0.62), EmbeddingChoice("random", "random", 0.5)]
    transfer = EmbeddingTransfer("rte", "nli", "valid", "accuracy", 9, choices)
    write_json(run / "embeddings.json", transfer.to_json())
    (run / "other.json").write_text('{"own": 1}')
    return run


def test_each_is_shown_with_its_numbers(folder: Path, page: MakePage) -> None:
    named = (folder / "usage.json", folder / "../run/usage.json")  # beside the run it is shown once all the same
    section = page(folder, *(word for file in named for word in ("--analysis", file))).section("analyses")
    assert [one.text for one in section.all("h3")] == [
        "Other skills and languages", "Similarity of covariances", "Task embeddings", "What to learn from first",
        "Experts",
    ]  # fmt: skip
    assert section.table("layer 0") == {
        "layer 0": ["expert 0", "expert 1", "entropy"], "nli": ["75.0", "25.0", "0.81"], "ner": ["25.0", "75.0", "0.81"]
    }  # fmt: skip
    changes = section.table("corpus")
    assert changes["corpus"] == [TRAINED, "without token"]
    assert changes["nli"] == ["80.0", "−15.0"] and changes["avg"] == ["80.0", "−15.0"]
    # the factors are diagonals sqrt(2), 1 and 1, sqrt(2): their product has the norm 2, and each of them sqrt(3)
    assert section.table("in percent")["1 nli"] == ["100", "67"]
    assert section.table("embedding of") == {"embedding of": ["accuracy"], "nli": ["62.0"], "random": ["50.0"]}
    assert section.table("target")["nli"][0] == "ner"
    assert "71" in [cell.text for cell in section.all("td")]  # the cosine of half a right angle
    assert "other.json" not in section.text


def test_none_is_said(scored: Callable[..., Path], page: MakePage) -> None:
    text = page(scored("run", nli_en=0.7)).section("analyses").text
    assert "No analysis lies in the folder of the run" in text and "skill-plugin analyse usage" in text
