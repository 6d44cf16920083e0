"""How a person runs an exported folder."""

from __future__ import annotations

from skill_plugin.export.huggingface.classes import CLASSES, SCRIPTED
from skill_plugin.kinds.export_task import ExportHead, ExportTask

_PIPELINES = {ExportHead.SEQUENCE: "text-classification", ExportHead.MASKED: "fill-mask"}


def hub_usage(task: ExportTask, truncation: str) -> str:
    """Lines of Markdown.

    Args:
        task: what the head is.
        truncation: how the tokenizer is to cut texts that are too long together.
    """
    if task.head in SCRIPTED:
        assert task.script is not None
        call, needs = task.script.call, "".join(f" and {one}" for one in task.script.needs)
        name = call.split("(")[0]
        return (
            f"`decode.py`, with `texts.py` and `model.py`, needs nothing but transformers, torch{needs}:\n\n"
            f"```python\nfrom decode import {name}  # with this folder on sys.path\n\n{call}\n```\n"
        )
    options = f'truncation="{truncation}"'
    lines = [
        "from transformers import AutoTokenizer, AutoModel" + CLASSES[task.head],
        "",
        'tokenizer = AutoTokenizer.from_pretrained("FOLDER")',
        f'model = AutoModel{CLASSES[task.head]}.from_pretrained("FOLDER")',
        f'logits = model(**tokenizer("A text.", {options}, return_tensors="pt")).logits',
    ]
    shown = "```python\n" + "\n".join(lines) + "\n```\n"
    if task.head in _PIPELINES:
        shown += (
            f'\nor `transformers.pipeline("{_PIPELINES[task.head]}", "FOLDER")`, with `{options}` for long texts.\n'
        )
    return shown + '\nOf a pair whose second text is empty, give a space: transformers takes `""` for no text.\n'
