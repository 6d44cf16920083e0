"""Writes a slice as a folder for transformers."""

from __future__ import annotations

from pathlib import Path

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError
from skill_plugin.export.decoding import copy_scripts, decoding_settings
from skill_plugin.export.huggingface.classes import CLASSES, SCRIPTED
from skill_plugin.export.huggingface.config import hub_config
from skill_plugin.export.huggingface.model_type import BERT, ROBERTA, choose_type
from skill_plugin.export.huggingface.run import HubFolder
from skill_plugin.export.huggingface.tokenizer import hub_tokenizer
from skill_plugin.export.huggingface.usage import hub_usage
from skill_plugin.export.huggingface.weights import hub_weights
from skill_plugin.export.huggingface.write_files import write_files
from skill_plugin.export.task_of import task_of
from skill_plugin.export.written import Written
from skill_plugin.kinds import registry
from skill_plugin.kinds.export_task import ExportHead

_STRATEGIES = {"longest": "longest_first", "right": "only_second"}


def write_hub_folder(sliced: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    """Writes weights, config, tokenizer and, where a kind has one, the script that makes answers of outputs.

    Args:
        sliced: the slice of the corpus.
        corpus: its corpus.
        folder: an empty folder.
        dtype: type of the weights.

    Raises:
        InputError: transformers has no class for the corpus, or cannot tokenize as the slice does.
    """
    bundle = sliced.bundle
    described, text, reading = bundle.corpus(corpus), bundle.text_encoder, corpus_reading(bundle, corpus)
    kind = registry.kind_named(described.kind)
    task = task_of(reading)
    if task.head not in CLASSES:
        raise InputError(
            f"corpus {corpus!r}: transformers has no class for the kind {described.kind}; use --format onnx"
        )
    texts = len(kind.text_names(described))
    if task.head is ExportHead.SEQUENCE and texts > 2:
        raise InputError(
            f"corpus {corpus!r}: a tokenizer of transformers joins two texts, not {texts}; use --format onnx"
        )
    encoder = choose_type(text, bundle.shape.token_types)
    if not task.settings.get("spaced", True) and encoder is ROBERTA:
        raise InputError(f"corpus {corpus!r}: byte-level BPE has no pieces for single characters; use --format onnx")
    files = hub_tokenizer(text, bundle.length_of(corpus), encoder is BERT, task.head is ExportHead.MASKED)
    cut = _STRATEGIES[described.truncate] if texts > 1 or described.truncate == "longest" else "longest_first"
    scripted = task.head in SCRIPTED
    decoding = decoding_settings(reading, task) if scripted else task.settings
    config = hub_config(bundle.encoder_shape, encoder, task, files.rows, dtype, cut, decoding)
    if scripted:
        copy_scripts(task, "transformers", folder)
    weights = hub_weights(sliced.state, described.head, task, encoder, files.rows)
    write_files(folder, weights, dtype, config, files.json, files.config)
    exported = HubFolder(folder, task, len(text.vocabulary), reading.joined_question)
    return Written(exported, sliced.parameters, hub_usage(task, cut), task.notes)
