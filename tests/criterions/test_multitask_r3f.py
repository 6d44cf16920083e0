"""R3F: the divergence of every kind and variant against float64, the loss made of it, and what validation does."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import skill_plugin.register  # noqa: F401
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.criterions.multitask_cross_entropy import MultitaskCrossEntropy, MultitaskCrossEntropyConfig
from skill_plugin.criterions.multitask_r3f import MultitaskR3F, MultitaskR3FConfig
from skill_plugin.models.skill_encoder import SkillEncoderModel
from skill_plugin.models.skill_encoder_output import SkillEncoderOutput
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.objectives.draw_noise import draw_noise, noise_seed
from skill_plugin.spec.corpus import Corpus
from skill_plugin.tasks.multi_corpus_dataset import Drawn, MultiCorpusDataset
from skill_plugin.text.tokenizer_files import open_tokenizer
from skill_plugin.variants.catalogue import VARIANTS
from tests.every_kind import CORPORA, World, examples, make_world

NAMES = list(CORPORA)
SEED, UPDATE = 5, 13


@pytest.fixture(scope="module")
def world(word_piece_tokens: list[str], tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("data")
    (folder / "vocab.txt").write_text("\n".join(word_piece_tokens) + "\n", encoding="utf-8")
    rows = {name: examples(name, 8, words=20) for name in NAMES}
    made = make_world(folder / "bin", open_tokenizer(folder / "vocab.txt"), rows, skill_layers=None)
    return replace(made, bundle=replace(made.bundle, shape=replace(made.bundle.shape, width=64, inner=128)))


@pytest.fixture(scope="module")
def task(world: World) -> Any:
    return SimpleNamespace(
        names=NAMES,
        bundle=world.bundle,
        metrics=world.bundle.metrics(dict.fromkeys(NAMES, 8)),
        items=lambda corpus: world.items(NAMES[corpus]),
        label_weights=lambda corpus: None,
        cfg=SimpleNamespace(seed=SEED),
    )


def pack(world: World, planned: bool = True, names: list[str] = NAMES, rows: int = 8) -> dict[str, Any]:
    corpora = [(NAMES.index(name), world.examples(name, training=planned)) for name in names]
    data = MultiCorpusDataset(corpora, token_types=True, planned=planned)
    return data.collater([data[Drawn(int(first) + np.arange(rows))] for first in data.offsets[:-1]])


def encoder_of(
    world: World, variant: str = "skillnet_x_ffn_mha", dropout: float = 0.0, seed: int = 3
) -> SkillEncoderModel:
    """Embeddings of a pretrained model's size, and answers that differ from input to input."""
    shape = replace(world.bundle.shape, dropout=dropout, attention_dropout=dropout)
    torch.manual_seed(seed)
    model = build_model(replace(world.bundle, variant=variant, shape=shape), dropout)
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.05 if "embeddings" in name else 1 / parameter.shape[1] ** 0.5)
    return SkillEncoderModel(model, shape.positions).train()


def r3f(task: Any, **options: Any) -> MultitaskR3F:
    return MultitaskR3F(MultitaskR3FConfig(**options), task)


@contextlib.contextmanager
def noise_on(model: nn.Module, noise: Tensor) -> Iterator[None]:
    """Adds it to what the first normalisation reads: the sum of all embeddings."""
    hook = model.get_submodule("model.encoder.embeddings.norm").register_forward_pre_hook(lambda _, x: (x[0] + noise,))
    yield
    hook.remove()


