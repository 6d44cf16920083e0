"""New corpora start from gates and heads of a trained checkpoint; corpora that it knows go on with their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.initial_weights import InitialWeights
from skill_plugin.checkpoints.initialise_from import initialise_from
from skill_plugin.checkpoints.reuse import find_head_misfit, find_reuse
from skill_plugin.errors import InputError
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.text.template import Template
from skill_plugin.text.text_encoder import TextEncoder
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.conditional_options import ConditionalOptions
from skill_plugin.variants.encoder_shape import EncoderShape
from skill_plugin.variants.expert_options import ExpertOptions
from skill_plugin.variants.t5_shape import T5_SIZES, T5Shape

LABELS = {"mnli": ("yes", "no", "maybe"), "rte": ("yes", "no"), "qnli": ("yes", "no")}


def section(name: str, labels: tuple[str, ...], *more: str) -> str:
    lines = ["kind: classification", "language: en", f"labels: {list(labels)}"]
    lines += ["format: tsv", "columns: {text_a: a, label: l}", "train: train.tsv", *more]
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in lines)


def bundle(*sections: str, variant: str = "mt_tag", **more: Any) -> Bundle:
    text = "languages: [en]\ncorpora:\n" + "".join(sections)
    corpora = parse_corpora_file(text, "corpora.yaml").corpora
    return Bundle(
        variant=variant,
        shape=EncoderShape(2, 16, 2, 32, vocabulary=6, positions=40),
        skill_layers=None,
        corpora_text=text,
        corpora_path="corpora.yaml",
        labels={name: corpus.labels or () for name, corpus in corpora.items()},
        facts={name: {} for name in corpora},
        max_length=30,
        text=TextEncoder(None, Vocabulary.from_pieces(["a"]), Template(2, token_types=False)).to_state(),
        **more,
        experts=ExpertOptions(number=3, layers=(1,)) if variant == "mt_tag" else ExpertOptions(),
    )


KNOWN = [section(name, labels) for name, labels in LABELS.items()]
TRAINED = bundle(*KNOWN, "  rte-sw: {as: rte, language: en, test: x.tsv}\n")


def start(new: Bundle) -> tuple[MultitaskModel, dict[str, torch.Tensor], list[str]]:
    """A new model, the checkpoint's weights, and the report."""
    torch.manual_seed(0)
    state = build_model(TRAINED).state_dict()
    model = build_model(new)
    initial = InitialWeights("trained.pt", TRAINED.shape, None, state, TRAINED)
    return model, state, initialise_from(model, initial, find_reuse(new, TRAINED, "trained.pt")).lines


GATE = "encoder.layers.1.feed_forward.gates.{}.weight"


def test_a_new_gate_starts_from_the_named_one_and_the_head_too() -> None:
    model, state, lines = start(bundle(section("scitail", ("yes", "no"), "gate_from: mnli", "head_from: rte-sw")))
    new = model.state_dict()
    assert torch.equal(new[GATE.format("scitail")], state[GATE.format("mnli")])
    for part in ("dense.weight", "dense.bias", "out_proj.weight", "out_proj.bias"):
        assert torch.equal(new[f"heads.scitail.{part}"], state[f"heads.rte.{part}"])
    assert "gates: scitail starts from mnli" in lines
    assert "heads: scitail starts from rte" in lines
    assert "fresh: nothing" in lines


def test_several_are_averaged() -> None:
    model, state, lines = start(bundle(section("new", ("yes", "no"), "gate_from: [mnli, rte]")))
    mean = (state[GATE.format("mnli")] + state[GATE.format("rte")]) / 2
    torch.testing.assert_close(model.state_dict()[GATE.format("new")], mean)
    assert "gates: new starts from the mean of mnli, rte" in lines
    assert "fresh: heads.new" in lines


@pytest.mark.parametrize("more", [(), ("gate_from: random", "head_from: random")])
def test_random_is_the_default(more: tuple[str, ...]) -> None:
    _, _, lines = start(bundle(section("new", ("yes", "no"), *more)))
    assert "fresh: encoder.feed_forward.gates.new, heads.new" in lines


def test_a_known_corpus_goes_on_with_its_own() -> None:
    model, state, lines = start(bundle(section("rte", ("yes", "no"), "gate_from: mnli", "head_from: nobody")))
    assert torch.equal(model.state_dict()[GATE.format("rte")], state[GATE.format("rte")])
    assert torch.equal(model.state_dict()["heads.rte.dense.bias"], state["heads.rte.dense.bias"])
    assert not any("starts from" in line for line in lines)


