"""Files that `skill-plugin analyse … --json` wrote, told apart by what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json

# what an analysis is called here -> keys that its file has, and no other's
_KEYS: Mapping[str, frozenset[str]] = {
    "usage": frozenset({"experts", "experts_per_token", "layers", "corpora", "overlap"}),
    "perturbation": frozenset({"conditions", "impossible", "corpora", "split"}),
    "covariance": frozenset({"models", "kept", "tokens", "split"}),
    "relatedness": frozenset({"targets", "best", "cosines", "components", "corpora"}),
    "embeddings": frozenset({"ranking", "corpus", "head", "metric"}),
}


@dataclass(frozen=True)
class AnalysisFile:
    """An analysis: which one, what it found, and where that stands."""

    analysis: str
    content: Mapping[str, Any]
    file: Path

    @classmethod
    def read(cls, file: Path) -> AnalysisFile:
        """Of a file that a person named.

        Raises:
            InputError: it is missing, not JSON, or of no analysis.
        """
        content = read_json(file)
        analysis = _analysis_of(content)
        if analysis is None:
            raise InputError("not what `skill-plugin analyse` writes with --json", file)
        return cls(analysis, content, file)

    @classmethod
    def beside(cls, folder: Path) -> list[AnalysisFile]:
        """Those that lie in the folder of a run; other JSON files there are passed over."""
        found = []
        for file in sorted(folder.glob("*.json")):
            try:
                found.append(cls.read(file))
            except InputError:
                continue
        return found


def _analysis_of(content: Mapping[str, Any]) -> str | None:
    return next((name for name, keys in _KEYS.items() if keys <= content.keys()), None)
