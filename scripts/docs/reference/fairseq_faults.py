"""The page of faults of fairseq that the plugin works around: what each file of ``compat`` says of its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import skill_plugin

INTRODUCTION = """\
# Faults of fairseq that are worked around

fairseq 0.12.3 was made for the torch, numpy and omegaconf of its time. Each of these faults is worked around in a file
of its own, in every process that imports the plugin. The file says how to know that it is no longer needed, and has a
test that fails without it.
"""


def fairseq_faults() -> str:
    """A section for each fault."""
    folder = Path(skill_plugin.__file__).parent / "compat"
    return "\n".join((INTRODUCTION, *filter(None, map(_section, sorted(folder.glob("*.py"))))))


def _section(file: Path) -> str | None:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    if not re.search(r"^Faults? ?", text, re.MULTILINE) or "No longer needed:" not in text:
        return None  # no fault, but what the others share
    title, _, rest = text.partition("\n")
    rest = rest.replace("``", "`")
    for begin in ("Faults of fairseq 0.12.3:", "Fault:", "No longer needed:", "Limit:"):
        rest = re.sub(rf"^{re.escape(begin)}", f"**{begin}**", rest, flags=re.MULTILINE)
    return f"## {title.rstrip('.').replace('``', '`')}\n\n{rest.strip()}\n"
