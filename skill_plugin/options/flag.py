"""How the option of a field is written on a command line."""

from __future__ import annotations

_NAMED = {"corpus_sampling": "sampling"}  # a field called `sampling` would be fairseq's generation option of that name


def flag_of(field: str) -> str:
    """The option that sets a field of a configuration.

    >>> flag_of("max_update"), flag_of("corpus_sampling")
    ('--max-update', '--sampling')
    """
    return f"--{_NAMED.get(field, field).replace('_', '-')}"
