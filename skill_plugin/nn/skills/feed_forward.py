"""The skill feed-forward layer: one feed-forward network per skill, the mean over the active ones."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from skill_plugin.nn.bank import Bank
from skill_plugin.nn.compute_dtype import compute_dtype
from skill_plugin.nn.feed_forward import FeedForward
from skill_plugin.nn.grouped import available
from skill_plugin.nn.grouped.feed_forwards import grouped_feed_forwards
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
        self.task_skills = Bank("skills", ((name, FeedForward(width, inner)) for name in task_skills))
        self.language_skills = Bank("language", ((name, FeedForward(width, inner)) for name in language_skills))

    def forward(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """[N, D] -> [N, D]"""
        x = x.to(compute_dtype(x))
        if available.has_grouped_product((self.task_skills or self.language_skills).first, x):
            return self._grouped(x, batch)
        modules = {f"task {name}": module for name, module in self.task_skills.items()}
        modules |= {f"language {name}": module for name, module in self.language_skills.items()}
        active = [[f"task {name}" for name in segment.active.skills] for segment in batch.segments]
        if self.language_skills:
            for names, segment in zip(active, batch.segments, strict=True):
                names.append(f"language {segment.active.language}")
        return mean_of_active(x, batch.spans, active, modules)

    def _grouped(self, x: Tensor, batch: PackedBatch) -> Tensor:
        """All active networks at once."""
        modules = self.task_skills.named(batch.active.skills.names)
        active = batch.active.skills
        if self.language_skills:
            modules += self.language_skills.named(batch.active.language.names)
            active = batch.active.skills_and_language
        if len(modules) == 1:
            return modules[0](x)
        total = grouped_feed_forwards(modules, x, active.present, active.dispatch)  # type: ignore[arg-type]
        return (total * active.shares).to(total.dtype)
