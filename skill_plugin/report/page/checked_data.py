"""What ``check`` says of a run's corpora: from a file, or from the raw files where they still are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skill_plugin.checking.check_corpora import check_corpora
from skill_plugin.checkpoints.bundle import Bundle
from skill_plugin.errors import InputError
from skill_plugin.files.json_file import read_json
from skill_plugin.spec.corpora_file import read_corpora_file

CHECKED = "check.json"  # in the folder of a run


def read_checked(path: Path) -> Mapping[str, Any]:
    """What ``check --json`` wrote.

    Raises:
        InputError: the file is missing or not one of these.
    """
    content = read_json(path)
    if not all(isinstance(content.get(key), kind) for key, kind in (("corpora", dict), ("notices", list))):
        raise InputError("not what `skill-plugin check --json` writes", path)
    return content


def check_again(bundle: Bundle) -> tuple[Mapping[str, Any] | None, str]:
    """Checks the raw files of a run's corpora; or says why that cannot be done."""
    path = Path(bundle.corpora_path)
    if not path.is_file():
        return None, f"The raw files were not read: {path} is not here."
    try:
        file = read_corpora_file(path, list(bundle.labels))
    except InputError as error:
        return None, f"The raw files were not read: {error}"
    if file.text != bundle.corpora_text:
        return None, f"The raw files were not read: {path} is not as it was when the run was made."
    encoder = bundle.text_encoder if bundle.text_encoder.tokenizer is not None else None
    return check_corpora(file, encoder, bundle.max_length).to_json(), ""
