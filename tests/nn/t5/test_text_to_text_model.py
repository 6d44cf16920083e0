"""A text-to-text model gives each source and target what it gives them alone, and answers as a direct computation."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.dropout import Dropout
from skill_plugin.nn.heads.token_scores import TokenScores
from skill_plugin.nn.noise import Noise
from skill_plugin.nn.noisy_copy import with_noisy_copy
from skill_plugin.nn.pack_once import pack_once
from skill_plugin.nn.packed_batch import EncodedSequence, PackedBatch, pack
from skill_plugin.nn.pass_options import PassOptions
from skill_plugin.nn.t5.relative_positions import RelativePositions
from skill_plugin.nn.t5.text_to_text_model import TextToTextModel
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.variants.mt5 import build_mt5
from skill_plugin.variants.t5_shape import T5Shape

V = 40
ONE, OTHER = ActiveSet((), "en"), ActiveSet((), "zh")
SIZES = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 5)), min_size=1, max_size=4)
TEXTS = st.lists(st.integers(1, 4), min_size=2, max_size=4)


def model(tied: bool = False, dropout: float = 0.0) -> TextToTextModel:
    torch.manual_seed(1)
    shape = T5Shape(
        2, 3, 16, 3, 4, 24, vocabulary=V, tied=tied, buckets=8, distance=12, dropout=dropout, attention_dropout=dropout
    )
    made = build_mt5(shape)
    for name, parameter in made.named_parameters():
        if name.endswith("norm.weight"):
            nn.init.uniform_(parameter, 0.5, 1.5)
    return made.eval()


def ids(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(4, V, count)


def to_learn(number: int, size: tuple[int, int]) -> EncodedSequence:
    source, target = (ids(number * 2 + i, n) for i, n in enumerate(size))
    target[-1] = Vocabulary.eos
    return EncodedSequence(source, 0 * source, np.zeros(len(target), np.int64), (target,))


def to_choose(number: int, length: int, texts: Sequence[int]) -> EncodedSequence:
    source = ids(1000 + number, length)
    targets = tuple(np.array([*ids(2000 + i, n), Vocabulary.eos]) for i, n in enumerate(texts))
    return EncodedSequence(source, 0 * source, targets=targets)


def alone(found: TextToTextModel, sequence: EncodedSequence) -> list[Tensor]:
    """Logits of each of its targets, a pass for each."""
    outputs = []
    for target in sequence.targets:
        units = np.zeros(len(target), np.int64)
        one = EncodedSequence(sequence.tokens, sequence.token_types, units, (target,))
        (logits,) = found(pack([(ONE, "", [one])], token_types=False)).answers
        outputs.append(logits)
    return outputs


def likelihood(logits: Tensor, target: np.ndarray) -> Tensor:
    pieces = torch.from_numpy(target)
    return logits.float().log_softmax(1).gather(1, pieces[:, None]).sum()


@settings(max_examples=15, deadline=None)
@given(SIZES, st.lists(st.integers(1, 20), min_size=1, max_size=3), TEXTS, st.booleans())
def test_packed_is_alone(sizes: list[tuple[int, int]], lengths: list[int], texts: list[int], tied: bool) -> None:
    ours, theirs = model(tied), model(tied)
    learning = [to_learn(i, size) for i, size in enumerate(sizes)]
    choosing = [to_choose(i, length, texts) for i, length in enumerate(lengths)]
    batch = pack([(ONE, "", learning), (OTHER, "", choosing)], token_types=False)
    logits, scores = ours(batch).answers
    expected = torch.cat([one for sequence in learning for one in alone(theirs, sequence)])
    torch.testing.assert_close(logits, expected, atol=1e-4, rtol=1e-4)
    direct = torch.stack(
        [
            torch.stack([likelihood(*pair) for pair in zip(alone(theirs, one), one.targets, strict=True)])
            for one in choosing
        ]
    )
    assert scores.dtype == torch.float32
    torch.testing.assert_close(scores, direct, atol=1e-4, rtol=1e-4)
    for first, second in ((logits, scores), (expected, direct)):
        (first[:, 1:].square().mean() + second.square().mean()).backward()
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        rounding = 1e-5 * max(20.0, other.grad.abs().max().item())  # of sums in which large numbers cancel
        torch.testing.assert_close(one.grad, other.grad, atol=rounding, rtol=2e-3, msg=name)


def test_right_pieces_are_scored_as_their_logits_say_and_the_beginning_is_never_written() -> None:
    ours = model()
    batch = pack([(ONE, "", [to_learn(0, (5, 3)), to_learn(1, (9, 1))])], token_types=False)
    assert batch.targets is not None
    (logits,) = ours(batch).answers
    (scores,) = ours(batch, classes=[batch.targets.tokens]).answers
    assert isinstance(scores, TokenScores)
    torch.testing.assert_close(
        scores.losses, torch.nn.functional.cross_entropy(logits, batch.targets.tokens, reduction="none")
    )
    assert (logits.softmax(1)[:, Vocabulary.bos] == 0).all()
    torch.testing.assert_close(
        logits[:, 1:].logsumexp(1), logits.logsumexp(1), msg="<s> has no share of the probabilities"
    )


@pytest.mark.parametrize("both_ways", [False, True])
def test_biases_of_a_length_are_the_same_whatever_was_read_before(both_ways: bool) -> None:
    positions = RelativePositions(8, 12, 3, both_ways)
    nn.init.normal_(positions.weight)
    for length in (4, 1, 30, 7):
        ahead = torch.arange(length) - torch.arange(length)[:, None]
        expected = positions.weight[positions.buckets_of(ahead)].permute(2, 0, 1)
        if not both_ways:
            expected = expected.masked_fill(ahead > 0, -torch.inf)
        with torch.inference_mode(length == 4):
            found = positions(length)
        assert torch.equal(found, expected)


def test_what_training_drops_evaluation_keeps() -> None:
    plain, dropping = model(), model(dropout=0.4)
    dropping.load_state_dict(plain.state_dict())
    batch = pack([(ONE, "", [to_learn(0, (5, 3))]), (OTHER, "", [to_choose(0, 4, (1, 3))])], token_types=False)
    expected = plain(batch).answers
    for one, other in zip(dropping.eval()(batch).answers, expected, strict=True):
        assert torch.equal(one, other)
    for one, other in zip(dropping.train()(batch).answers, expected, strict=True):
        assert not torch.allclose(one, other, atol=1e-2)


def test_segments_scored_together_are_scored_as_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = model()
    learnt = [[to_learn(3 * segment + number, (4, 2 + number)) for number in range(3)] for segment in range(2)]
    chosen = [to_choose(number, 5, (1, 3)) for number in range(2)]
    batch = pack([(ONE, "a", learnt[0]), (OTHER, "b", chosen), (ONE, "c", learnt[1])], token_types=False)
    assert batch.targets is not None
    pieces = [torch.from_numpy(np.concatenate([one.targets[0] for one in own])) for own in learnt]
    gradients, answers = [], []
    for tokens in (1, 12, 1000):  # as many as fit into memory at a time
        monkeypatch.setattr("skill_plugin.nn.t5.text_to_text_model.LOGITS", tokens * V)
        found.zero_grad()
        first, scores, last = found(batch, classes=[pieces[0], None, pieces[1]]).answers
        assert isinstance(first, TokenScores) and isinstance(last, TokenScores)
        logits, _, others = found(batch).answers
        answers.append(
            torch.cat([first.losses, scores.flatten(), last.losses, logits.sin().sum(1), others.sin().sum(1)])
        )
        answers[-1].square().sum().backward()
        gradients.append([p.grad for p in found.parameters()])
    for one, grads in zip(answers[1:], gradients[1:], strict=True):
        torch.testing.assert_close(one, answers[0])
        torch.testing.assert_close(grads, gradients[0], atol=1e-4, rtol=1e-4)


class Counter(TorchDispatchMode):
    """Counts operators that compute something: what they give is no view of what they are given."""

    count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not any(out.alias_info and not out.alias_info.is_write for out in function._schema.returns)
        return function(*args, **(kwargs or {}))


def test_segments_of_an_update_cost_no_operators() -> None:
    found, sequences = model(), [to_learn(number, (4, 2)) for number in range(6)]
    counts = []
    for segments in ([sequences], [sequences], [[one] for one in sequences]):  # the first finds buckets of positions
        batch = pack([(ONE, "a", members) for members in segments], token_types=False)
        assert batch.targets is not None
        classes = batch.targets.tokens.split([2 * len(members) for members in segments])
        found.zero_grad()
        with Counter() as counter:
            scores, logits = found(batch, classes=classes).answers, found(batch).answers
            (torch.cat([one.losses for one in scores]).sum() + torch.cat(logits).sum()).backward()
        counts.append(counter.count)
    assert counts[1] == counts[2]


def test_readers_of_the_same_sequence_get_the_same_scores() -> None:
    ours = model()
    one, other = to_choose(0, 7, [1, 3]), to_choose(1, 4, [1, 3])
    batch = pack_once([(ONE, "", [one]), (ONE, "", [other, one, one])], token_types=False)
    assert len(batch.lengths) == 2
    first, second = ours(batch).answers
    torch.testing.assert_close(second[1], first[0])
    torch.testing.assert_close(second[2], first[0])
    (direct,) = ours(pack([(ONE, "", [other])], token_types=False)).answers
    torch.testing.assert_close(second[:1], direct, atol=1e-5, rtol=1e-5)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 6))
def test_what_is_written_is_the_likeliest_next_token(lengths: list[int], most: int) -> None:
    ours = model()
    sequences = [to_choose(i, length, []) for i, length in enumerate(lengths)]
    found = ours.generate(pack([(ONE, "", sequences)], token_types=False), most)
    assert len(found) == len(sequences)
    for sequence, written in zip(sequences, found, strict=True):
        expected: list[int] = []
        while len(expected) < most:
            read = np.array([*expected, Vocabulary.eos])
            token = int(
                alone(ours, EncodedSequence(sequence.tokens, 0 * sequence.tokens, targets=(read,)))[0][-1].argmax()
            )
            if token == Vocabulary.eos:
                break
            expected.append(token)
        assert written.tolist() == expected


def test_sequences_of_a_segment_need_as_many_targets_each() -> None:
    ours = model()
    with pytest.raises(ValueError, match="expected as many"):
        ours(pack([(ONE, "", [to_choose(0, 3, [1, 2]), to_choose(1, 3, [1, 2, 3])])], token_types=False))
    with pytest.raises(ValueError, match="without targets"):
        ours(pack([(ONE, "", [to_choose(0, 3, [])])], token_types=False))


def doubled(batch: PackedBatch, deviation: float, same: bool = True) -> tuple[PackedBatch, PassOptions]:
    noise = torch.randn(len(batch.tokens), 16, generator=torch.Generator().manual_seed(3)) * deviation
    return with_noisy_copy(batch, noise, max(deviation, 1e-9), same)


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_a_copy_is_dropped_the_same_elements_and_noise_moves_it_alone(rate: float) -> None:
    ours = model(dropout=rate).train()
    batch = pack([(ONE, "", [to_learn(i, (6 + i, 3)) for i in range(3)])], token_types=False)
    for deviation in (0.0, 0.1):
        clean, noisy = ours(*doubled(batch, deviation)).answers
        assert torch.equal(clean, noisy) == (deviation == 0.0)
    assert sum(isinstance(one, Dropout) for one in ours.modules()) == 2 + 2 * 2 + 3 * 2 + 1
    if rate:
        clean, noisy = ours(*doubled(batch, 0.0, same=False)).answers
        assert not torch.equal(clean, noisy)


def test_noise_on_the_source_is_a_second_pass_whose_divergence_is_exact() -> None:
    """In float32, of a noise that rounding would drown, as in float64 (R3F)."""
    ours = model()
    exact = copy.deepcopy(ours).double()
    batch = pack([(ONE, "", [to_learn(i, (6 + 3 * i, 3)) for i in range(8)])], token_types=False)
    values = 1e-5 * torch.rand(len(batch.tokens), 16, generator=torch.Generator().manual_seed(3))
    found = []
    with torch.no_grad():
        for one, noise in ((ours, values), (exact, values.double())):
            deviation = float(values.std()) if one is ours else 1.0  # float64 has no need to magnify it
            (clean, noisy), _, magnification = one(*with_noisy_copy(batch, noise, deviation))
            (first,), (second,) = one(batch).answers, one(batch, PassOptions(Noise(noise, deviation))).answers
            torch.testing.assert_close(clean, first, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(noisy, second, atol=1e-5, rtol=1e-5)
            p, q = (logits.double().log_softmax(1) for logits in (clean, noisy))
            found.append(((p.exp() - q.exp()) * (p - q)).sum(1) / magnification.double() ** 2)
    torch.testing.assert_close(*found, atol=0.0, rtol=2e-2)


def test_layers_computed_once_more_give_the_same_gradients() -> None:
    ours = model(dropout=0.2).train()
    theirs = copy.deepcopy(ours)
    theirs.encoder.recomputes = theirs.decoder.recomputes = True
    batch = pack([(ONE, "", [to_learn(i, (4 + 5 * i, 2 + i)) for i in range(3)])], token_types=False)
    for one in (ours, theirs):
        torch.manual_seed(5)
        one(batch).answers[0][:, 1:].square().mean().backward()
    for (name, one), other in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        assert torch.equal(one.grad, other[1].grad), name
