"""A data folder as it is being made: beside its place first, moved there when everything is well."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from skill_plugin.errors import InputError
from skill_plugin.store.manifest import FolderManifest, read_folder_manifest
from skill_plugin.text.text_encoder import TextEncoder


class NewData:
    """Corpora on their way into a data folder; a context manager that leaves nothing behind when it fails.

    Args:
        data_bin: where they go. A folder that exists must have been prepared with the same text encoder: it keeps its
            other corpora.
        text_encoder: what the corpora are encoded with.

    Raises:
        InputError: ``data_bin`` is something else, or was prepared with another vocabulary or tokenizer.
    """

    def __init__(self, data_bin: Path, text_encoder: TextEncoder) -> None:
        self.target = data_bin.resolve()
        self.folder = self.target.with_name(f"{self.target.name}.partial-{os.getpid()}")
        self._text_encoder = text_encoder
        self._fingerprint = text_encoder.fingerprint()
        self._existing = self._read_existing(data_bin)
        self._made: list[Path] = []

    def _read_existing(self, data_bin: Path) -> FolderManifest | None:
        if not self.target.exists():
            return None
        if not self.target.is_dir():
            raise InputError("is a file, expected a folder", data_bin)
        manifest = read_folder_manifest(self.target)
        if manifest is None:
            if any(self.target.iterdir()):
                raise InputError("is not empty and was not written by 'skill-plugin prepare'; name another", data_bin)
            return None
        if manifest.vocabulary != self._text_encoder.vocabulary.fingerprint():
            raise InputError("was prepared with another vocabulary; name another folder, or remove this one", data_bin)
        if manifest.text_encoder != self._fingerprint:
            raise InputError("was prepared with another tokenizer; name another folder, or remove this one", data_bin)
        return manifest

    def __enter__(self) -> NewData:
        try:
            for parent in reversed([p for p in self.folder.parents if not p.exists()]):
                parent.mkdir()
                self._made.append(parent)
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            if self._existing is None:
                self._text_encoder.save(self.folder / "text")
        except OSError as error:
            self.__exit__()
            raise InputError(f"cannot be made: {error.strerror}", self.target) from None
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if not self.target.exists():
            for parent in reversed(self._made):
                parent.rmdir()

    @property
    def text_folder(self) -> Path:
        """Where the text encoder is, and with it the ``dict.txt`` that all inputs share."""
        return (self.folder if self._existing is None else self.target) / "text"

    def publish(self, corpora: Sequence[str]) -> None:
        """Moves the corpora that were written into the data folder, each replacing its namesake there."""
        known = () if self._existing is None else self._existing.corpora
        names = tuple(dict.fromkeys([*(n for n in known if (self.target / n).is_dir()), *corpora]))
        manifest = FolderManifest(names, self._text_encoder.vocabulary.fingerprint(), self._fingerprint)
        if self._existing is None:
            manifest.write(self.folder)
            self.folder.rename(self.target)
            return
        for name in corpora:
            if (self.target / name).exists():
                (self.target / name).rename(self.folder / f"{name}.replaced")
            (self.folder / name).rename(self.target / name)
        manifest.write(self.target)
