"""TextEmb: what the texts of a corpus are like to a pretrained encoder, before any training (thesis, section 2.4).

Axes: N tokens of a pack, D width.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from skill_plugin.data.corpus_examples import CorpusExamples
from skill_plugin.inference.progress import ProgressCallback
from skill_plugin.nn.encoder import Encoder
from skill_plugin.nn.packed_batch import pack
from skill_plugin.objectives.ragged_rows import ragged_means_of_rows
from skill_plugin.sampling.passes import cut_batches


@torch.no_grad()
def text_embedding(
    encoder: Encoder,
    examples: CorpusExamples,
    device: torch.device,
    batch_size: int,
    max_tokens: int,
    progress: ProgressCallback,
) -> NDArray[np.float64]:
    """The mean over examples of the mean of an example's last-layer token states [D].

    Special tokens count, as all others; of an example with several sequences, all tokens of all.

    Args:
        encoder: without dropout.
        examples: whose sequences are read as they are, with nothing hidden.
        device: where the encoder is.
        batch_size, max_tokens: sequences and tokens of a forward pass; an example is in one pass.
        progress: told how far it is.
    """
    order = np.argsort(examples.lengths, kind="stable").astype(np.int64)
    batches = cut_batches(order, examples.lengths, batch_size, max_tokens, examples.sequence_counts)
    types = getattr(encoder.embeddings, "token_types", None)  # mT5's have none
    total = torch.zeros(encoder.embeddings.tokens.embedding_dim, dtype=torch.float64, device=device)
    for done, batch in enumerate(batches, 1):
        of_examples = [examples.sequences(int(index)) for index in batch]
        lengths = [sum(len(one.tokens) for one in sequences) for sequences in of_examples]
        members = [one for sequences in of_examples for one in sequences]
        packed = pack([(examples.active, examples.head, members)], types is not None and types.num_embeddings > 1)
        hidden = encoder(packed.to(device)).hidden.double()
        total += ragged_means_of_rows(hidden, torch.tensor(lengths, device=device)).sum(0)
        progress(examples.name, len(batches), done)
    return np.asarray((total / len(examples)).cpu().numpy(), np.float64)
