"""Options that are declared once: in the dataclass that keeps their values, and read from whatever names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, Self

from skill_plugin.options.allowed_values import Allowed, check_value

PAPER = "paper"  # a choice: what the published model has


@dataclass(frozen=True)
class Option:
    """An option as it is written on a command line, in a configuration and in the documentation.

    Attributes:
        name: in a configuration, as ``expert_layers``.
        type: of a value as it is written: int, float, str, or bool for a flag that is off unless given.
        default: as it is written; None where nothing stands for it.
        help: what it does, without the values that it may have.
        allowed: the numbers that it may be.
        choices: the names that it may be, where those are all.
        read: from what is written to what is kept.
        published: (a ``Variant``, a ``Size``) -> what the default means for this architecture, None where the option is
            not for it; without it the default is the same for all.
    """

    name: str
    type: type[int | float | str | bool]
    default: int | float | str | bool | None
    help: str
    allowed: Allowed | None = None
    choices: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    published: Callable[[Any, Any], Any] | None = None

    @property
    def flag(self) -> str:
        """On the command line, as ``--expert-layers``."""
        return f"--{self.name.replace('_', '-')}"

    def kept(self, written: Any) -> Any:
        """What is kept of a value.

        Raises:
            InputError: out of range, or cannot be read.
        """
        if self.choices:
            written = str(written)  # fairseq makes them members of an enumeration
        if self.allowed is not None:
            check_value(self.flag, written, self.allowed)
        return written if self.read is None else self.read(written)

    def written(self, kept: Any) -> Any:
        """The reverse of ``kept``: what would be written for a value that is kept."""
        if self.choices:
            return next(choice for choice in self.choices if self.kept(choice) == kept)
        return ",".join(map(str, kept)) if isinstance(kept, tuple) else kept


def option(
    name: str, type: type[int | float | str | bool], default: Any, help: str, *, absent: Any = MISSING, **more: Any
) -> Any:
    """A field of ``Options``, and the option that sets it.

    Args:
        name, type, default, help: as in ``Option``.
        absent: the field's value where nobody was asked for it, as in checkpoints of before; left out, that of the
            option's default.
        more: the other attributes of ``Option``.
    """
    declared = Option(name, type, default, help, **more)
    return field(default=declared.kept(default) if absent is MISSING else absent, metadata={"option": declared})


class Options:
    """Base of dataclasses of which fields are made by ``option``, or are such dataclasses, with one as default."""

    title: ClassVar[str]
    __pydantic_config__: ClassVar = {"extra": "forbid"}  # a file's option that is not known is not passed over

    @classmethod
    def options(cls) -> list[Option]:
        """Those of the class and of the groups in it, in order."""
        return [one for group in cls.groups() for one in group.own().values()]

    @classmethod
    def groups(cls) -> list[type[Options]]:
        """The class and the groups in it."""
        inner = [type(one.default) for one in _fields(cls) if isinstance(one.default, Options)]
        return [cls, *(deep for group in inner for deep in group.groups())]

    @classmethod
    def own(cls) -> dict[str, Option]:
        """The options of its fields, by the names of the fields."""
        return {one.name: one.metadata["option"] for one in _fields(cls) if "option" in one.metadata}

    @classmethod
    def read_fields(cls, written: Mapping[str, Any]) -> dict[str, Any]:
        """Values of the fields that are options, and of the groups.

        Args:
            written: a value for each option, by its name.

        Raises:
            InputError: a value that is out of range or cannot be read.
        """
        own = {name: one.kept(written[one.name]) for name, one in cls.own().items()}
        groups = {one.name: one.default for one in _fields(cls) if isinstance(one.default, Options)}
        return {**own, **{name: group.read(written) for name, group in groups.items()}}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """``read_fields`` as one of these."""
        return cls(**cls.read_fields(written))

    def given(self) -> dict[str, Any]:
        """What is not as where nobody was asked: as it is written, by the names of the options."""
        found: dict[str, Any] = {}
        for one in _fields(self):
            value = getattr(self, one.name)
            if "option" in one.metadata and value != one.default:
                declared: Option = one.metadata["option"]
                found[declared.name] = declared.written(value)
            elif isinstance(one.default, Options):
                found |= value.given()
        return found


def _fields(group: Any) -> tuple[Field[Any], ...]:
    return fields(group)
