"""Blocks to HTML: one file with its style inside, no script, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from skill_plugin.report.page.section import Section


def render(title: str, subtitle: str, sections: Sequence[Section]) -> str:
    """The page.

    Args:
        title: its heading.
        subtitle: a line below.
        sections: in order.
    """
    template = _environment().get_template("page.html")
    return template.render(title=title, subtitle=subtitle, sections=sections)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = PackageLoader("skill_plugin.report.page", "templates")
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
