"""A query with all its candidates is one item."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.kinds.ranking.items import RankingItems
from skill_plugin.kinds.ranking.metric import Ranked
from skill_plugin.store.encoded_row import EncodedRow
from skill_plugin.text.sequences.truncation import truncate_lengths
from skill_plugin.text.text_encoder import TextEncoder
from tests.every_kind import make_reading

SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=40)


def row_of(query: int, candidates: list[int], texts: int = 1) -> EncodedRow:
    """Ids 10, 11, … of the query, 50 of the question, 100, 200, … of the candidates."""
    shared = (10 + np.arange(query, dtype=np.int32), *[np.array([50], np.int32)] * (texts - 1))
    members = tuple(np.full(size, 100 * (i + 1), np.int32) for i, size in enumerate(candidates))
    relevance = np.arange(len(candidates), dtype=np.int32) % 3
    return EncodedRow(shared, members, {"relevance": relevance})


@given(st.integers(0, 30), SIZES, st.integers(6, 40), st.sampled_from(["choice", "search"]))
def test_the_context_shrinks_and_never_the_answer(
    encoders: dict[str, TextEncoder], query: int, candidates: list[int], max_length: int, name: str
) -> None:
    """``[CLS] P Q [SEP] A [SEP]``, types 0 and 1, against a direct construction (MT-TaG, A.3.1)."""
    for encoder in encoders.values():
        row, end = row_of(query, candidates, 1 if name == "choice" else 2), encoder.vocabulary.eos
        question = [50] if name == "search" else []
        for truncate in ("longest", "right"):
            items = RankingItems(make_reading(name, encoder, max_length, truncate=truncate))
            room = max_length - encoder.template.special_tokens(2)
            for i, (size, sequence) in enumerate(zip(candidates, items.sequences(row), strict=True)):
                if question:
                    kept = min(size, room)
                    asked = question[: room - kept]
                    context = min(query, room - kept - len(asked))
                elif truncate == "right":
                    kept, asked = min(size, max(room - query, room // 2)), []
                    context = min(query, room - kept)
                else:
                    asked = []
                    context, kept = truncate_lengths([query, size], room, "longest")
                first = [encoder.vocabulary.bos, *range(10, 10 + context), *asked, end]
                answer = [100 * (i + 1)] * kept
                middle = [end] * (encoder.template.separators - 1)
                assert sequence.tokens.tolist() == [*first, *middle, *answer, end]
                second = len(answer) + 1 if encoder.template.token_types else 0
                assert sequence.token_types.tolist() == [0] * (len(sequence.tokens) - second) + [1] * second
                assert kept == size or query + len(question) + size > room


@given(st.integers(0, 30), SIZES, st.integers(6, 40), st.sampled_from(["choice", "search"]))
def test_a_sequence_of_each_candidate_in_older_checkpoints(
    encoders: dict[str, TextEncoder], query: int, candidates: list[int], max_length: int, name: str
) -> None:
    """As checkpoints of before read it, whose query and question are two texts."""
    reading = make_reading(name, encoders["sentencepiece"], max_length, truncate="right")
    items = RankingItems(replace(reading, joined_question=False))
    row = row_of(query, candidates, 1 if name == "choice" else 2)
    sequences = items.sequences(row)
    special = 4 if name == "choice" else 6
    for i, (size, sequence) in enumerate(zip(candidates, sequences, strict=True)):
        shared = [*range(10, 10 + query), *([50] if name == "search" else [])][: max_length - special]
        kept = min(size, max_length - special - len(shared))
        assert [t for t in sequence.tokens if t > 3] == [*shared, *[100 * (i + 1)] * kept]
        assert len(sequence.tokens) == special + len(shared) + kept
        assert sequence.units.tolist() == [0]
    target = items.target(row, sequences)
    assert (target["sizes"].tolist(), target["relevance"].tolist()) == (
        [len(candidates)],
        row.arrays["relevance"].tolist(),
    )


@pytest.mark.parametrize("count", [1, 2, 40])
@pytest.mark.parametrize("name", ["choice", "search"])
def test_scores(encoders: dict[str, TextEncoder], name: str, count: int) -> None:
    items = RankingItems(make_reading(name, encoders["sentencepiece"]))
    row = row_of(3, [2] * count)
    outputs = torch.from_numpy(np.random.default_rng(count).normal(size=(count, 2))).float()
    if name == "choice":
        scores = (1 / (1 + (outputs[:, 0] - outputs[:, 1]).exp())).tolist()
        positive = [score > 0.5 for score in scores]
    else:
        outputs = outputs[:, :1]
        scores = (outputs[:, 0].exp() / outputs.exp().sum()).tolist()
        positive = [score == max(scores) for score in scores]
    found = items.predict(outputs, row, [], None).to_json()
    assert found["scores"] == pytest.approx(scores)
    assert found["order"] == np.argsort(-np.array(scores), kind="stable").tolist()
    assert found["best"] == found["order"][0]
    answer, reference = items.score(outputs, row, [], None)
    assert isinstance(answer, Ranked)
    assert (answer.scores, answer.positive) == (found["scores"], positive)
    assert reference == row.arrays["relevance"].tolist()
    target = {name: torch.from_numpy(value) for name, value in items.target(row, items.sequences(row)).items()}
    assert len(items.family.losses(outputs, target).values) == (count > 1 or name == "choice")


@pytest.mark.parametrize("count", [1, 7])
def test_scores_of_grades(encoders: dict[str, TextEncoder], count: int) -> None:
    """Expected grade against a loop; candidates are relevant where the grades above 0 have more than half."""
    row = row_of(3, [2] * count)
    logits = torch.from_numpy(np.random.default_rng(count).normal(size=(count, 3), scale=2)).float()
    shares = [[math.exp(x) / sum(map(math.exp, one)) for x in one] for one in logits.tolist()]
    expected = {
        "expected": [sum(grade * share for grade, share in enumerate(one)) for one in shares],
        "likeliest": [one.index(max(one)) for one in shares],
    }
    for ranked_by, scores in expected.items():
        reading = make_reading(
            "grade", encoders["sentencepiece"], facts={"grades": 3}, grades=None, ranked_by=ranked_by
        )
        items = RankingItems(reading)
        answer, reference = items.score(logits, row, [], None)
        assert answer.scores == pytest.approx(scores, abs=1e-5)
        assert answer.positive == [one[0] < 0.5 for one in shares]
        assert reference == row.arrays["relevance"].tolist()
        found = items.predict(logits, row, [], None)
        assert found.order == sorted(range(count), key=lambda i: -scores[i])
        fewer = RankingItems(replace(reading, facts={"grades": 2})).target(row, items.sequences(row))
        assert fewer["relevance"].tolist() == [min(grade, 1) for grade in reference]


def test_candidates_ordered_by_their_positive_logit(encoders: dict[str, TextEncoder]) -> None:
    """MT-TaG's COPA: a larger logit may be less probable."""
    logits, row = torch.tensor([[3.0, 2.0], [-2.0, 1.0]]), row_of(1, [1, 1])
    for ranked_by, best in (("probability", 1), ("logit", 0)):
        items = RankingItems(make_reading("choice", encoders["sentencepiece"], ranked_by=ranked_by))
        assert items.predict(logits, row, [], None).best == best
        assert items.score(logits, row, [], None)[0].positive == [False, True]


