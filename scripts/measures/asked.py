"""What is asked of the measures on the command line, and what each of them answers with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from measures.figure import Figure

ROOT = Path(__file__).parents[2]

# What a measure's function ``cases`` gives: by name, which begins with the measure's own, what gives the numbers of a
# case. Nothing is measured, made or imported for it before it is called.
Cases = dict[str, Callable[[], Iterable[Figure]]]


@dataclass(frozen=True)
class Asked:
    """The options of ``bench.py``.

    Attributes:
        device: cpu or cuda.
        rounds: of each comparison, or None for as many steps as take some seconds, and one whole run.
        tiny: as small as it can be, one round: to see that all runs, not to measure.
        data, corpora: a prepared data folder and its corpora file for whole runs, or None for made texts.
        size: of models, or None for small on the CPU and base on a GPU.
        variants: those that whole runs train, or None for all.
        options: one setting of ``fairseq-train`` each, as further options for it; "" is as it is without.
        beside: checkouts of other versions, by name, measured in turns with this one.
    """

    device: str = "cpu"
    rounds: int | None = None
    tiny: bool = False
    data: Path | None = None
    corpora: Path | None = None
    size: str | None = None
    variants: tuple[str, ...] | None = None
    options: tuple[str, ...] = ("",)
    beside: tuple[tuple[str, Path], ...] = ()

    @property
    def model_size(self) -> str:
        """Size of the models, a name that the variants' architectures end with."""
        return "tiny" if self.tiny else self.size or ("base" if self.device == "cuda" else "small")

    @property
    def comparisons(self) -> int | None:
        """Rounds of a comparison of two steps, as ``compare`` takes them."""
        return 1 if self.tiny else self.rounds

    def rounds_or(self, usual: int) -> int:
        """Rounds of whole runs, of which a measure makes ``usual`` ones."""
        return self.comparisons or usual
