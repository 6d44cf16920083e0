"""Which names corpora, heads, skills and languages may have."""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.spec.yaml_lines import Mangled, explain, show

# first a letter or digit, so that a name is never taken for an option of a command or a private attribute
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

# Names become keys of torch.nn.ModuleDict, which refuses what is already an attribute of it. This list stands here
# because the corpora file is read without torch; a test compares it with torch's own.
_ATTRIBUTES = """
    T_destination add_module apply bfloat16 buffers call_super_init children clear compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu items keys
    load_state_dict modules mtia named_buffers named_children named_modules named_parameters parameters pop
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train
    training type update values xpu zero_grad
"""
RESERVED = frozenset(_ATTRIBUTES.split())
RESERVED_CORPORA = frozenset({"text"})  # folders of a data folder that are no corpora


def split_names(text: str) -> list[str]:
    """``a,b`` as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def read_only_corpora(text: str | None) -> list[str] | None:
    """The names of ``--only-corpora``, separated by commas, as ``a,b``; None where it was not given.

    Raises:
        InputError: no name in it, or one twice.
    """
    names = split_names(text or "")
    if text and not names:
        raise InputError(f"--only-corpora {text}: expected names separated by commas, as a,b")
    refuse_repeats(names, "--only-corpora")
    return names or None


def check_name(name: Any, what: str, file: str | PathLike[str], line: int | None) -> str:
    """The name as a string.

    Args:
        what: ``corpus``, ``head``, ``skill`` or ``language``, for messages.

    Raises:
        InputError: not a name, characters outside [A-Za-z0-9_-], or a reserved word.
    """
    if isinstance(name, Mangled | bool):
        raise InputError(f"the {what} {explain(name)}", file, line)
    if not isinstance(name, str | int):
        raise InputError(f"expected the name of a {what}, not {show(name)}", file, line)
    text = str(name)
    if not NAME.fullmatch(text):
        expected = "letters, digits, '_' and '-' of ASCII, a letter or digit first"
        raise InputError(f"the {what} {text!r} is not a name that can be used; expected {expected}", file, line)
    if text in RESERVED or (what == "corpus" and text in RESERVED_CORPORA):
        raise InputError(
            f"the {what} {text!r} has a reserved name; choose another, such as '{text}_{what}'", file, line
        )
    return text
