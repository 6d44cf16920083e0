"""The sections of the page, a file each, in the order of ``SECTIONS``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from skill_plugin.report.page.page_data import PageData
from skill_plugin.report.page.section import Section
from skill_plugin.report.page.sections import analyses, data, errors, model, scores, settings, training

SECTIONS: Sequence[Callable[[PageData], Section]] = (
    scores.section,
    training.section,
    errors.section,
    data.section,
    model.section,
    analyses.section,
    settings.section,
)
