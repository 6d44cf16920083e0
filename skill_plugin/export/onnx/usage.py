"""How a person runs an exported folder."""

from __future__ import annotations

from skill_plugin.kinds.export_task import ExportTask

_CALL = 'answer("A text.")[0]  # the probability of each label, or the score'


def onnx_usage(task: ExportTask) -> str:
    """Lines of Markdown.

    Args:
        task: what the model answers.
    """
    call, own = (task.script.call, task.script.needs) if task.script else (_CALL, ())
    name = call.split("(")[0]
    needs = "onnxruntime, tokenizers and numpy" + "".join(f", and {one}" for one in own)
    return f"""`decode.py`, with `texts.py` and `model.py`, needs {needs}:

```python
from decode import {name}  # with this folder on sys.path

{call}
```

or `python decode.py` with texts behind it. `model.onnx` takes the ids of any number of sequences, which `texts.py`
makes, and gives their logits; its inputs are those of transformers.
"""
