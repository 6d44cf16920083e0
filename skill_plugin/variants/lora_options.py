"""Options of low-rank adapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from skill_plugin.errors import InputError, nearest
from skill_plugin.options.allowed_values import DROPOUT, POSITIVE, Range
from skill_plugin.options.option import Options, option

TARGETS = ("query", "key", "value", "output", "fc1", "fc2")
_SEVERAL = {"qkv": ("query", "key", "value"), "all": TARGETS}

# The thesis (section 4.4) has rank and alpha 32 and dropout 0.1, and names no matrices: those are then peft's for its
# models, query and value, as in the paper on LoRA (section 4.2).
_DROPOUT = 0.1
_TARGETS = ("query", "value")


def read_targets(text: str) -> tuple[str, ...]:
    """What ``--lora-targets`` says: names separated by commas; nothing = query and value.

    Raises:
        InputError: an unknown one.
    """
    names: set[str] = set()
    for name in (part.strip() for part in text.split(",") if part.strip()):
        known = (*TARGETS, *_SEVERAL)
        if name not in known:
            raise InputError(f"--lora-targets: nothing is called {name!r}{nearest(name, known)}")
        names.update(_SEVERAL.get(name, (name,)))
    return tuple(name for name in TARGETS if name in (names or _TARGETS))


@dataclass(frozen=True)
class LoraOptions(Options):
    """The adapters of a model.

    Attributes:
        rank: R; 0 = there are none.
        alpha: what B A gives is multiplied by alpha / R.
        dropout: on what is adapted, while training.
        targets: which maps are adapted, some of ``TARGETS``.
    """

    title: ClassVar[str] = "low-rank adapters"

    rank: int = option(
        "lora_rank",
        int,
        0,
        "rank of the low-rank adapters (LoRA) that train, with heads and gates, beside the encoder of --init-from, "
        "which stays as it is (0: no adapters, the encoder trains)",
        allowed=Range(0, note=" (0: no adapters)"),
    )
    alpha: float = option(
        "lora_alpha",
        float,
        None,
        "what an adapter gives is multiplied by alpha / rank (default: the rank)",
        allowed=POSITIVE,
        absent=0.0,
    )
    dropout: float = option(
        "lora_dropout",
        float,
        None,
        f"dropout on what goes into an adapter (default: {_DROPOUT})",
        allowed=DROPOUT,
        absent=0.0,
    )
    targets: tuple[str, ...] = option(
        "lora_targets",
        str,
        "",
        f"which maps have adapters, some of {','.join(TARGETS)}; qkv: the first three; all "
        f"(default: {','.join(_TARGETS)})",
        read=read_targets,
        absent=(),
    )

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """Reads the options: with a rank the others have defaults, without one none of them may be given.

        Raises:
            InputError: a value that cannot be read, or options of adapters that there are not.
        """
        if written["lora_rank"] == 0:
            for one in cls.options():
                if written[one.name] != one.default:
                    raise InputError(f"{one.flag} {written[one.name]}: goes with --lora-rank, which is 0")
            return cls()
        kept = cls.read_fields(written)
        kept["alpha"] = float(kept["rank"] if kept["alpha"] is None else kept["alpha"])
        kept["dropout"] = _DROPOUT if kept["dropout"] is None else kept["dropout"]
        return cls(**kept)

    def check(self, width: int) -> None:
        """Checks that the rank fits an encoder of this width.

        Raises:
            InputError: it does not.
        """
        if self.rank > width:
            raise InputError(f"--lora-rank {self.rank}: expected at most {width}, the encoder's width")
