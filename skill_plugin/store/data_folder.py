"""A data folder while it is made: it is written beside its place, and moved there when it is complete."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from skill_plugin.errors import InputError, reason_of
from skill_plugin.files.locks import locked
from skill_plugin.files.whole_file import put_in_place
from skill_plugin.store.checksums import folder_checksums
from skill_plugin.store.corpus_folder import list_corpus_folders, replace_corpus, restore_corpora
from skill_plugin.store.manifest import FolderManifest, read_folder_manifest
from skill_plugin.text.text_encoder import TextEncoder


class NewData:
    """Corpora that are being written for a data folder; a context manager that leaves nothing behind if it fails.

    Only one process at a time can enter it; others are refused. What killed processes left is removed.

    Args:
        data_bin: the data folder. If it exists, it must have been prepared with the same text encoder; its other
            corpora stay.
        text_encoder: the text encoder of the corpora.
    """

    def __init__(self, data_bin: Path, text_encoder: TextEncoder) -> None:
        self._data_bin = data_bin
        self.target = data_bin.resolve()
        self.folder = self.target.with_name(f"{self.target.name}.partial-{os.getpid()}")
        self._text_encoder = text_encoder
        self._fingerprint = text_encoder.fingerprint()
        self._existing: FolderManifest | None = None
        self._made: list[Path] = []
        self._open = ExitStack()

    def __enter__(self) -> NewData:
        """
        Raises:
            InputError: ``data_bin`` is something else, was prepared with another vocabulary or tokenizer, or is being
                prepared by another process.
        """
        try:
            for parent in reversed([p for p in self.folder.parents if not p.exists()]):
                parent.mkdir()
                self._made.append(parent)
            lock = self.target.with_name(f".{self.target.name}.lock")
            self._open.enter_context(locked(lock, self._data_bin, "another 'skill-plugin prepare'"))
            self._open.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self._existing = self._read_existing()
            self._remove_left()
            self.folder.mkdir()
            if self._existing is None:
                self._text_encoder.save(self.folder / "text")
        except OSError as error:
            self.__exit__()
            raise InputError(f"cannot be made: {reason_of(error, 'unknown')}", self._data_bin) from None
        except InputError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()
        if not self.target.exists():
            for parent in reversed(self._made):
                parent.rmdir()

    def _read_existing(self) -> FolderManifest | None:
        if not self.target.exists():
            return None
        if not self.target.is_dir():
            raise InputError("is a file, expected a folder", self._data_bin)
        manifest = read_folder_manifest(self.target)
        if manifest is None:
            if any(self.target.iterdir()):
                message = "is not empty and was not written by 'skill-plugin prepare'; name another"
                raise InputError(message, self._data_bin)
            return None
        for what, found, expected in (
            ("vocabulary", manifest.vocabulary, self._text_encoder.vocabulary.fingerprint()),
            ("tokenizer", manifest.text_encoder, self._fingerprint),
        ):
            if found != expected:
                message = f"was prepared with another {what}; name another folder, or remove this one"
                raise InputError(message, self._data_bin)
        manifest.verify(self.target)
        restore_corpora(self.target)
        return manifest

    def _remove_left(self) -> None:
        """Removes partial folders of processes that were killed: they are gone, since they no longer hold the lock."""
        left = re.compile(re.escape(self.target.name) + r"\.partial-\d+")
        for entry in os.listdir(self.target.parent):
            if left.fullmatch(entry):
                shutil.rmtree(self.target.with_name(entry), ignore_errors=True)

    @property
    def text_folder(self) -> Path:
        """The folder of the text encoder and the ``dict.txt`` that all inputs share."""
        return (self.folder if self._existing is None else self.target) / "text"

    def publish(self, corpora: Sequence[str]) -> None:
        """Moves the written corpora into the data folder; a corpus of the same name is replaced.

        Raises:
            InputError: a corpus cannot be moved.
        """
        try:
            if self._existing is None:
                self._manifest(corpora).write(self.folder)
                put_in_place(self.folder, self.target)
                return
            for name in corpora:
                replace_corpus(self.folder / name, self.target, name)
            # these can be more than in the manifest, if a process was killed before it wrote the manifest
            there = list_corpus_folders(self.target)
            known = [name for name in self._existing.corpora if name in there]
            self._manifest(dict.fromkeys([*known, *there])).write(self.target)
        except OSError as error:
            raise InputError(f"cannot be written: {reason_of(error, 'unknown')}", self._data_bin) from None

    def _manifest(self, corpora: Sequence[str] | dict[str, None]) -> FolderManifest:
        files = {f"text/{name}": checksum for name, checksum in folder_checksums(self.text_folder).items()}
        return FolderManifest(tuple(corpora), self._text_encoder.vocabulary.fingerprint(), self._fingerprint, files)
