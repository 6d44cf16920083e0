"""Options of conditional models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from skill_plugin.errors import InputError, nearest
from skill_plugin.options.allowed_values import SIZE
from skill_plugin.options.option import PAPER, Options, option
from skill_plugin.variants.encoder_shape import SIZES, EncoderShape, Size

if TYPE_CHECKING:
    from skill_plugin.variants.catalogue import PublishedModel

MODULES = ("attention", "alignment", "norm", "bottleneck")  # table 3.1 adds them one after the other
FORMS = ("base", "large")
LENGTH = 128


def read_modules(text: str) -> tuple[str, ...] | None:
    """What ``--conditional`` says: names separated by commas; nothing = all.

    Raises:
        InputError: an unknown one.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MODULES:
            raise InputError(f"--conditional {text}: no such module {name!r}{nearest(name, MODULES)}")
    return tuple(name for name in MODULES if name in names) if names else None


@dataclass(frozen=True)
class ConditionalOptions(Options):
    """How a conditional model differs from the published one; other variants have no use for it.

    Attributes:
        modules: which of ``MODULES`` it has; None = all.
        length: L, positions of a sequence that conditional attention knows.
        full_block: whether attention's matrix is one block rather than several on the diagonal.
        form: form of the bottleneck, one of ``FORMS``, or ``paper``: the one that was published for the size.
        separate_alignment: whether each corpus has an alignment matrix of its own (section 3.3.1 compares the two).
    """

    title: ClassVar[str] = "conditional modules"

    modules: tuple[str, ...] | None = option(
        "conditional", str, "", f"conditional modules, some of {','.join(MODULES)} (default: all)", read=read_modules
    )
    length: int = option(
        "conditional_length",
        int,
        None,
        f"positions that conditional attention knows; nothing is added beyond (default: {LENGTH})",
        allowed=SIZE,
        read=lambda length: LENGTH if length is None else length,
    )
    full_block: bool = option(
        "conditional_blocks",
        str,
        "diagonal",
        "conditional attention's matrix: blocks on the diagonal, or one full block",
        choices=("diagonal", "full"),
        read=lambda blocks: blocks == "full",
    )
    form: str = option(
        "conditional_form",
        str,
        PAPER,
        "base: a bottleneck in each conditional layer. large: a path of bottlenecks beside all layers",
        choices=(PAPER, *FORMS),
        published=lambda variant, size: ConditionalOptions().form_in(size) if variant.conditional else None,
    )
    separate_alignment: bool = option(
        "conditional_alignment",
        str,
        "conditional",
        "alignment by one matrix that task embeddings modulate, or by a separate matrix for each corpus",
        choices=("conditional", "separate"),
        read=lambda kind: kind == "separate",
    )

    @property
    def chosen_modules(self) -> tuple[str, ...]:
        """Names of the modules that a model has."""
        return MODULES if self.modules is None else self.modules

    def form_in(self, shape: EncoderShape | Size) -> str:
        """Which of ``FORMS`` the bottleneck has in an encoder of these sizes."""
        if self.form != PAPER:
            return self.form
        large = SIZES["large"]
        return "large" if (shape.layers, shape.width) == (large.layers, large.width) else "base"

    def check(self, variant: str, variants: Mapping[str, PublishedModel], positions: int) -> None:
        """Checks that the options fit the model and one another.

        Args:
            variant: a name of ``variants``.
            variants: all that there are.
            positions: positions of the encoder.

        Raises:
            InputError: they do not.
        """
        if not variants[variant].conditional:
            if self != ConditionalOptions():
                having = ", ".join(name for name, other in variants.items() if other.conditional)
                raise InputError(
                    f"{variant} has no conditional modules: --conditional and what belongs to it are for {having}"
                )
            return
        if "attention" not in self.chosen_modules and (self.full_block or self.length != LENGTH):
            raise InputError(
                "--conditional-length and --conditional-blocks are about attention, which is not among --conditional"
            )
        if "alignment" not in self.chosen_modules and self.separate_alignment:
            raise InputError("--conditional-alignment is about alignment, which is not among --conditional")
        if "bottleneck" not in self.chosen_modules and self.form in FORMS:
            raise InputError(
                f"--conditional-form {self.form} is about the bottleneck, which is not among --conditional"
            )
        if positions < self.length != LENGTH:
            raise InputError(f"--conditional-length {self.length}: the encoder has positions for {positions} tokens")
