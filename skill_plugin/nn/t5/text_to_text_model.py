"""An encoder and a decoder whose answers are texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import torch
import torch.nn.functional as F
from torch import Tensor

from skill_plugin.nn.dropout import share_masks
from skill_plugin.nn.heads.token_scores import TokenScores, score_tokens
from skill_plugin.nn.multitask_model import MultitaskModel, MultitaskOutput
from skill_plugin.nn.on_device import on_device
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.packed_targets import PackedTargets
from skill_plugin.nn.padded_view import tokens_of
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
        answers = [
            self._answer_by_targets(hidden, targets, places, sequences, right)
            for sequences, right in zip(
                _sequences_read(batch, targets), classes or [None] * len(batch.segments), strict=True
            )
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

    def _answer_by_targets(
        self,
        hidden: Tensor,
        targets: PackedTargets,
        places: _TargetPlaces,
        sequences: Sequence[int],
        classes: Tensor | None,
    ) -> Tensor | TokenScores:
        counts = {targets.counts[number] for number in sequences}
        if len(counts) != 1 or 0 in counts:
            raise ValueError(f"the sequences of a segment have {sorted(counts)} targets; expected as many each")
        members = places.targets_of(sequences)
        rows = on_device(tokens_of(places.lengths, members), hidden.device)
        x, (count,) = hidden.index_select(0, rows), counts
        if count == 1:
            if classes is not None:
                return score_tokens(x, self.table, self.never, classes)
            return F.linear(x, self.table, self.never)
        losses = score_tokens(x, self.table, self.never, targets.tokens.index_select(0, rows)).losses
        return -_sums(losses, places.lengths[members]).view(len(sequences), count)


class _TargetPlaces:
    """Which targets are whose.

    Attributes:
        lengths: tokens of each target [T], on the CPU.
    """

    def __init__(self, targets: PackedTargets) -> None:
        self.lengths = torch.tensor(targets.lengths)
        self._counts = torch.tensor(targets.counts)

    def targets_of(self, sequences: Sequence[int]) -> Tensor:
        """Numbers of the targets of some sequences [t], on the CPU."""
        return tokens_of(self._counts, torch.tensor(sequences))


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
