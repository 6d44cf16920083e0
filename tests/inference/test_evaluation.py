"""What `evaluate` says is the metric of what `predict` answers on the same rows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from skill_plugin.api import Model
from skill_plugin.errors import InputError
from skill_plugin.inference.evaluation import Evaluation, evaluate
from skill_plugin.kinds.masked_lm.metric import MaskedAnswer
from skill_plugin.kinds.prediction import Prediction
from skill_plugin.kinds.ranking.metric import Ranked
from skill_plugin.kinds.registry import kind_named
from skill_plugin.metrics.metric import Metric
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.readers.example import Example
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.tokenizer_files import open_tokenizer
from tests.every_kind import CORPORA, World, examples, make_world, raw_input

ROWS = {name: examples(name, 25, words=20) for name in CORPORA}


@pytest.fixture(scope="module")
def encoder(sentencepiece_model: Path) -> TextEncoder:
    return open_tokenizer(sentencepiece_model)


@pytest.fixture(scope="module")
def world(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("data") / "bin", encoder, ROWS)


@pytest.fixture(scope="module")
def model(world: World) -> Model:
    return world.model()


@pytest.fixture(scope="module")
def evaluation(model: Model, world: World) -> Evaluation:
    return evaluate(model, str(world.folder), "valid")


def metric_of(world: World, name: str) -> Metric[Any, Any]:
    corpus = world.bundle.corpus(name)
    scheme = "bio" if name == "tags" else "raw"
    labels, items = world.bundle.labels[name], len(ROWS[name])
    return kind_named(corpus.kind).metric(corpus, labels, {"scheme": scheme}, items)


def compared(world: World, name: str, found: Prediction, made: Example) -> tuple[Any, Any]:
    """An answer and the right one as the metric compares them."""
    said: dict[str, Any] = found.to_json()
    right: Any = made.answer
    labels = world.bundle.labels[name]
    match world.bundle.corpus(name).kind:
        case "classification" | "word_in_context":
            return labels.index(said["label"]), labels.index(right)
        case "multilabel":
            return [labels.index(label) for label in said["labels"]], [labels.index(label) for label in right]
        case "ranking":
            scores = said["scores"]
            if name == "grade":  # an expected grade does not tell what is relevant
                return Ranked(scores, said["relevant"]), right
            least = 0.5 if name == "choice" else max(scores) - 1e-9
            assert said["relevant"] == [score > least for score in scores]
            return Ranked(scores, [score > least for score in scores]), right
        case "labelling":
            return said["tags"], right
        case "span":
            return said["text"], [text for _, text in right]
    return said["unclipped"], right


@pytest.mark.parametrize("name", [name for name in CORPORA if name not in ("mlm", "nsp")])
def test_predict_and_evaluate_agree(world: World, model: Model, evaluation: Evaluation, name: str) -> None:
    predictions = model.predict(name, [raw_input(name, made) for made in ROWS[name]])
    pairs = [compared(world, name, found, made) for found, made in zip(predictions, ROWS[name], strict=True)]
    metric = metric_of(world, name)
    state = np.zeros(metric.size)
    metric.count(state, [one for one, _ in pairs], [other for _, other in pairs], range(len(pairs)))
    result = evaluation.results.corpora[name]
    assert result.value == pytest.approx(metric.value(state), abs=1e-6)
    assert result.details == pytest.approx(metric.details(state), abs=1e-6)
    assert (result.n, result.kind) == (25, world.bundle.corpus(name).kind)


def outputs_of(model: Model, name: str, sequence: EncodedSequence) -> torch.Tensor:
    with torch.no_grad():
        return model.model(pack([(model.bundle.active_set(name), name, [sequence])], False)).answers[0]


def test_masked_tokens(world: World, model: Model, evaluation: Evaluation) -> None:
    examples, answers, counts = world.examples("mlm"), [], []
    for i in range(len(examples)):
        example, at, loss, right = examples.example(i), 0, 0.0, 0
        for sequence in example.sequences:
            classes = torch.from_numpy(example.target["classes"][at : at + len(sequence.units)])
            at += len(classes)
            logits = outputs_of(model, "mlm", sequence)
            loss += float(torch.nn.functional.cross_entropy(logits, classes, reduction="sum"))
            right += int((logits.argmax(-1) == classes).sum())
        answers.append(MaskedAnswer(loss, right))
        counts.append(at)
    metric = metric_of(world, "mlm")
    state = np.zeros(metric.size)
    metric.count(state, answers, counts, range(25))
    result = evaluation.results.corpora["mlm"]
    assert result.value == pytest.approx(metric.value(state), rel=1e-4)
    assert result.details == pytest.approx(metric.details(state))
    assert (result.n, result.averaged) == (25, False)


def test_pairs_of_sentences(world: World, model: Model, evaluation: Evaluation) -> None:
    sentences = [sentence for document in ROWS["nsp"] for sentence in document.texts]
    split = world.examples("nsp").split
    pairs = [split.pair(row) for row in range(len(split))]  # type: ignore[attr-defined]
    whole = [" ".join(sentences[slice(*part)]) for pair in pairs for part in (pair.a, pair.b)]
    found = model.predict("nsp", list(zip(whole[::2], whole[1::2], strict=True)))
    labels = [("next", "other").index(one.to_json()["label"]) for one in found]
    result = evaluation.results.corpora["nsp"]
    assert result.value == pytest.approx(np.mean([a == pair.label for a, pair in zip(labels, pairs, strict=True)]))
    assert (result.n, result.averaged) == (len(pairs), False)


def test_batches_do_not_matter(world: World, model: Model, evaluation: Evaluation) -> None:
    told: list[tuple[str, int, int]] = []
    for batch_size, max_tokens in ((1, 8192), (7, 60)):
        other = evaluate(model, str(world.folder), "valid", batch_size, max_tokens, lambda *one: told.append(one))
        for name, result in evaluation.results.corpora.items():
            assert other.results.corpora[name].value == pytest.approx(result.value, rel=1e-4), name
            assert other.results.corpora[name].n == result.n
    of_one = [(total, done) for name, total, done in told if name == "one"]
    assert of_one == [(total, done) for total in (25, of_one[-1][0]) for done in range(1, total + 1)]


@pytest.mark.parametrize("scale", ["normalised", "raw"])
def test_scores_beyond_the_range_are_not_tied(encoder: TextEncoder, tmp_path: Path, scale: str) -> None:
    """A clipped answer is what a person sees; correlations are those of the model's own numbers."""
    options = {"score": f"score_scale: {scale}, metric: spearman"}
    world = make_world(tmp_path / "bin", encoder, {"score": ROWS["score"]}, options)
    model = world.model()
    model.model.heads["score"].get_parameter("out_proj.weight").data *= 5
    found = evaluate(model, str(world.folder), "valid").results.corpora["score"]
    said = [answer.to_json() for answer in model.predict("score", [made.texts for made in ROWS["score"]])]
    assert {min(max(one["unclipped"], 0.0), 5.0) for one in said} == {one["score"] for one in said}
    assert sum(one["score"] in (0.0, 5.0) for one in said) > 5
    right = [made.answer for made in ROWS["score"]]
    free, clipped = (stats.spearmanr([one[key] for one in said], right).statistic for key in ("unclipped", "score"))
    assert found.value == pytest.approx(free, abs=1e-9) != pytest.approx(clipped, abs=1e-9)


