"""Adapters in whole runs: the base stays as it is, bit by bit, and an adapter goes from run to base by its file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from skill_plugin import load
from skill_plugin.checkpoints.adapter_file import put_on_base, read_adapter
from skill_plugin.checkpoints.base_fingerprint import base_fingerprint
from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.checkpoint import read_checkpoint
from skill_plugin.checkpoints.initial_weights import read_initial_weights
from skill_plugin.errors import InputError
from skill_plugin.pretrained.encoder_file import EncoderFile, EncoderFileConfig, save_encoder_file
from skill_plugin.variants.build_encoder import build_encoder
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.parameter_names import group_of, is_base
from skill_plugin.variants.slots import Inventory

pytestmark = pytest.mark.slow
ADAPTERS = ("--lora-rank", 4, "--lora-targets", "all", "--lr", 0.01)
PAIRS = [("A man sleeps.", "He is awake."), ("Ein Mann isst.", ""), ("我 爱 你", "a" * 300)]
TEXTS = ["The film was great.", "Das Buch war schrecklich.", "", "很 好"]


@pytest.fixture(scope="module")
def adapted(trained: Any, train: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """A run that adapts the joint model to one corpus, by corpus."""
    runs: dict[str, Any] = {}

    def run(corpus: str) -> Any:
        if corpus not in runs:
            folder, base = tmp_path_factory.mktemp(corpus), trained.folder / "checkpoint_last.pt"
            runs[corpus] = train(folder, "--init-from", base, "--only-corpora", corpus, *ADAPTERS, "--max-epoch", 2)
        return runs[corpus]

    return run


def weights(run: Any, name: str = "checkpoint_last.pt") -> dict[str, torch.Tensor]:
    return {key.removeprefix("model."): tensor for key, tensor in run.checkpoint(name)["model"].items()}


def probabilities(model: Any, corpus: str) -> torch.Tensor:
    answers = model.predict(corpus, PAIRS if corpus.startswith("nli") else TEXTS)
    return torch.tensor([list(answer.probabilities.values()) for answer in answers])


def test_the_base_stays_and_the_rest_trains(trained: Any, adapted: Callable[[str], Any]) -> None:
    run = adapted("nli-de")
    base, after = weights(trained), weights(run)
    unchanged = {name for name in after if name in base and torch.equal(after[name], base[name])}
    assert unchanged == {name for name in after if is_base(name)}
    fresh = {name for name in after if name not in base}
    assert fresh == {name for name in after if group_of(name) == "adapters"}
    active = {name for name in fresh if name.endswith("lora_b") and after[name].any()}
    assert any("languages.de.qkv" in name for name in active) and not any(".languages.en." in name for name in active)
    assert {name.split(".")[-2] for name in active} == {"qkv", "output", "fc1", "fc2"}
    # parameters of the optimizer: those that train and no other
    groups = run.checkpoint()["last_optimizer_state"]["param_groups"]
    assert len(groups[0]["params"]) == len(after) - len(unchanged)
    assert "adapters: 34 beside" in run.output and "at the start they add 0" in run.output
    assert float(run.log("valid_avg")[-1]["valid_avg"]) >= 0


def test_several_adapters_on_one_base(
    trained: Any, adapted: Callable[[str], Any], command: Callable[..., Any], made: Any, tmp_path: Path
) -> None:
    base = trained.folder / "checkpoint_last.pt"
    before = base.read_bytes()
    for corpus in ("nli-de", "reviews-zh"):
        whole, file = adapted(corpus).folder / "checkpoint_last.pt", tmp_path / f"{corpus}.pt"
        status, out, err = command("adapter", "extract", whole, file)
        assert status == 0, err
        assert f"rank 4 beside query, key, value, output, fc1, fc2, for {corpus}" in out
        assert set(torch.load(file, weights_only=True)) == {"format", "version", "bundle", "text", "model", "shares"}
        assert not any(is_base(name) for name in read_adapter(file).state)
        assert file.stat().st_size < base.stat().st_size / 5
    for corpus in ("nli-de", "reviews-zh"):
        whole, file = adapted(corpus).folder / "checkpoint_last.pt", tmp_path / f"{corpus}.pt"
        put_on = load(str(base), adapter=str(file))
        assert put_on.corpora == [corpus]
        shares = load(str(whole)).shares
        assert shares is not None and put_on.shares is not None and put_on.shares.run() == shares.run()
        expected = probabilities(load(str(whole)), corpus)
        assert torch.equal(probabilities(put_on, corpus), expected)
        assert not torch.equal(probabilities(load(str(base)), corpus), expected)
        for merge in (
            ("adapter", "merge", base, file, tmp_path / "m.pt"),
            ("adapter", "merge", whole, tmp_path / "m.pt"),
        ):
            status, _, err = command(*merge)
            assert status == 0, err
            merged = load(str(tmp_path / "m.pt"))
            assert merged.shares is not None and merged.shares.run() == shares.run()
            torch.testing.assert_close(probabilities(merged, corpus), expected, atol=1e-5, rtol=1e-5)
            assert not any(group_of(name) == "adapters" for name in merged.model.state_dict())
            assert merged.bundle.origin is not None
            assert merged.bundle.origin.lines[-1] == "adapters: merged into what they adapted since"
    (tmp_path / "in.txt").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    answers = []
    for options in ((adapted("nli-de").folder / "checkpoint_last.pt",), (base, "--adapter", tmp_path / "nli-de.pt")):
        status, out, err = command("predict", *options, "--corpus", "nli-de", tmp_path / "in.txt")
        assert status == 0, err
        answers.append(out)
    assert answers[0] == answers[1] and len(answers[0].splitlines()) == len(PAIRS)
    options = ("--adapter", tmp_path / "nli-de.pt", "--json", tmp_path / "r.json")
    status, out, err = command("evaluate", base, made.data, *options)
    assert status == 0, err
    logged = float(adapted("nli-de").log("valid_avg")[-1]["valid_nli-de_accuracy"])
    assert json.loads((tmp_path / "r.json").read_text())["corpora"]["nli-de"]["value"] == pytest.approx(
        logged, abs=1e-6
    )
    assert base.read_bytes() == before


def test_another_base_is_refused(
    trained: Any, adapted: Callable[[str], Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    file, base = tmp_path / "adapter.pt", trained.folder / "checkpoint_last.pt"
    command("adapter", "extract", adapted("nli-de").folder / "checkpoint_last.pt", file)
    other = adapted("reviews-zh").folder / "checkpoint_last.pt"  # whose base is the adapter's, but with another merged
    status, _, err = command("predict", other, "--adapter", file, "--corpus", "nli-de", "-")
    assert status == 1
    assert f"{other}: not the base of {file}: its weights are not those that the adapter was trained beside" in err
    for arguments, message in (
        (("adapter", "extract", base, tmp_path / "x.pt"), "has no adapter: trained without --lora-rank, or merged"),
        (("adapter", "merge", base, tmp_path / "x.pt"), "has no adapter"),
        (
            ("adapter", "merge", base, base, tmp_path / "x.pt"),
            "not an adapter: `skill-plugin adapter extract` writes one",
        ),
        (("adapter", "merge", tmp_path / "none.pt", file, tmp_path / "x.pt"), "none.pt: no such file"),
        (("adapter", "merge", file, file, tmp_path / "x.pt"), "neither an imported encoder nor"),
        (
            ("adapter", "extract", adapted("nli-de").folder / "checkpoint_last.pt", tmp_path / "no" / "x.pt"),
            "cannot be",
        ),
        (("describe", file), "an adapter: name its base, and this file with --adapter"),
    ):
        status, _, err = command(*arguments)
        assert status == 1 and message in err and len(err.strip().splitlines()) == 1, err
        assert not (tmp_path / "x.pt").exists()
    assert command("adapter", "merge", base)[0] == 2
    with pytest.raises(
        InputError, match=r"adapter.pt was trained with: `skill-plugin adapter extract --with-tokenizer`"
    ):
        put_on_base(file, _plain_encoder(trained, tmp_path / "encoder.pt", other_text=True))


def test_a_run_that_starts_from_adapters_starts_from_them_merged(adapted: Callable[[str], Any]) -> None:
    file = adapted("nli-de").folder / "checkpoint_last.pt"
    initial, trained = read_initial_weights(str(file)), read_checkpoint(file)
    assert initial.state.keys() == {name for name in trained.state if group_of(name) != "adapters"}
    changed = {name for name in initial.state if not torch.equal(initial.state[name], trained.state[name])}
    assert {name.rsplit(".", 1)[1] for name in changed} == {"weight"}
    assert {name.split(".")[-2] for name in changed} == {"qkv", "output", "fc1", "fc2"}


def test_stop_and_resume(
    trained: Any, train: Callable[..., Any], train_here: Callable[..., None], tmp_path: Path
) -> None:
    base = trained.folder / "checkpoint_last.pt"
    options = ("--init-from", base, "--only-corpora", "nli-de,reviews-zh", "--save-interval-updates", 4, *ADAPTERS)
    whole = train(tmp_path / "whole", *options, "--max-update", 14)
    train(tmp_path / "stopped", *options, "--max-update", 7)
    resumed = train(tmp_path / "stopped", *options, "--max-update", 14)

    def losses(run: Any) -> dict[int, str]:
        return {int(e["num_updates"]): e["loss"] for e in run.log("num_updates") if "loss" in e and "ups" in e}

    assert min(losses(resumed)) == 8
    assert losses(resumed) == {update: loss for update, loss in losses(whole).items() if update > 7}
    first, second = weights(whole), weights(resumed)
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    other = tmp_path / "stopped" / "checkpoint_last.pt"
    for more, message in (
        (
            ("--lora-rank", 2),
            "cannot resume: the checkpoint has 50 adapters of rank 4, the model now 50 adapters of rank 2",
        ),
        (("--lora-rank", 0, "--lora-targets", ""), "the model now no adapters"),
        (("--lora-alpha", 8), "LoRA were 4 4.0 0.1 query,key,value,output,fc1,fc2, now 4 8.0 0.1"),
        (("--init-from", other), "cannot resume: --init-from is not the base that the adapters were trained beside"),
    ):
        with pytest.raises(InputError, match=message):
            train_here(tmp_path / "stopped", *options, *more, "--max-update", 16)


TWO = ("--distributed-world-size", 2, "--distributed-backend", "gloo")
MODES = {
    "bf16": ("--autocast", "bf16"),
    "fp16": ("--fp16", "--fp16-no-flatten-grads", "--fp16-init-scale", 4),
    "memory-efficient-fp16": ("--memory-efficient-fp16", "--fp16-init-scale", 4),
    "legacy_ddp": ("--ddp-backend", "legacy_ddp", *TWO),
}


@pytest.mark.parametrize("mode", [pytest.param(m, marks=pytest.mark.long if "fp16" in m else ()) for m in MODES])
def test_modes(mode: str, trained: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    base = trained.folder / "checkpoint_last.pt"
    options = ("--init-from", base, *ADAPTERS, "--weight-decay", 0.1, "--max-update", 6, "--disable-validation")
    run = train(tmp_path, *options, *MODES[mode])
    before, after = weights(trained), weights(run)
    for name, tensor in after.items():
        assert tensor.isfinite().all(), name
        if is_base(name):  # rounded once where the whole model is in half precision
            expected = before[name].half() if "fp16" in mode else before[name]
            assert torch.equal(tensor.float(), expected.float()), name
    assert any(tensor.any() for name, tensor in after.items() if name.endswith("lora_b"))
    losses = [float(entry["loss"]) for entry in run.log("num_updates") if "loss" in entry]
    assert losses and max(losses) < 10
    bundle = Bundle.from_state(run.checkpoint()["task_state"]["bundle"])
    model = build_model(bundle)
    model.load_state_dict({name: tensor for name, tensor in before.items() if is_base(name)}, strict=False)
    assert bundle.base == base_fingerprint(model)  # that of the base in float32, whatever the run computed in


def test_two_ranks_are_one_with_update_freq_2(trained: Any, train: Callable[..., Any], tmp_path: Path) -> None:
    still = ("--dropout", 0, "--attention-dropout", 0, "--head-dropout", 0, "--lora-dropout", 0, "--clip-norm", 0)
    options = (
        "--init-from",
        trained.folder / "checkpoint_last.pt",
        *ADAPTERS,
        *still,
        "--optimizer",
        "sgd",
        "--lr",
        0.5,
    )
    one = train(tmp_path / "one", *options, "--max-update", 4, "--update-freq", 2)
    two = train(tmp_path / "two", *options, "--max-update", 4, *TWO)
    expected = weights(one)
    for name, tensor in weights(two).items():
        torch.testing.assert_close(tensor, expected[name], atol=1e-6, rtol=1e-5, msg=name)


def _plain_encoder(trained: Any, path: Path, other_text: bool = False) -> Path:
    """A pretrained encoder's file with the tokenizer of the made corpora, or with the words of another one."""
    bundle = read_checkpoint(trained.folder / "checkpoint_last.pt").bundle
    shape: EncoderShape = bundle.shape
    torch.manual_seed(5)
    encoder = build_encoder("dense", shape, Inventory((), ()))
    sizes = (shape.layers, shape.width, shape.heads, shape.inner, shape.vocabulary, shape.positions, shape.token_types)
    text = bundle.text_encoder
    if other_text:
        state = text.to_state()
        text = type(text).from_state({**state, "separators": 3 - state["separators"]})
    config = EncoderFileConfig(*sizes, shape.layer_norm_eps, "made")
    save_encoder_file(EncoderFile(config, text, dict(encoder.state_dict())), path)
    return path


