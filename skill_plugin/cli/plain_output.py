"""What is printed where standard output has another encoding than UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys

_NAME = "skill-plugin-plain"
# one character for each, so that columns stay in line
_INSTEAD = dict(zip("▁▂▃▄▅▆▇█…·–→≤±×", ".:-=+*%#~/->=~x", strict=True))


def plain_output() -> None:
    """Makes standard output print what its encoding lacks as something that it has: no command ends for a sign of ours.

    Texts, labels and names become escapes (``\\u4e2d``), as on standard error.
    """
    if not isinstance(sys.stdout, io.TextIOWrapper) or codecs.lookup(sys.stdout.encoding).name.startswith("utf"):
        return  # it lacks nothing, or a program put a stream of its own in its place
    codecs.register_error(_NAME, _replacement)
    with contextlib.suppress(OSError):  # of a file in whose place a program put a pipe
        sys.stdout.reconfigure(errors=_NAME)


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    escaped = (_INSTEAD.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in lacking)
    return "".join(escaped), error.end