def test_what_is_left_out(encoder: TextEncoder, tmp_path: Path) -> None:
    one = ROWS["one"]
    rows = {
        "one": {"valid": one},
        "pair": {"train": ROWS["pair"]},
        "score": {"train": ROWS["score"], "valid": [made._replace(answer=None) for made in ROWS["score"]]},
        "nsp": {"valid": [made._replace(texts=made.texts[:1]) for made in ROWS["nsp"]]},
        "wic": {"valid": ROWS["wic"]},
    }
    world = make_world(tmp_path / "bin", encoder, rows)
    labels = {name: labels for name, labels in world.bundle.labels.items() if name != "wic"}
    known = World(world.folder, type(world.bundle)(**{**vars(world.bundle), "labels": labels}))
    found = evaluate(known.model(), str(world.folder), "valid")
    assert list(found.results.corpora) == ["one"]
    assert found.left_out == {
        "wic": "not a corpus of the model",
        "pair": "no valid split",
        "score": "its valid split has no labels",
        "nsp": "its valid split has no two sentences in a row",
    }
    with pytest.raises(
        InputError, match=r"nothing to score \(wic: not a corpus of the model; one, pair, score, nsp: no test split\)"
    ):
        evaluate(known.model(), str(world.folder), "test")


def test_scoring_needs_the_original_texts(encoder: TextEncoder, tmp_path: Path) -> None:
    world = make_world(tmp_path / "bin", encoder, {"span": ROWS["span"]})
    (world.folder / "span" / "text" / "valid.jsonl").unlink()
    with pytest.raises(InputError, match=r"bin/span/text/valid.jsonl: no such file"):
        evaluate(world.model(), str(world.folder), "valid")
    with pytest.raises(InputError, match="bin/span: has no original texts"):
        evaluate(world.model(), str(world.folder), "valid", verify=False)


def test_a_corpus_that_the_folder_lacks(world: World, encoder: TextEncoder, tmp_path: Path) -> None:
    few = make_world(tmp_path / "bin", encoder, {name: ROWS[name] for name in ("one", "pair")})
    shutil.rmtree(few.folder / "one")
    for only in (None, ["pair", "one"]):
        with pytest.raises(InputError, match="bin: lacks one, which the model has; --only-corpora"):
            evaluate(few.model(), str(few.folder), "valid", only=only)
    with pytest.raises(InputError, match="the model has no corpus 'pairs'; did you mean 'pair'"):
        evaluate(few.model(), str(few.folder), "valid", only=["pairs"])
    for how in ({"only": ["pair"]}, {"allow_missing": True}):
        assert list(evaluate(few.model(), str(few.folder), "valid", **how).results.corpora) == ["pair"]  # type: ignore[arg-type]
