"""How a person runs an exported folder."""

from __future__ import annotations

from skill_plugin.export.fairseq.run import MODEL


def fairseq_usage(head: str, options: dict[str, str]) -> str:
    """Lines of Markdown.

    Args:
        head: name of the head.
        options: what the hub interface must be told of the tokenizer.
    """
    named = ", ".join(f'{name}="{value if name == "bpe" else f"FOLDER/{value}"}"' for name, value in options.items())
    return f"""```python
from fairseq.models.roberta import RobertaModel

model = RobertaModel.from_pretrained("FOLDER", "{MODEL}", {named}).eval()
logits = model.predict("{head}", model.encode("A text."), return_logits=True)
```
"""
