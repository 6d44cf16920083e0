"""What the default of an option means for each architecture."""

from __future__ import annotations

from skill_plugin.options.option import PAPER, Option
from skill_plugin.variants.catalogue import ARCHITECTURES, MODELS

_NAMED = 3  # as many variants or architectures are named; more are "the others"


def default_words(option: Option) -> str:
    """What the default means, as ``10 for moe_top2, 4 for mt_switch and mt_tag``; empty where it is one for all."""
    defaults = _defaults_of(option)
    named: dict[str, list[str]] = {}
    for variant in MODELS:
        own = {name: value for name, value in defaults.items() if ARCHITECTURES[name][0] == variant}
        alike = {variant: next(iter(own.values()))} if len(set(own.values())) == 1 else own
        for name, value in alike.items():
            named.setdefault(value, []).append(name)
    few = [f"{value} for {' and '.join(names)}" for value, names in named.items() if len(names) <= _NAMED]
    others = [f"{value} for the others" for value, names in named.items() if len(names) > _NAMED]
    return ", ".join(few + others)


def help_of(option: Option) -> str:
    """What an option does, and its default where that depends on the architecture."""
    words = default_words(option)
    stands_for = PAPER if option.default == PAPER else "default"
    return f"{option.help} ({stands_for}: {words})" if words else option.help


def _defaults_of(option: Option) -> dict[str, str]:
    """By architecture; empty where the default is the same for all."""
    if option.published is None:
        return {}
    found = {name: option.published(MODELS[variant], size) for name, (variant, size) in ARCHITECTURES.items()}
    return {name: str(value) for name, value in found.items() if value is not None}
