"""A head before it has weights."""

from __future__ import annotations

from dataclasses import dataclass

from skill_plugin.nn.heads.classification import ClassificationHead
from skill_plugin.nn.heads.linear import LinearHead
from skill_plugin.nn.heads.masked_lm import MaskedLmHead
from skill_plugin.nn.heads.spectral_linear import SpectralLinear
from skill_plugin.nn.linear import Linear

Head = ClassificationHead | LinearHead | MaskedLmHead


@dataclass(frozen=True)
class HeadSpec:
    """What a head reads and gives.

    Attributes:
        module: its class.
        outputs: K, numbers that it gives for each unit.
        tokens: states of a unit that it reads side by side.
    """

    module: type[Head]
    outputs: int
    tokens: int = 1

    @property
    def has_dense_map(self) -> bool:
        """Whether a dense map comes before its last map; ``make`` can leave it out."""
        return issubclass(self.module, ClassificationHead)

    @property
    def has_last_map(self) -> bool:
        """Whether its last map is its own, so that it can be held to be 1-Lipschitz, not the embedding table."""
        return not issubclass(self.module, MaskedLmHead)

    def make(
        self,
        width: int,
        dropout: float,
        layer_norm_eps: float = 1e-5,
        constrained: bool = False,
        linear: bool = False,
    ) -> Head:
        """The head with fresh weights.

        Args:
            width: D.
            dropout: inside the head, while training.
            layer_norm_eps: as the pretrained encoder has it, for a head that normalises.
            constrained: hold the last map, if it is the head's own, to be 1-Lipschitz (R4F).
            linear: leave out the dense map, if there is one.
        """
        if issubclass(self.module, MaskedLmHead):
            return self.module(width, self.outputs, layer_norm_eps)
        module = LinearHead if linear else self.module
        output = SpectralLinear if constrained else Linear
        return module(width, self.outputs, dropout, self.tokens, output)
