"""How a person runs an exported mT5."""

from __future__ import annotations

import json

from skill_plugin.export.huggingface.mt5.run import Mt5Folder


def mt5_usage(exported: Mt5Folder) -> str:
    """Lines of Markdown."""
    source = " ".join(f"{name} A text." if name else "A text." for name in exported.before)
    lines = [
        "from transformers import AutoTokenizer, MT5ForConditionalGeneration",
        "",
        'tokenizer = AutoTokenizer.from_pretrained("FOLDER")',
        'model = MT5ForConditionalGeneration.from_pretrained("FOLDER")',
        f"text = {json.dumps(source, ensure_ascii=False)}",
        'written = model.generate(**tokenizer(text, return_tensors="pt"), max_new_tokens=32)',
        "tokenizer.decode(written[0], skip_special_tokens=True)",
    ]
    answers = ", ".join(f"`{answer}`" for answer in exported.answers)
    return (
        "```python\n" + "\n".join(lines) + "\n```\n\n"
        f"Every text has its name before it, also in `config.json` (`text_to_text`). The answers are {answers}.\n"
    )
