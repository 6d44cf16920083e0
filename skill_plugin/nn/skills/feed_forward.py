"""The skill feed-forward layer: one feed-forward network per skill, the mean over the active ones."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.packed_batch import PackedBatch
from skill_plugin.nn.skills.mean_of_active import mean_of_active


class SkillFeedForward(nn.Module):
    """FFN^Skill(x) = MeanPooling(M_(x) * S) (SkillNet-X, section 3.2, equations 3 to 5).

    Args:
        width: D.
        inner: F of every skill's network.
        task_skills: names of the task skills.
        language_skills: names of the language skills; empty when languages have no feed-forward network (section 3.3).
    """

    def __init__(self, width: int, inner: int, task_skills: Sequence[str], language_skills: Sequence[str] = ()) -> None:
        super().__init__()
        self.task_skills = nn.ModuleDict({name: FeedForward(width, inner) for name in task_skills})
        self.language_skills = nn.ModuleDict({name: FeedForward(width, inner) for name in language_skills})

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]"""
        modules = {f"task {name}": module for name, module in self.task_skills.items()}
        modules |= {f"language {name}": module for name, module in self.language_skills.items()}
        active = [[f"task {name}" for name in segment.active.skills] for segment in batch.segments]
        if self.language_skills:
            for names, segment in zip(active, batch.segments, strict=True):
                names.append(f"language {segment.active.language}")
        return mean_of_active(x, batch.spans, active, modules)
