"""Fixtures that several folders of tests use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_plugin.spec import Corpus, parse_corpora_file

SHARED = Path(__file__).resolve().parents[1] / "../shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside the repository: the real data is not here")
    return SHARED


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Corpus]:
    """make_corpus("format: tsv", "columns: {...}", train=b"...") writes the files and gives the corpus.

    Each keyword is a split's content, or a mapping from column to content for parallel files; a split given as None has
    no file. The corpora file is tmp_path/corpora.yaml, the files are train.txt, valid.label.txt and so on.
    """

    def make(*lines: str, **splits: bytes | dict[str, bytes] | None) -> Corpus:
        section = ["kind: classification", "language: en", "skills: [generic]", *lines]
        for split, content in splits.items():
            contents = {"": content} if not isinstance(content, dict) else {f".{k}": v for k, v in content.items()}
            for suffix, data in contents.items():
                if data is not None:
                    (tmp_path / f"{split}{suffix}.txt").write_bytes(data)
            parallel = ", ".join(f"{column}: {split}.{column}.txt" for column in content or ())
            section.append(f"{split}: {{{parallel}}}" if isinstance(content, dict) else f"{split}: {split}.txt")
        text = "languages: [en]\nskills: {generic: on}\ncorpora:\n  c:\n" + "".join(f"    {line}\n" for line in section)
        path = tmp_path / "corpora.yaml"
        path.write_text(text, encoding="utf-8")
        return parse_corpora_file(text, path).corpora["c"]

    return make
