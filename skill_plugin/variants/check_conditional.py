"""Options of conditional modules against the model that they are for."""

from __future__ import annotations

from skill_plugin.errors import InputError, nearest
from skill_plugin.variants.ca_mtl import FORMS, MODULES, chosen_modules
from skill_plugin.variants.catalogue import VARIANTS
from skill_plugin.variants.slots import ConditionalOptions

BLOCKS = ("diagonal", "full")


def conditional_options(modules: str, length: int | None, blocks: str, form: str) -> ConditionalOptions:
    """What ``--conditional``, ``--conditional-length``, ``--conditional-blocks`` and ``--conditional-form`` say.

    Args:
        modules: names separated by commas; nothing = all.
        length: None = the default.
        blocks: one of ``BLOCKS``.
        form: one of ``FORMS``, or ``paper``.

    Raises:
        InputError: something else.
    """
    names = [name.strip() for name in modules.split(",") if name.strip()]
    for name in names:
        if name not in MODULES:
            raise InputError(f"--conditional {modules}: no such module {name!r}{nearest(name, MODULES)}")
    return ConditionalOptions(
        modules=tuple(name for name in MODULES if name in names) if names else None,
        length=ConditionalOptions.length if length is None else length,
        full_block=blocks == "full",
        form=form,
    )


def check_conditional(variant: str, options: ConditionalOptions) -> None:
    """That the options fit the variant and one another.

    Args:
        variant: a name of ``VARIANTS``.
        options: of its conditional modules.

    Raises:
        InputError: they do not.
    """
    if not VARIANTS[variant].conditional:
        if options != ConditionalOptions():
            having = ", ".join(name for name, other in VARIANTS.items() if other.conditional)
            raise InputError(
                f"{variant} has no conditional modules: --conditional and what belongs to it are for {having}"
            )
        return
    modules = chosen_modules(options)
    if "attention" not in modules and (options.full_block or options.length != ConditionalOptions.length):
        raise InputError(
            "--conditional-length and --conditional-blocks are about attention, which is not among --conditional"
        )
    if "bottleneck" not in modules and options.form in FORMS:
        raise InputError(f"--conditional-form {options.form} is about the bottleneck, which is not among --conditional")