def test_what_does_not_fit_is_named_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        start(bundle(section("new", ("yes", "no"), "gate_from: mnl")))
    assert str(caught.value) == (
        "corpora.yaml:10: corpus 'new': gate_from: trained.pt has no corpus 'mnl'; did you mean 'mnli'?"
    )
    with pytest.raises(InputError, match=r"corpora.yaml:10: .* 'mnli' with the labels yes, no, maybe; expected those"):
        start(bundle(section("new", ("yes", "no"), "head_from: mnli")))
    text = section("new", (), "head_from: rte").replace("classification", "regression").replace("    labels: []\n", "")
    with pytest.raises(InputError, match=r"corpora.yaml:9: .* 'rte' as classification"):
        start(bundle(text.replace("label: l", "score: l")))


def test_a_linear_head_is_no_dense_one() -> None:
    linear = replace(TRAINED, linear_heads=True)
    assert find_head_misfit(TRAINED, "rte", TRAINED, "rte") is None
    assert find_head_misfit(linear, "rte", TRAINED, "rte") == "'rte' with a head with a dense map; see --head"
    assert find_head_misfit(TRAINED, "rte", linear, "rte") == "'rte' with a head of one linear map; see --head"


def test_a_head_of_another_scale_does_not_fit() -> None:
    """An output of 0 is the middle of a normalised range, and 0 of a raw one."""
    rest = "language: en, skills: [s], format: tsv, columns: {text_a: a, score: s}, train: t"
    text = "languages: [en]\nskills: {s: x}\ncorpora:\n"
    text += f"  a: {{kind: regression, {rest}}}\n  b: {{kind: regression, score_scale: raw, {rest}}}\n"
    both = replace(TRAINED, corpora_text=text, labels={"a": (), "b": ()}, facts={"a": {}, "b": {}})
    assert find_head_misfit(both, "a", both, "a") is None
    assert find_head_misfit(both, "a", both, "b") == "'b' with the score_scale raw; expected that of 'a': normalised"


def test_a_head_of_another_loss_or_of_other_grades_does_not_fit() -> None:
    rest = "language: en, format: tsv, columns: {text_a: q, text_b: c, label: l}, train: t"
    options = {"a": "loss: listwise", "b": "loss: graded", "c": "loss: graded", "d": "loss: graded, grades: 5"}
    text = "languages: [en]\ncorpora:\n"
    text += "".join(f"  {name}: {{kind: ranking, {option}, {rest}}}\n" for name, option in options.items())
    facts: dict[str, dict[str, int]] = {"a": {}, "b": {"grades": 3}, "c": {"grades": 5}, "d": {"grades": 5}}
    all_ = replace(TRAINED, corpora_text=text, labels=dict.fromkeys(options, ()), facts=facts)
    assert find_head_misfit(all_, "a", all_, "b") == "'b' with the loss graded; expected that of 'a': listwise"
    assert find_head_misfit(all_, "c", all_, "b") == "'b' with a head of 3 outputs; that of 'c' has 5"
    assert find_head_misfit(all_, "c", all_, "d") is None


def test_a_model_without_gates_takes_the_head_alone() -> None:
    dense = bundle(section("new", ("yes", "no"), "gate_from: mnli", "head_from: rte"), variant="dense")
    trained = replace(TRAINED, variant="dense", experts=ExpertOptions())
    state = build_model(trained).state_dict()
    model = build_model(dense)
    initial = InitialWeights("trained.pt", trained.shape, None, state, trained)
    lines = initialise_from(model, initial, find_reuse(dense, trained, "trained.pt")).lines
    assert torch.equal(model.state_dict()["heads.new.dense.bias"], state["heads.rte.dense.bias"])
    assert [line for line in lines if "starts from" in line] == ["heads: new starts from rte"]


def test_what_a_trained_variant_has_no_plain_part_for_is_told_with_its_name() -> None:
    with pytest.raises(InputError, match="is not in the file, a trained mt_tag: start from an encoder, or stay with"):
        start(bundle(KNOWN[0], variant="dense"))


ROW = "encoder.task_embeddings.rows.{}.weight"


def start_conditional(
    *more: str, name: str = "new", separate: bool = False
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor], list[str]]:
    """The new model's weights, those of a CA-MTL checkpoint, and the report."""
    options = ConditionalOptions(separate_alignment=separate)
    trained = replace(TRAINED, variant="ca_mtl", experts=ExpertOptions(), conditional=options)
    new = bundle(section(name, ("yes", "no"), *more), variant="ca_mtl", conditional=options)
    torch.manual_seed(0)
    state = build_model(trained).state_dict()
    for row in (key for key in state if "alignment.rows" in key):
        torch.nn.init.normal_(state[row])
    model = build_model(new)
    initial = InitialWeights("trained.pt", trained.shape, None, state, trained)
    lines = initialise_from(model, initial, find_reuse(new, trained, "trained.pt")).lines
    return model.state_dict(), state, lines


