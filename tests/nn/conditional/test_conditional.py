"""The modules of CA-MTL against the thesis's equations, computed sequence by sequence."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from skill_plugin.nn.active_set import ActiveSet
from skill_plugin.nn.conditional.alignment import ConditionalAlignment, SeparateAlignment
from skill_plugin.nn.conditional.attention import BlockDiagonal, ConditionalAttention
from skill_plugin.nn.conditional.bottleneck import BottleneckFeedForward, ConditionalBottleneck, SkipPath
from skill_plugin.nn.conditional.condition import Condition, condition_tokens
from skill_plugin.nn.conditional.conditioned_batch import ConditionedBatch
from skill_plugin.nn.conditional.layer_norm import ConditionalLayerNorm
from skill_plugin.nn.conditional.modulation import Modulation
from skill_plugin.nn.conditional.task_embeddings import TaskEmbeddings
from skill_plugin.nn.packed_batch import PackedBatch, Segment

D = 12
CORPORA = ("mnli", "cola", "mnli")  # a repeated corpus, as in a super-batch


def loud(module: nn.Module) -> nn.Module:
    """Every parameter far from where it starts, so that nothing is hidden by being small."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module


def pack_of(*segments: tuple[str, list[int]], table: TaskEmbeddings) -> ConditionedBatch:
    """Sequences of some lengths, by task embedding, and the condition that the table gives them."""
    made, end = [], 0
    for name, lengths in segments:
        made.append(Segment(ActiveSet((), "en", embedding=name), "head", end, end + sum(lengths)))
        end += sum(lengths)
    empty = torch.zeros(end, dtype=torch.int64)
    batch = PackedBatch(empty, empty, None, [n for _, ls in segments for n in ls], made, [empty] * len(made))
    return ConditionedBatch.of(batch, condition_tokens(table(batch), batch))


def table() -> TaskEmbeddings:
    return TaskEmbeddings(D, ("mnli", "cola", "rte"))


def gamma_beta(modulation: Modulation, z: Tensor) -> tuple[Tensor, Tensor]:
    """γ(z) and β(z) of one embedding [D], element by element."""
    inner = [sum(modulation.down[r, d] * z[d] for d in range(D)) for r in range(len(modulation.down))]
    outputs = [
        sum(modulation.up[f, r] * inner[r] for r in range(len(inner))) + modulation.bias[f]
        for f in range(len(modulation.up))
    ]
    half = len(outputs) // 2
    return 1 + torch.stack(outputs[:half]), torch.stack(outputs[half:])


def by_segment(batch: PackedBatch, embeddings: TaskEmbeddings) -> list[tuple[slice, Tensor]]:
    return [(slice(s.start, s.end), embeddings.rows[s.active.embedding].weight) for s in batch.segments]


def test_each_token_and_sequence_has_the_embedding_of_its_segment() -> None:
    embeddings = table()
    batch = pack_of(("mnli", [2, 1]), ("cola", [3]), ("mnli", [1]), table=embeddings)
    condition = batch.condition
    rows = embeddings.rows
    torch.testing.assert_close(condition.z, torch.stack([rows["mnli"].weight, rows["cola"].weight]))
    assert condition.tokens is not None and condition.tokens.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert condition.sequences is not None and condition.sequences.tolist() == [0, 0, 1, 0]
    one = pack_of(("cola", [2]), ("cola", [1]), table=embeddings).condition
    assert len(one.z) == 1 and one.tokens is None
    with pytest.raises(ValueError, match="no embedding 'sst'; there are: mnli, cola, rte"):
        pack_of(("sst", [1]), table=embeddings)


def test_a_neutral_modulation_is_one_and_zero() -> None:
    modulation = Modulation(D, 5)
    nn.init.zeros_(modulation.up)
    scale, shift = modulation(torch.randn(3, D))
    assert torch.equal(scale, torch.ones(3, 5)) and torch.equal(shift, torch.zeros(3, 5))