def two_passes(model: SkillEncoderModel, sample: Mapping[str, Any], noise: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Answers of a pass without and a pass with noise.

    Raises:
        Swapped: some token goes to other experts, which no pass of one pack does.
    """
    batch = PackedBatch(**sample["net_input"])
    clean = model.model(batch)
    with noise_on(model, noise):
        noisy = model.model(batch)
    if not all(torch.equal(a.experts, b.experts) for a, b in zip(clean.routings, noisy.routings, strict=True)):
        raise Swapped
    return clean.answers, noisy.answers


class Swapped(Exception):
    """Noise has sent a token to another expert."""


def kl(p: Tensor, q: Tensor) -> Tensor:
    """KL(p || q) + KL(q || p) of logits [..., C], as the sum of both."""
    p, q = p.log_softmax(-1), q.log_softmax(-1)
    return (p.exp() * (p - q)).sum(-1) + (q.exp() * (q - p)).sum(-1)


def direct(corpus: Corpus, clean: Tensor, noisy: Tensor, target: Mapping[str, Tensor]) -> Tensor:
    """The divergence of every unit that has a loss, kind by kind."""
    kind = corpus.kind
    if kind == "multilabel":
        p, q = (torch.stack([one, torch.zeros_like(one)], -1) for one in (clean, noisy))
        return kl(p, q).mean(1)
    if kind == "regression":
        return 2 * (clean - noisy).square().flatten()
    if kind == "labelling":
        return kl(clean, noisy)[target["classes"] >= 0]  # others have tags that train lacks
    if kind not in ("ranking", "span"):
        return kl(clean, noisy)
    sizes = target["sizes"].tolist()
    runs = list(zip(clean.split(sizes), noisy.split(sizes), strict=True))
    if kind == "span":
        return torch.stack([kl(p.T, q.T).mean() for p, q in runs])
    if corpus.option("loss") in ("pointwise", "graded"):
        return torch.stack([kl(p, q).mean() for p, q in runs])
    relevant = [bool(part.any()) for part in target["relevance"].split(sizes)]
    return torch.stack([kl(p[:, 0], q[:, 0]) for (p, q), kept in zip(runs, relevant, strict=True) if kept])


def compared(world: World, variant: str, sample: dict[str, Any], noise: Tensor) -> tuple[SkillEncoderModel, Tensor]:
    """A model, and the mean divergence of each of the sample's segments in float64."""
    for seed in range(20):
        model = encoder_of(world, variant, seed=seed)
        with torch.no_grad(), contextlib.suppress(Swapped):
            both = two_passes(copy.deepcopy(model).double(), sample, noise.double())
            means = []
            for number, clean, noisy, target in zip(sample["corpora"], *both, sample["targets"], strict=True):
                corpus = world.bundle.corpus(NAMES[number])
                means.append(direct(corpus, clean, noisy, target).mean())
            return model, torch.stack(means)
    raise Swapped


def noise_of(sample: dict[str, Any], kind: str = "uniform", sigma: float = 1e-5) -> Tensor:
    seed = noise_seed(SEED, UPDATE, sample["id"].tolist())
    return draw_noise(kind, sigma, (sample["ntokens"], 64), seed, torch.device("cpu"))


@pytest.mark.parametrize("noise", ["uniform", "normal"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_divergence_is_that_of_float64(variant: str, noise: str, world: World, task: Any) -> None:
    """Every kind, with dropout 0, within 1 %."""
    sample = pack(world)
    model, expected = compared(world, variant, sample, noise_of(sample, noise))
    _, _, log = r3f(task, r3f_noise=noise)(model, {**sample, "update": UPDATE})
    order = torch.tensor(sample["corpora"])
    assert sorted(sample["corpora"]) == list(range(len(NAMES)))
    assert (expected > 1e-12).all()
    torch.testing.assert_close(log["corpus_kl"][order].double(), expected, rtol=0.01, atol=0)


MODES = {
    "autocast bf16": (torch.float32, torch.bfloat16, 0.35),
    "bf16": (torch.bfloat16, None, 0.35),
    "autocast fp16": (torch.float32, torch.float16, 0.1),
    "fp16": (torch.float16, None, 0.1),
}


@pytest.mark.parametrize(
    ("variant", "mode"),  # each variant and each mode, not all of them together
    [(variant, mode) for number, variant in enumerate(VARIANTS) for mode in list(MODES)[number % 2 :: 2]],
)
def test_half_precision_has_the_right_size(variant: str, mode: str, world: World, task: Any) -> None:
    """The mean over the corpora of its logarithm is right; that of rounding is hundreds of times as large in bf16."""
    weights, autocast, tolerance = MODES[mode]
    sample = pack(world)
    model, expected = compared(world, variant, sample, noise_of(sample))
    model.to(weights)
    with torch.autocast("cpu", autocast, enabled=autocast is not None):
        loss, _, log = r3f(task)(model, {**sample, "update": UPDATE})
    assert loss.isfinite()
    ratios = log["corpus_kl"][torch.tensor(sample["corpora"])].double() / expected
    assert float(ratios.log().mean().abs()) < math.log(1 + tolerance), ratios
    assert float(ratios.min()) > 0.2 and float(ratios.max()) < 5, ratios


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_noise_there_is_no_divergence(variant: str, world: World, task: Any) -> None:
    """The loss is then that of cross-entropy, also with dropout, to the last bit."""
    sample, model = pack(world), encoder_of(world, variant, dropout=0.1)
    losses = []
    for criterion in (
        r3f(task, r3f_sigma=0.0),
        MultitaskCrossEntropy(MultitaskCrossEntropyConfig(), task),
    ):
        torch.manual_seed(0)
        loss, _, log = criterion(model, {**sample, "update": UPDATE})
        losses.append(float(loss.detach()))
        assert not log.get("corpus_kl", torch.zeros(1)).any()
    assert losses[0] == losses[1]


def test_with_dropout_the_divergence_is_still_that_of_the_noise(world: World, task: Any) -> None:
    """Independent masks would make it 10^5 times as large."""
    sample, model = pack(world), encoder_of(world)
    _, _, without = r3f(task)(model, {**sample, "update": UPDATE})
    _, _, with_dropout = r3f(task)(encoder_of(world, dropout=0.1), {**sample, "update": UPDATE})
    ratio = with_dropout["corpus_kl"] / without["corpus_kl"]
    assert (ratio < 20).all() and (ratio > 0.05).all()


@pytest.mark.parametrize("sigma", [0.0, 1e-5])
def test_with_independent_dropout_it_is_that_of_two_passes(sigma: float, world: World, task: Any) -> None:
    """Each of them drops elements of its own, as in R3F's published code; their mean divergences are compared."""
    sample, model = pack(world), encoder_of(world, "dense", dropout=0.05)
    criterion, draws = r3f(task, r3f_sigma=sigma, r3f_dropout="independent"), 24
    noise = noise_of(sample, sigma=sigma)
    order = torch.tensor(sample["corpora"])
    ours, theirs = torch.zeros(draws, len(NAMES)), torch.zeros(draws, len(NAMES))
    torch.manual_seed(0)
    with torch.no_grad():
        for draw in range(draws):
            ours[draw] = criterion(model, {**sample, "update": UPDATE})[2]["corpus_kl"][order]
            both = two_passes(model, sample, noise)
            for at, (number, p, q, target) in enumerate(zip(sample["corpora"], *both, sample["targets"], strict=True)):
                corpus = world.bundle.corpus(NAMES[number])
                theirs[draw, at] = direct(corpus, p, q, target).mean()
    ratios = ours.mean(0) / theirs.mean(0)
    assert (ratios > 0.5).all() and (ratios < 2).all(), ratios
    assert float(ratios.log().mean().abs()) < 0.15, ratios
    assert float(ours.mean()) > 1e3 * float(r3f(task)(model, {**sample, "update": UPDATE})[2]["corpus_kl"].mean())


@pytest.mark.parametrize("scaling", ["none", "log-classes"])
def test_the_loss_and_its_gradients_are_those_of_two_passes(scaling: str, world: World, task: Any) -> None:
    """(L_i + lambda KL_S) / log n(i) of every unit, with noise large enough to be seen beside L_i."""
    sigma, weight = 0.05, 2.0
    sample, ours = pack(world), encoder_of(world)
    theirs = copy.deepcopy(ours)
    criterion = r3f(task, r3f_sigma=sigma, r3f_lambda=weight, loss_scaling=scaling)
    loss, size, log = criterion(ours, {**sample, "update": UPDATE})
    loss.backward()

    clean, noisy = two_passes(theirs, sample, noise_of(sample, sigma=sigma))
    plain = MultitaskCrossEntropy(MultitaskCrossEntropyConfig(loss_scaling=scaling), task)
    losses = plain.losses(sample, SkillEncoderOutput(clean))
    expected, plain_size, plain_log = plain.score(sample, SkillEncoderOutput(clean), losses, losses)
    for number, p, q, target in zip(sample["corpora"], clean, noisy, sample["targets"], strict=True):
        corpus = world.bundle.corpus(NAMES[number])
        divergences = direct(corpus, p, q, target)
        expected = expected + weight * (divergences / log_classes(corpus, p, target, scaling)).mean()
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=1e-5)
    expected.backward()
    for name, parameter in ours.named_parameters():
        reference = theirs.get_parameter(name).grad
        assert (parameter.grad is None) == (reference is None), name
        if reference is not None:
            torch.testing.assert_close(parameter.grad, reference, rtol=1e-3, atol=1e-4, msg=name)
    # what is logged of the corpora is the pass without noise
    assert size == plain_size == len(NAMES)
    torch.testing.assert_close(log["corpus_loss"], plain_log["corpus_loss"])
    assert torch.equal(log["corpus_segments"], plain_log["corpus_segments"])
    assert (log["nsentences"], log["ntokens"]) == (sample["nsentences"], sample["ntokens"])
    assert log["loss"] > plain_log["loss"]


def test_weights_of_labels_are_of_the_losses_and_not_of_the_divergence(world: World, task: Any) -> None:
    sample, model = pack(world), encoder_of(world)
    weights = {NAMES.index(name): torch.rand(len(world.bundle.labels[name])) * 3 for name in ("one", "tags")}
    weighted = SimpleNamespace(**{**vars(task), "label_weights": weights.get})
    values = [
        kind({**options, "label_smoothing": 0.1}, one)(model, {**sample, "update": UPDATE})[0]
        for one in (task, weighted)
        for kind, options in (
            (lambda options, one: r3f(one, **options), {"r3f_sigma": 0.05, "r3f_lambda": 2.0}),
            (lambda options, one: MultitaskCrossEntropy(MultitaskCrossEntropyConfig(**options), one), {}),
        )
    ]
    assert values[3] != values[1]
    torch.testing.assert_close(values[2] - values[0], values[3] - values[1], rtol=1e-4, atol=1e-4)


def log_classes(corpus: Any, outputs: Tensor, target: Mapping[str, Tensor], scaling: str) -> Any:
    """What the thesis's loss scaling divides by."""
    if scaling == "none" or corpus.kind in ("regression", "span"):
        return 1.0
    if corpus.kind == "ranking" and corpus.option("loss") == "listwise":
        sizes = target["sizes"]
        kept = torch.tensor([bool(part.any()) for part in target["relevance"].split(sizes.tolist())])
        return sizes[kept].float().log().where(sizes[kept] > 1, 1.0)
    return math.log(2 if corpus.kind in ("multilabel", "next_sentence") else outputs.shape[1])


def test_validation_is_that_of_cross_entropy(world: World, task: Any) -> None:
    sample, model = pack(world, planned=False), encoder_of(world, dropout=0.1).eval()
    with torch.no_grad():
        ours = r3f(task, r3f_sigma=1.0).eval()(model, sample)
        plain = MultitaskCrossEntropy(MultitaskCrossEntropyConfig(), task).eval()(model, sample)
    assert ours[1] == plain[1]
    assert ours[2].keys() == plain[2].keys() >= {"metric_state"}
    for key, value in plain[2].items():
        assert np.array_equal(np.asarray(ours[2][key]), np.asarray(value)), key


def test_the_balance_of_experts_is_still_added(world: World, task: Any) -> None:
    sample, model = pack(world), encoder_of(world, "mt_tag")
    plain, size, _ = r3f(task)(model, {**sample, "update": UPDATE})
    model.balance_weight = 0.01
    loss, _, log = r3f(task)(model, {**sample, "update": UPDATE})
    assert 0.02 * size <= float(log["balance_loss"]) < 0.08 * size  # 1 (even) to 4 in each of two layers
    torch.testing.assert_close(loss, plain + log["balance_loss"])


def test_noise_follows_the_update_and_the_examples(world: World, task: Any) -> None:
    sample, model = pack(world, names=["one"]), encoder_of(world)
    criterion = r3f(task)

    def divergence(update: int, sample: dict[str, Any] = sample) -> float:
        return float(criterion(model, {**sample, "update": update})[2]["corpus_kl"].sum())

    assert divergence(3) == divergence(3) != divergence(4)
    assert divergence(3) != divergence(3, {**sample, "id": sample["id"] + 1})


def test_the_pack_is_left_as_it_was(world: World, task: Any) -> None:
    sample = pack(world)
    before = copy.deepcopy(sample["net_input"])
    r3f(task)(encoder_of(world), {**sample, "update": UPDATE})
    assert sample["net_input"].keys() == before.keys()
    assert torch.equal(PackedBatch(**sample["net_input"]).tokens, before["tokens"])


def test_batches_of_several_draws_averaged_by_example(world: World, task: Any) -> None:
    """Two segments of one corpus beside others: each example adds its own mean of (L_i + lambda KL_S)."""
    sigma, weight, names = 0.05, 2.0, ["one", "tags", "one"]
    corpora = [(NAMES.index(name), world.examples(name, training=True)) for name in names[:2]]
    data = MultiCorpusDataset(corpora, token_types=True, planned=True)
    draws = [data[Drawn(one)] for one in (np.arange(3), data.offsets[1] + np.arange(4), np.arange(3, 8))]
    sample, model = data.collater(draws), encoder_of(world, "ca_mtl")
    criterion = r3f(task, r3f_sigma=sigma, r3f_lambda=weight, loss_average="example")
    loss, size, log = criterion(model, {**sample, "update": UPDATE})
    clean, noisy = two_passes(model, sample, noise_of(sample, sigma=sigma))
    expected = torch.zeros(())
    for p, q, target, units in zip(clean, noisy, sample["targets"], sample["units"], strict=True):
        losses = torch.nn.functional.cross_entropy(p, target["classes"], reduction="none") + weight * kl(p, q)
        known = (target["classes"] >= 0).split(units)
        means = [part[which].mean() for part, which in zip(losses.split(units), known, strict=True) if which.any()]
        expected = expected + torch.stack(means).sum()
    assert size == 3 + 4 + 5
    torch.testing.assert_close(loss, expected, rtol=1e-5, atol=1e-5)
    assert log["corpus_segments"].tolist() == [names.count(name) for name in NAMES]