def test_a_new_task_embedding_starts_from_a_named_one_or_from_the_mean() -> None:
    new, state, lines = start_conditional("embedding_from: rte-sw", "head_from: rte")
    assert torch.equal(new[ROW.format("new")], state[ROW.format("rte")])
    assert "task embeddings: new starts from rte" in lines and "heads: new starts from rte" in lines
    assert torch.equal(new["encoder.alignment.modulation.up"], state["encoder.alignment.modulation.up"])
    new, state, lines = start_conditional("embedding_from: [mnli, rte, qnli]")
    mean = sum(state[ROW.format(name)] for name in LABELS) / 3
    torch.testing.assert_close(new[ROW.format("new")], mean)
    assert "task embeddings: new starts from the mean of mnli, rte, qnli" in lines


def test_a_new_alignment_starts_with_its_task_embedding() -> None:
    name = ROW.replace("task_embeddings", "alignment")
    new, state, _ = start_conditional("embedding_from: [mnli, rte]", separate=True)
    torch.testing.assert_close(new[name.format("new")], (state[name.format("mnli")] + state[name.format("rte")]) / 2)
    for fresh in ("random", "xavier"):
        new, _, _ = start_conditional(f"embedding_from: {fresh}", separate=True)
        assert torch.equal(new[name.format("new")], torch.eye(16))


def test_a_new_task_embedding_is_drawn() -> None:
    fresh, _, lines = start_conditional("embedding_from: random")
    assert "fresh: encoder.task_embeddings.rows.new, heads.new" in lines
    drawn, _, lines = start_conditional("embedding_from: xavier")
    assert "task embeddings: new starts from Xavier's distribution" in lines
    bound = (6 / (1 + 16)) ** 0.5  # a table of 1 row of 16
    assert float(drawn[ROW.format("new")].abs().max()) <= bound < float(fresh[ROW.format("new")].abs().max())


def test_a_known_corpus_keeps_its_embedding_and_an_unknown_one_is_named() -> None:
    new, state, _ = start_conditional("embedding_from: xavier", name="rte")
    assert torch.equal(new[ROW.format("rte")], state[ROW.format("rte")])
    with pytest.raises(InputError, match=r"embedding_from: trained.pt has no corpus 'mnl'; did you mean 'mnli'"):
        start_conditional("embedding_from: mnl")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("gate_from: []", "10: corpus 'new' has no corpus in 'gate_from'; expected a name, a list of names, or random"),
        ("embedding_from: []", "expected a name, a list of names, random or xavier"),
        ("embedding_from: new", "10: corpus 'new' names itself in 'embedding_from'"),
        ("gate_from: new", "10: corpus 'new' names itself in 'gate_from'"),
        ("head_from: [a, a]", "10: corpus 'new' names 'a' twice in 'head_from'"),
        ("gate_from: a.b", "10: the corpus 'a.b' is not a name that can be used"),
        ("gate_form: a", "10: corpus 'new': unknown key 'gate_form'; did you mean 'gate_from'?"),
    ],
)
def test_faults_of_the_corpora_file(more: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bundle(section("new", ("yes", "no"), more))
    assert message in str(caught.value)


def test_a_gate_that_belongs_to_another_corpus_starts_there() -> None:
    with pytest.raises(
        InputError, match=r"11: corpus 'b' has 'gate_from', but its gate is that of 'a'; write it there"
    ):
        bundle(section("a", ("yes", "no")), "  b: {as: a, language: en, test: x.tsv,\n    gate_from: c}\n")
    with pytest.raises(InputError, match="shares the head 'h' with 'a' but not its head_from"):
        bundle(*(section(name, ("yes", "no"), "head: h", f"head_from: {name}{name}") for name in ("a", "b")))


def test_a_text_to_text_model_has_no_head_to_start_from() -> None:
    shape = T5Shape(**vars(T5_SIZES["tiny"]), vocabulary=6)
    new = bundle(*KNOWN, section("scitail", ("yes", "no"), "head_from: rte"), variant="mt5")
    trained, grown = (replace(one, shape=shape) for one in (bundle(*KNOWN, variant="mt5"), new))
    assert find_reuse(grown, trained, "trained.pt").heads == {}
