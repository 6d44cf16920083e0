"""The raw files below a folder."""

from __future__ import annotations

import os
from pathlib import Path

_NO_DATA = frozenset((
    ".md", ".rst", ".html", ".htm", ".py", ".sh", ".ipynb", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".pdf",
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".bib", ".tex", ".log", ".lock", ".pt", ".bin", ".safetensors",
    ".model", ".vocab", ".idx", ".npz", ".npy", ".pkl", ".pickle", ".tar", ".tgz", ".rar", ".7z", ".exe",
    ".so", ".xml", ".css", ".js", ".c", ".h", ".cpp", ".java", ".lic", ".license", ".sha256", ".md5", ".doc",
    ".docx",
))  # fmt: skip
_NO_DATA_NAMES = ("readme", "license", "licence", "copying", "notice", "changelog", "citation", "authors", "makefile")


def find_files(folder: Path) -> list[Path]:
    """Files that may hold data, and folders of data sets that were saved to disk, in the order of their names.

    Hidden files and folders, documents, programs and models are left out.
    """
    found: list[Path] = []
    seen: set[Path] = set()  # so that a link to a folder around it is followed once
    for place, folders, names in os.walk(folder, followlinks=True):
        here = Path(place)
        if here.resolve() in seen:
            folders.clear()
            continue
        seen.add(here.resolve())
        if "state.json" in names and any(name.endswith(".arrow") for name in names):
            folders.clear()
            found.append(here)
            continue
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        found += [here / name for name in names if _may_be_data(here / name)]
    return sorted(found)


def _may_be_data(path: Path) -> bool:
    name = path.name.lower()
    described = name.startswith(_NO_DATA_NAMES) or name in (
        "dataset_dict.json",
        "dataset_info.json",
        "dataset_infos.json",
    )
    return path.is_file() and not name.startswith(".") and path.suffix.lower() not in _NO_DATA and not described
