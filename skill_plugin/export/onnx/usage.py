"""How a person runs an exported folder."""

from __future__ import annotations

from skill_plugin.kinds.export_task import ExportHead, ExportTask

_CALLS = {
    ExportHead.TOKENS: ("tag", 'tag("A text.")[0]  # words with their tags'),
    ExportHead.SPAN: ("answer", "answer(question, context)[0]  # start, end and score of the best answers"),
    ExportHead.MASKED: ("fill", 'fill("A <mask> text.")[0]  # the likeliest pieces of each mask'),
    ExportHead.WORDS: ("answer", "answer([text_a, text_b], [(0, 4), (7, 11)])[0]  # of these characters of each"),
}


def onnx_usage(task: ExportTask) -> str:
    """Lines of Markdown.

    Args:
        task: what the model answers.
    """
    ranked = ("rank", "rank([query], candidates)[0]  # a score for each")
    texts = ("answer", 'answer("A text.")[0]  # the probability of each label, or the score')
    name, call = _CALLS.get(task.head) or (ranked if task.script else texts)
    needs = "onnxruntime, tokenizers and numpy" + (", and regex" if task.head is ExportHead.TOKENS else "")
    return f"""`decode.py`, with `texts.py` and `model.py`, needs {needs}:

```python
from decode import {name}  # with this folder on sys.path

{call}
```

or `python decode.py` with texts behind it. `model.onnx` takes the ids of any number of sequences, which `texts.py`
makes, and gives their logits; its inputs are those of transformers.
"""