def test_beside_a_plain_encoder(
    trained: Any, train: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    """Experts are copies of the pretrained layers; the adapter of each goes back onto its copy."""
    encoder = _plain_encoder(trained, tmp_path / "encoder.pt")
    options = ("--init-from", encoder, "--only-corpora", "nli-de,reviews-zh", *ADAPTERS, "--max-epoch", 1)
    run = train(tmp_path / "run", *options, arch="mt_tag_tiny")
    file = tmp_path / "adapter.pt"
    assert command("adapter", "extract", run.folder / "checkpoint_last.pt", file)[0] == 0
    whole, put_on = load(str(run.folder / "checkpoint_last.pt")), load(str(encoder), adapter=str(file))
    for corpus in ("nli-de", "reviews-zh"):
        assert torch.equal(probabilities(whole, corpus), probabilities(put_on, corpus))
    groups = {group_of(name) for name in read_adapter(file).state}
    assert groups == {"adapters", "heads", "gates"}
    status, out, err = command("describe", run.folder / "checkpoint_last.pt", "--json")
    assert status == 0, err
    described = json.loads(out)
    assert described["parameters"]["adapters"] > 0
    trainable = {corpus["trainable"] for corpus in described["corpora"].values()}
    assert max(trainable) < described["parameters"]["encoder"] / 3


def test_what_does_not_fit_is_refused(
    train_here: Callable[..., None], trained: Any, made: Any, command: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="--lora-rank 4: goes with --init-from"):
        train_here(tmp_path, *ADAPTERS)
    with pytest.raises(InputError, match=r"--lora-alpha 3\.0: goes with --lora-rank, which is 0"):
        train_here(tmp_path, "--lora-alpha", 3)
    options = ("--corpora", made.corpora, "--lora-rank", 4, "--lora-targets", "qkv")
    status, out, err = command("describe", "dense_tiny", *options, "--json")
    assert status == 0, err
    assert json.loads(out)["parameters"]["adapters"] == 2 * 3 * 4 * (64 + 64)
    assert command("describe", trained.folder / "checkpoint_last.pt", "--lora-rank", 4)[0] == 2
