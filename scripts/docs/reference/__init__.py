"""Pages of the reference, made from the code each time that the documentation is built."""

from __future__ import annotations

from collections.abc import Callable

from reference.commands import commands
from reference.fairseq_faults import fairseq_faults
from reference.keys import keys
from reference.kinds import kinds
from reference.options import options

PAGES: dict[str, Callable[[], str]] = {  # path of the page -> its Markdown
    "reference/options.md": options,
    "reference/keys.md": keys,
    "reference/kinds.md": kinds,
    "reference/commands.md": commands,
    "reference/fairseq-faults.md": fairseq_faults,
}
