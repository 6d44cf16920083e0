"""A bank of modules of one shape, some of which a token uses."""

from __future__ import annotations

from collections.abc import Iterable

from torch import nn


class Bank(nn.ModuleDict):
    """Modules by name.

    Args:
        chosen_by: the part of an ``ActiveSet`` whose names say which of them a segment activates; None where the tokens
            choose by themselves (experts).
        modules: name and module.
    """

    def __init__(self, chosen_by: str | None, modules: Iterable[tuple[str, nn.Module]]) -> None:
        super().__init__(dict(modules))
        self.chosen_by = chosen_by

    @property
    def first(self) -> nn.Module:
        """Any of them, since all are alike; the bank itself where there is none."""
        return next(iter(self.values()), self)

    def named(self, names: Iterable[str]) -> list[nn.Module]:
        """The modules of some names, in their order.

        Raises:
            ValueError: there is no module of a name.
        """
        found = []
        for name in names:
            if name not in self:
                raise ValueError(f"no {self.chosen_by} {name!r}; there are: {', '.join(self)}")
            found.append(self[name])
        return found


def choices_of(model: nn.Module) -> dict[str, tuple[str, ...]]:
    """The names that segments choose among in a model, by the part of an ``ActiveSet`` that says which."""
    banks = [module for module in model.modules() if isinstance(module, Bank)]
    return {bank.chosen_by: tuple(bank) for bank in banks if bank.chosen_by is not None and len(bank)}


def chosen_by_tokens(model: nn.Module) -> list[list[nn.Parameter]]:
    """The parameters of each module that tokens choose by themselves, so that any of them may be without tokens."""
    banks = [one for one in model.modules() if isinstance(one, Bank) and one.chosen_by is None]
    return [list(one.parameters()) for bank in banks for one in bank.values()]
