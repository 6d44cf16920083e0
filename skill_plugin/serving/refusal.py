"""Why a request is not answered, in one line."""

from __future__ import annotations

from skill_plugin.errors import shown

_LONGEST = 500  # characters of a message: what was sent may be part of it


class RefusedError(Exception):
    """A request that is not answered.

    Args:
        status: of HTTP.
        message: one line for a person.
        headers: of the response.
    """

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        message = shown(message)
        if len(message) > _LONGEST:
            half = _LONGEST // 2
            message = f"{message[:half]} … {message[-half:]}"
        self.status, self.message, self.headers = status, message, headers or {}
        super().__init__(self.message)


def busy(why: str, seconds: float, headers: dict[str, str] | None = None) -> RefusedError:
    """Too much is waiting; it is likely to be answered in so many seconds, of which 1 to 60 are told."""
    wait = max(1, min(60, round(seconds + 0.5)))
    return RefusedError(503, why, {"Retry-After": str(wait), **(headers or {})})
