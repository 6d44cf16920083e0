"""An encoder and a decoder whose answers are texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, pairwise
from operator import not_

import torch
from torch import Tensor

from skill_plugin.nn.dropout import share_masks
from skill_plugin.nn.element_parts import element_parts
from skill_plugin.nn.heads.token_scores import LOGITS, TokenScores, score_tokens
from skill_plugin.nn.linear import linear
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.on_device import on_device
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.packed_targets import PackedTargets
from skill_plugin.nn.pass_options import PLAIN, PassOptions
from skill_plugin.nn.t5.cross_layout import CrossLayout
from skill_plugin.nn.t5.decoder import Decoder
from skill_plugin.nn.t5.encoder import T5Encoder
from skill_plugin.nn.t5.generate import generate
from skill_plugin.text.vocabulary import Vocabulary

NEVER = -1e4  # logit of what is never written; finite, since a divergence multiplies it by a probability of 0


class TextToTextModel(MultitaskModel):
    """A multitask model without heads: what a segment's sequences are answered with are their targets.

    Attributes:
        never: what is added to the logits [V]: nothing but for ``<s>``, which mT5 does not have.

    Args:
        encoder: hidden states of a pack.
        decoder: hidden states of its targets.
    """

    encoder: T5Encoder
    never: Tensor

    def __init__(self, encoder: T5Encoder, decoder: Decoder) -> None:
        super().__init__(encoder, {})
        self.decoder = decoder
        never = torch.zeros(encoder.embeddings.tokens.num_embeddings)
        never[Vocabulary.bos] = NEVER
        self.register_buffer("never", never, persistent=False)

    def forward(
        self, batch: PackedBatch, options: PassOptions = PLAIN, classes: Sequence[Tensor | None] | None = None
    ) -> MultitaskOutput:
        """The answers to a pack whose sequences have targets.

        A segment whose sequences have one target each is answered with the scores of the target's tokens: logits
        [tokens, V], or ``TokenScores`` where ``classes`` are given. One whose sequences have C targets each with
        their log-likelihoods, summed over their tokens: [S, C] float32, S sequences.

        Args:
            batch: a pack.
            options: what this pass does otherwise than a plain one.
            classes: for each segment the target's tokens, where only how they are scored is asked for. None where there
                are copies.

        Raises:
            ValueError: sequences of a segment that have none, or different numbers of targets.
        """
        if (targets := batch.targets) is None:
            raise ValueError("a pack without targets has no answers; generate writes some")
        with share_masks(batch.copies if options.same_dropout else 1):
            encoded = self.encoder(batch, options.noise)
            hidden = self.decode(batch, targets, encoded.hidden)
        places = _TargetPlaces(targets)
        segments = [places.of(sequences) for sequences in _sequences_read(batch, targets)]
        asked = zip(segments, classes or [None] * len(segments), strict=True)
        scored = [one.count > 1 or right is not None for one, right in asked]
        read = [one.tokens for one in segments]
        scores = self._score(list(compress(read, scored)), hidden, targets, batch.copies)
        logits = self._logits(list(compress(read, map(not_, scored))), hidden, batch.copies)
        answers = [
            (one.log_likelihoods(next(scores)) if one.count > 1 else next(scores)) if score else next(logits)
            for one, score in zip(segments, scored, strict=True)
        ]
        return MultitaskOutput(answers, encoded.routings, encoded.magnification)

    def decode(self, batch: PackedBatch, targets: PackedTargets, states: Tensor) -> Tensor:
        """Hidden states from which each token of the targets is told [M, D].

        Args:
            batch: S source sequences.
            targets: their targets.
            states: hidden states of the sources [N, D].
        """
        read = accumulate(targets.counts, initial=0)
        ends = list(accumulate(targets.lengths, initial=0))
        bounds = [ends[number] for number in read]
        sources = CrossLayout([b - a for a, b in pairwise(bounds)], batch.lengths, states.device)
        firsts = on_device(torch.tensor(ends[:-1]), states.device)
        before = targets.tokens.roll(1).index_fill(0, firsts, Vocabulary.pad)
        hidden: Tensor = self.decoder(self.encoder.embeddings.tokens(before), targets, states, sources)
        return hidden

    @property
    def table(self) -> Tensor:
        """What logits are made with [V, D]: the decoder's own table, or that of the embeddings."""
        return self.encoder.embeddings.tokens.weight if self.decoder.output is None else self.decoder.output.weight

    @torch.no_grad()
    def generate(self, batch: PackedBatch, most: int) -> list[Tensor]:
        """What the likeliest next token, again and again, writes for each source sequence; in evaluation mode.

        Args:
            batch: a pack, with or without targets.
            most: no more tokens are written.

        Returns:
            For each sequence the tokens before ``</s>`` [up to ``most``], int64, on the CPU.
        """
        states = self.encoder(batch).hidden
        return generate(self.decoder, self.encoder.embeddings.tokens, self.table, self.never, states, batch, most)

    def _logits(self, segments: Sequence[Tensor], hidden: Tensor, copies: int) -> Iterator[Tensor]:
        """Of the target tokens of each segment, by their numbers on the CPU [tokens, V]."""
        for tokens, sizes in self._read_together(segments, hidden.device, copies):
            yield from linear(hidden.index_select(0, tokens), self.table, self.never).split(sizes)

    def _score(
        self, segments: Sequence[Tensor], hidden: Tensor, targets: PackedTargets, copies: int
    ) -> Iterator[TokenScores]:
        """How these are scored."""
        for tokens, sizes in self._read_together(segments, hidden.device, copies):
            x, right = hidden.index_select(0, tokens), targets.tokens.index_select(0, tokens)
            scores = score_tokens(x, self.table, self.never, right)
            for losses, likeliest in zip(scores.losses.split(sizes), scores.right.split(sizes), strict=True):
                yield TokenScores(losses, likeliest, scores.vocabulary)

    def _read_together(
        self, segments: Sequence[Tensor], device: torch.device, copies: int
    ) -> Iterator[tuple[Tensor, list[int]]]:
        """The tokens of as many segments as fit into memory at a time, and how many each has.

        One product for all of them takes few operators, and makes the gradient of the table once. Each copy has its own
        products, of the same shapes: half precision then rounds all copies alike.
        """
        own = len(segments) // copies
        for copy in range(copies):
            for part in element_parts(segments[copy * own : (copy + 1) * own], max(1, LOGITS // len(self.table))):
                yield on_device(torch.cat(part), device), list(map(len, part))


@dataclass(frozen=True)
class _SegmentTargets:
    """The targets of a segment's sequences.

    Attributes:
        tokens: numbers of their tokens in the pack [n], on the CPU.
        lengths: tokens of each target.
        count: targets of each sequence, C.
    """

    tokens: Tensor
    lengths: Sequence[int]
    count: int

    def log_likelihoods(self, scores: TokenScores) -> Tensor:
        """Of each target of each sequence [S, C]."""
        return -_sums(scores.losses, torch.tensor(self.lengths)).view(-1, self.count)


class _TargetPlaces:
    """Which targets are whose, and which tokens are theirs; lists, as tensors so small take longer."""

    def __init__(self, targets: PackedTargets) -> None:
        self._targets = targets
        self._firsts = list(accumulate(targets.counts, initial=0))
        self._starts = list(accumulate(targets.lengths, initial=0))

    def of(self, sequences: Sequence[int]) -> _SegmentTargets:
        """The targets of some sequences, which must have as many each."""
        counts = {self._targets.counts[number] for number in sequences}
        if len(counts) != 1 or 0 in counts:
            raise ValueError(f"the sequences of a segment have {sorted(counts)} targets; expected as many each")
        firsts, starts = self._firsts, self._starts
        members = [one for number in sequences for one in range(firsts[number], firsts[number + 1])]
        tokens = [token for one in members for token in range(starts[one], starts[one + 1])]
        return _SegmentTargets(torch.tensor(tokens), [self._targets.lengths[one] for one in members], *counts)


def _sequences_read(batch: PackedBatch, targets: PackedTargets) -> Iterator[Sequence[int]]:
    """For each segment the numbers of the sequences that its units say, in order."""
    number_of = {start: number for number, start in enumerate(accumulate(batch.lengths, initial=0))}
    firsts = list(accumulate(targets.counts, initial=0))
    # rows of answers, and so units, of a sequence
    rows = [targets.lengths[first] if count == 1 else 1 for first, count in zip(firsts, targets.counts, strict=False)]
    for segment, units in zip(batch.segments, batch.units, strict=True):
        own = range(number_of[segment.start], number_of[segment.end])
        if sum(rows[number] for number in own) == len(units):
            yield own
            continue
        found, at = [], 0  # some of them lie in other segments (``pack_once``)
        tokens = units.tolist()
        while at < len(tokens):
            found.append(number_of[tokens[at]])
            at += rows[found[-1]]
        yield found


def _sums(values: Tensor, lengths: Tensor) -> Tensor:
    """The sum of each run of values [n], by its length [T] on the CPU: [T]; repeatable, on a GPU too."""
    longest = int(lengths.max())
    slots = (torch.arange(longest) < lengths[:, None]).flatten().nonzero().squeeze(1)
    padded = values.new_zeros(len(lengths) * longest).index_copy(0, on_device(slots, values.device), values)
    return padded.view(len(lengths), longest).sum(1)
