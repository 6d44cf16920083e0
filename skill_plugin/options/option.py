"""Options of a model are declared once, in the dataclass that holds their values, and read from a command line,
a configuration or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, Self

from skill_plugin.options.allowed_values import Allowed, check_value
from skill_plugin.options.flag import flag_of

PAPER = "paper"  # the choice that stands for what the published model has


@dataclass(frozen=True)
class Option:
    """An option as it is written on a command line, in a configuration and in the documentation.

    Attributes:
        name: its name in a configuration, such as ``expert_layers``.
        type: the type of a written value: int, float, str, or bool for a flag that is off unless given.
        default: the default as it would be written; None if no written value means the default.
        help: what the option does, without the values that it may have.
        allowed: the values that are allowed; None if all are.
        choices: all names that it may be; empty if it takes other values.
        read: turns a written value into the value that is kept.
        published: (a ``PublishedModel``, a size) -> what the default means for this architecture, None where the option
            is not for it; without it the default is the same for all.
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
        """The option on the command line, such as ``--expert-layers``."""
        return flag_of(self.name)

    def kept(self, written: Any) -> Any:
        """The value to keep for a written one.

        Raises:
            InputError: the value is out of range or cannot be read.
        """
        if self.choices:
            written = str(written)  # fairseq makes them members of an enumeration
        if self.allowed is not None:
            check_value(self.flag, written, self.allowed)
        return written if self.read is None else self.read(written)

    def written(self, kept: Any) -> Any:
        """The reverse of ``kept``: the written form of a kept value."""
        if self.choices:
            return next(choice for choice in self.choices if self.kept(choice) == kept)
        return ",".join(map(str, kept)) if isinstance(kept, tuple) else kept


def option(
    name: str, type: type[int | float | str | bool], default: Any, help: str, *, absent: Any = MISSING, **more: Any
) -> Any:
    """A field of ``Options``, and the option that sets it.

    Args:
        name, type, default, help: as in ``Option``.
        absent: the field's value in a file that does not name the option, such as a checkpoint from before it existed;
            by default what the option's default means.
        more: the other attributes of ``Option``.
    """
    declared = Option(name, type, default, help, **more)
    return field(default=declared.kept(default) if absent is MISSING else absent, metadata={"option": declared})


class Options:
    """Base of dataclasses of options: a field is made by ``option``, or is a group, itself such a dataclass."""

    title: ClassVar[str]
    __pydantic_config__: ClassVar = {"extra": "forbid"}  # an unknown option in a file is an error

    @classmethod
    def options(cls) -> list[Option]:
        """The options of the class and of its groups, in order."""
        return [one for group in cls.groups() for one in group.own().values()]

    @classmethod
    def groups(cls) -> list[type[Options]]:
        """The class itself and the groups in it."""
        inner = [type(one.default) for one in _fields(cls) if isinstance(one.default, Options)]
        return [cls, *(deep for group in inner for deep in group.groups())]

    @classmethod
    def own(cls) -> dict[str, Option]:
        """The options that are fields of this class itself, by the names of the fields."""
        return {one.name: one.metadata["option"] for one in _fields(cls) if "option" in one.metadata}

    @classmethod
    def read_fields(cls, written: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all fields, groups included, from written values.

        Args:
            written: a value for each option, by its name.

        Raises:
            InputError: a value is out of range or cannot be read.
        """
        own = {name: one.kept(written[one.name]) for name, one in cls.own().items()}
        groups = {one.name: one.default for one in _fields(cls) if isinstance(one.default, Options)}
        return {**own, **{name: group.read(written) for name, group in groups.items()}}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """An instance made of ``read_fields``."""
        return cls(**cls.read_fields(written))

    def given(self) -> dict[str, Any]:
        """The options whose values differ from the fields' defaults: written values by the options' names."""
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
