"""What the scripts of an exported folder must know of texts and answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from skill_plugin.export import scripts
from skill_plugin.kinds.export_task import ExportTask
from skill_plugin.kinds.items import CorpusReading
from skill_plugin.text.vocabulary import Vocabulary
from skill_plugin.text_to_text.make_items import make_items

SCRIPTS = Path(scripts.__file__).parent


def decoding_settings(reading: CorpusReading, task: ExportTask) -> dict[str, Any]:
    """The part ``decoding`` of a folder's ``config.json``.

    Args:
        reading: how the corpus is read.
        task: what the model answers.
    """
    template = reading.encoder.template
    return {
        "labels": list(task.labels),
        "problem": task.problem,
        "room": make_items(reading).rule.room,  # pieces of all texts of a sequence
        "cut": reading.corpus.truncate,  # which text loses a piece where they have more, as text.sequences.truncation
        "least": 0,  # pieces of the last text, which others lose theirs before
        "bos": Vocabulary.bos,
        "eos": Vocabulary.eos,
        "unk": Vocabulary.unk,
        "separators": template.separators,
        "token_types": int(template.token_types),
        **task.settings,
    }


def copy_scripts(task: ExportTask, program: str, folder: Path) -> None:
    """Puts ``texts.py``, ``model.py`` and ``decode.py`` into a folder.

    Args:
        task: what the model answers.
        program: ``onnx`` or ``transformers``, which runs it.
        folder: the folder.
    """
    shutil.copyfile(SCRIPTS / "texts.py", folder / "texts.py")
    shutil.copyfile(SCRIPTS / f"{program}_model.py", folder / "model.py")
    shutil.copyfile(task.script.path if task.script else SCRIPTS / "decode.py", folder / "decode.py")