def test_the_first_of_equals_is_best(encoders: dict[str, TextEncoder]) -> None:
    items = RankingItems(make_reading("choice", encoders["sentencepiece"]))
    found = items.predict(torch.zeros(3, 2), row_of(1, [1, 1, 1]), [], None)
    assert found.to_line() == "0\t0.5000 0.5000 0.5000"


@pytest.mark.parametrize(
    ("metric", "moved", "tied"), [("top1", (0, 1), (1, 1)), ("map", (2, 3), (2, 2)), ("f1", (3, 3), (1, 3))]
)
def test_what_a_metric_reads_of_two_models(
    encoder: TextEncoder, metric: str, moved: tuple[int, int], tied: tuple[int, int]
) -> None:
    """The first of three candidates, each two of them, or what is said of each; a tie is none to be lost."""
    items = RankingItems(make_reading("choice", encoder, metric=metric))
    ours, theirs, even, near = (
        torch.tensor([[0.0, math.log(share / (1 - share))] for share in shares])
        for shares in ([0.9, 0.8, 0.1], [0.85, 0.86, 0.1], [0.5, 0.5 + 1e-6, 0.1], [0.5001, 0.4999, 0.1])
    )
    assert items.agreement(ours, theirs) == moved
    assert items.agreement(even, near) == tied
