"""Which class of transformers has a head."""

from __future__ import annotations

from collections.abc import Mapping

from skill_plugin.kinds.export_task import ExportHead

# by the end of the class's name; ``ExportHead.WORDS`` has none
CLASSES: Mapping[ExportHead, str] = {
    ExportHead.SEQUENCE: "ForSequenceClassification",
    ExportHead.CHOICE: "ForMultipleChoice",
    ExportHead.TOKENS: "ForTokenClassification",
    ExportHead.SPAN: "ForQuestionAnswering",
    ExportHead.MASKED: "ForMaskedLM",
}
SCRIPTED = (ExportHead.TOKENS, ExportHead.SPAN)  # whose answers its tokenizers and pipelines do not give
