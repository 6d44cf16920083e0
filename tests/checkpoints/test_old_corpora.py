"""Which old corpora stay bit by bit: told from names, and shown by outputs after all that a run trains has moved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from skill_plugin.checkpoints.build_model import build_model, with_new_parameters
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.checkpoints.old_corpora import find_moved, moved_lines
from skill_plugin.nn.packed_batch import EncodedSequence, pack
from skill_plugin.spec.corpora_file import parse_corpora_file
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.expert_options import ExpertOptions
from tests.checkpoints.test_reuse import TRAINED, section


def bundle(variant: str, skills: str, names: dict[str, str], freeze: str = "none") -> Bundle:
    sections = [section(name, ("yes", "no"), f"skills: [{active}]") for name, active in names.items()]
    text = f"languages: [en]\nskills: {skills}\ncorpora:\n{''.join(sections)}"
    parse_corpora_file(text, Path("corpora.yaml"))
    labels, facts = dict.fromkeys(names, ("yes", "no")), {name: {} for name in names}
    return replace(
        TRAINED, variant=variant, corpora_text=text, labels=labels, facts=facts, experts=ExpertOptions(), freeze=freeze
    )


@pytest.mark.parametrize("freeze", ["old", "none"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_outputs_of_corpora_that_are_told_to_stay_are_bit_identical(variant: str, freeze: str) -> None:
    old = bundle(variant, "{s: on, t: on}", {"a": "s", "b": "t"})
    now = bundle(variant, "{s: on, t: on, new: on}", {"a": "s", "b": "t", "c": "t, new"}, freeze)
    now = with_new_parameters(now, build_model(old).state_dict())
    torch.manual_seed(0)
    model = build_model(now).eval()
    moved = find_moved(model, now, ["c"], old)
    rng = np.random.default_rng(0)
    members = [EncodedSequence(rng.integers(0, 6, n), np.zeros(n, np.int64)) for n in (7, 3)]

    def outputs(corpus: str) -> torch.Tensor:
        batch = pack([(now.active_set(corpus), corpus, members)], token_types=False)
        return model.encoder(batch).hidden

    before = {corpus: outputs(corpus) for corpus in ("a", "b")}
    uses = {name for name, p in model.named_parameters() if p.grad_fn is None and p.requires_grad}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            others = (".task_skills.s.", "gates.a.", "gates.b.", "rows.a.", "rows.b.", "heads.a.", "heads.b.")
            if name in uses and not any(other in name for other in others):  # what c uses
                parameter.add_(torch.randn_like(parameter))
    for corpus, hidden in before.items():
        assert torch.equal(hidden, outputs(corpus)) == (not moved[corpus]), (corpus, moved)
    assert (moved == {"a": [], "b": []}) == (freeze == "old")
    lines = moved_lines(moved)
    assert lines[0].endswith("bit by bit: a, b" if freeze == "old" else "bit by bit: none")