def test_equation_3_2() -> None:
    embeddings, alignment = table(), loud(ConditionalAlignment(D))
    batch = pack_of(*((name, [3]) for name in CORPORA), table=embeddings)
    x = torch.randn(9, D)
    out = alignment(x, batch.condition)
    for rows, z in by_segment(batch, embeddings):
        gamma, beta = gamma_beta(alignment.modulation, z)
        matrix = alignment.weight.T @ torch.diag(gamma)  # R γ(z)
        torch.testing.assert_close(out[rows], x[rows] @ matrix + beta, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("corpora", [("cola",), CORPORA])
def test_a_matrix_for_each_corpus(corpora: tuple[str, ...]) -> None:
    """x R_t; a corpus that is not in the batch gets no gradient."""
    embeddings, alignment = table(), SeparateAlignment(D, ("mnli", "cola", "rte"))
    batch = pack_of(*((name, [2, 1]) for name in corpora), table=embeddings)
    x = torch.randn(3 * len(corpora), D)
    assert torch.equal(alignment(x, batch), x)
    loud(alignment)
    out = alignment(x, batch)
    for segment in batch.segments:
        rows, matrix = slice(segment.start, segment.end), alignment.matrix(segment.active.embedding).T
        torch.testing.assert_close(out[rows], x[rows] @ matrix)
    out.sum().backward()
    assert {name for name in ("mnli", "cola", "rte") if alignment.matrix(name).grad is not None} == set(corpora)


@pytest.mark.parametrize("corpora", [("cola",), CORPORA])
def test_equation_3_3_without_its_misprint(corpora: tuple[str, ...]) -> None:
    """h = (a - μ) / σ * (γ' γ(z) + β(z)) + β'."""
    embeddings, norm = table(), loud(ConditionalLayerNorm(D, 1e-5))
    batch = pack_of(*((name, [2, 1]) for name in corpora), table=embeddings)
    a = torch.randn(3 * len(corpora), D)
    out = norm(a, batch)
    for rows, z in by_segment(batch, embeddings):
        gamma, beta = gamma_beta(norm.modulation, z)
        for row in range(rows.start, rows.stop):
            mean = sum(a[row]) / D
            sigma = (sum((a[row] - mean) ** 2) / D + 1e-5).sqrt()
            expected = (a[row] - mean) / sigma * (norm.weight * gamma + beta) + norm.bias
            torch.testing.assert_close(out[row], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("width", "length", "blocks", "side"),
    [(768, 128, 6, 22), (1024, 128, 8, 16), (384, 128, 3, 43), (64, 128, 1, 128), (12, 4, 3, 2)],
)
def test_m_is_the_direct_sum_of_its_blocks(width: int, length: int, blocks: int, side: int) -> None:
    """N = max(1, d // L) blocks of ⌈L / N⌉; of what rounding adds nothing is seen."""
    assert (max(1, width // length), -(-length // blocks)) == (blocks, side)
    matrix = BlockDiagonal(D, length, blocks)
    for parameter in matrix.parameters():
        nn.init.normal_(parameter, std=0.1)
    z = torch.randn(2, D)
    scale, shift = (values.view(2, side, side) for values in matrix.modulation(z))
    for longest in (1, side, side + 1, length - 1, length, length + 50):
        got = matrix(z, longest)
        for k in range(2):
            whole = torch.block_diag(*(block * scale[k] + shift[k] for block in matrix.blocks))
            size = min(longest, length)
            torch.testing.assert_close(got[k], whole[:size, :size])


def expected_attention(attention: ConditionalAttention, x: Tensor, z: Tensor) -> Tensor:
    """softmax(M(z) + Q K^T / √d) V of one sequence [T, D], M zero beyond L."""
    matrix, length = attention.matrix, len(x)
    gamma, beta = (values.view(matrix.side, matrix.side) for values in gamma_beta(matrix.modulation, z))
    m = torch.zeros(length, length)
    known = torch.block_diag(*(block * gamma + beta for block in matrix.blocks))[: matrix.length, : matrix.length]
    size = min(length, matrix.length)
    m[:size, :size] = known[:size, :size]
    q, k, v = (x @ attention.qkv.weight.T + attention.qkv.bias).split(D, dim=1)
    heads = []
    for head in range(attention.heads):
        cut = slice(head * D // attention.heads, (head + 1) * D // attention.heads)
        scores = m + q[:, cut] @ k[:, cut].T / math.sqrt(D / attention.heads)
        heads.append(torch.softmax(scores, 1) @ v[:, cut])
    return torch.cat(heads, 1) @ attention.output.weight.T + attention.output.bias


LENGTHS = st.lists(st.integers(1, 14), min_size=1, max_size=4)


@settings(deadline=None, max_examples=30)
@given(first=LENGTHS, second=LENGTHS, length=st.sampled_from([4, 5, 20]), full=st.booleans(), training=st.booleans())
def test_conditional_attention(first: list[int], second: list[int], length: int, full: bool, training: bool) -> None:
    """Sequences shorter and longer than L, alone or with other corpora: batch mates never matter."""
    torch.manual_seed(0)
    embeddings = table()
    # in training attention goes another way on the CPU; dropout rounds 1e-9 to none
    attention = loud(ConditionalAttention(D, 2, 1e-9, length, full)).train(training)
    for segments in ([("mnli", first)], [("mnli", first), ("cola", second)]):
        batch = pack_of(*segments, table=embeddings)
        x = torch.randn(sum(batch.lengths), D)
        out, at = attention(x, batch), 0
        for name, lengths in segments:
            for n in lengths:
                expected = expected_attention(attention, x[at : at + n], embeddings.rows[name].weight)
                torch.testing.assert_close(out[at : at + n], expected, atol=1e-4, rtol=1e-4)
                at += n


def bottleneck_of(module: ConditionalBottleneck, x: Tensor, z: Tensor) -> Tensor:
    for part in (module.down, module.up):
        gamma, beta = gamma_beta(part.modulation, z)
        x = (x @ part.weight.T) * gamma + beta
        x = nn.functional.gelu(x) if part is module.down else x
    return x


def test_the_bottleneck_of_the_base_form() -> None:
    embeddings, layer = table(), loud(BottleneckFeedForward(D, 20))
    batch = pack_of(*((name, [2]) for name in CORPORA), table=embeddings)
    x = torch.randn(6, D)
    out = layer(x, batch)
    for rows, z in by_segment(batch, embeddings):
        inner = nn.functional.gelu(x[rows] @ layer.fc1.weight.T + layer.fc1.bias)
        plain = inner @ layer.fc2.weight.T + layer.fc2.bias
        torch.testing.assert_close(out[rows], plain + bottleneck_of(layer.bottleneck, plain, z), atol=1e-4, rtol=1e-4)


def test_the_path_of_the_large_form() -> None:
    """At layer j it takes in the sum of the layer's output and the path's own output at j - 1."""
    path, z = loud(SkipPath(D, 3)), torch.randn(1, D)
    outputs, carried, expected = torch.randn(3, 4, D), None, torch.zeros(4, D)
    for index, hidden in enumerate(outputs):
        carried = path.step(index, hidden, carried, Condition(z))
        expected = bottleneck_of(path.bottlenecks[index], hidden + expected, z[0])
    torch.testing.assert_close(carried, expected, atol=1e-4, rtol=1e-4)


def test_a_fresh_path_adds_little_and_all_of_it_learns() -> None:
    """As many layers as the published size has, where gradients that shrink from layer to layer would come to 0."""
    torch.manual_seed(0)
    path, z = SkipPath(48, 24), torch.randn(1, 48)
    carried = None
    for index in range(24):
        carried = path.step(index, torch.randn(64, 48), carried, Condition(z))
    assert carried is not None
    assert carried.norm() < 0.02 * 64**0.5 * 48**0.5
    (carried * torch.randn_like(carried)).sum().backward()
    norms = [float(bottleneck.down.weight.grad.norm()) for bottleneck in path.bottlenecks]
    assert min(norms) > 1e-5 * max(norms)


def test_modulations_are_float32_in_every_mode() -> None:
    modulation, z = Modulation(D, 4), torch.randn(1, D)
    with torch.autocast("cpu", torch.bfloat16):
        scale, _ = modulation(z)
    assert torch.equal(scale, modulation(z)[0]) and scale.dtype == torch.float32
    assert modulation.half()(z.half())[0].dtype == torch.float32
