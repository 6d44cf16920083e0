"""One forward pass for all readers of a pack."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from skill_plugin.data.together import SharedPack
from skill_plugin.data.write_answers import write_answers
from skill_plugin.kinds.items import Items
from skill_plugin.nn.multitask_model import MultitaskModel
from skill_plugin.nn.pooled_states import pooled_states

Wanted = Literal["answers", "logits", "states"]  # reduced outputs of heads, all of them, or pooled hidden states


@torch.no_grad()
def answer_pack(
    model: MultitaskModel,
    wanted: Wanted,
    items: Callable[[str], Items],
    token_types: bool,
    device: torch.device,
    shared: SharedPack,
) -> list[Tensor]:
    """The outputs of each reader, float32 on the device.

    Args:
        model: in evaluation mode.
        wanted: see ``Wanted``; for states the requests' units are first tokens.
        items: those of a corpus.
        token_types: whether the encoder reads token types.
        device: where the model is.
        shared: the pack.
    """
    of_corpora = [items(reader.corpus) for reader in shared.readers]
    writing = [wanted == "answers" and one.most_written > 0 for one in of_corpora]
    if any(writing) and not all(writing):
        answer = partial(answer_pack, model, wanted, items, token_types, device)
        apart = {which: iter(answer(shared.of([one is which for one in writing]))) for which in (True, False)}
        return [next(apart[which]) for which in writing]
    batch = shared.pack(token_types).to(device)
    if wanted == "states":
        pooled = pooled_states(model.encoder(batch).hidden, batch)
        starts = torch.tensor([0, *batch.lengths[:-1]], device=device).cumsum(0)
        return [pooled[torch.searchsorted(starts, units)] for units in batch.units]
    if any(writing):
        return write_answers(model, batch, [one.most_written for one in of_corpora])
    answers: list[Tensor] = model(batch).answers
    answers = [
        one.reduce(own, None) if wanted == "answers" else one.scaled(own)
        for one, own in zip(of_corpora, answers, strict=True)
    ]
    return [own.float() for own in answers]
