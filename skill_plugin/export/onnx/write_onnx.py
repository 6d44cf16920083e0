"""Writes what a corpus uses of a trained model as a folder for ONNX Runtime."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from skill_plugin.checkpoints.checkpoint import Checkpoint
from skill_plugin.data.corpus_examples import corpus_reading
from skill_plugin.errors import InputError
from skill_plugin.export.decoding import copy_scripts, decoding_settings
from skill_plugin.export.huggingface.tokenizer import hub_tokenizer
from skill_plugin.export.onnx.encoder import add_encoder
from skill_plugin.export.onnx.graph import Graph
from skill_plugin.export.onnx.head import FIRST_ONLY, add_head
from skill_plugin.export.onnx.quantize import quantize
from skill_plugin.export.onnx.run import OnnxFolder
from skill_plugin.export.onnx.scored_model import ScoredModel
from skill_plugin.export.onnx.usage import onnx_usage
from skill_plugin.export.task_of import task_of
from skill_plugin.export.written import Written
from skill_plugin.kinds.export_task import ExportHead
from skill_plugin.nn.dense_slice import NotDenseError

MODEL = "model.onnx"
_OF_TOKENS = ("batch", "length", "outputs")
_SHAPES: Mapping[ExportHead, tuple[str, ...]] = {  # of logits; ("batch", "outputs") of other heads
    ExportHead.TOKENS: _OF_TOKENS,
    ExportHead.SPAN: _OF_TOKENS,
    ExportHead.MASKED: ("masks", "pieces"),
}


def write_onnx(trained: Checkpoint, corpus: str, folder: Path, dtype: str) -> Written:
    """Writes the graph, the tokenizer, and the scripts that make sequences of texts and answers of outputs.

    Args:
        trained: the trained model, of any variant.
        corpus: one of its corpora.
        folder: an empty folder.
        dtype: type of the weights, or ``int8``, in which matrices alone are.

    Raises:
        InputError: the corpus's kind does not say how it is exported, there is no such tokenizer, or the variant has
            modules that ``export/onnx`` does not know.
    """
    plain = trained.plain()
    bundle, model = plain.bundle, plain.model()
    described, text, reading = bundle.corpus(corpus), bundle.text_encoder, corpus_reading(bundle, corpus)
    task = task_of(reading)
    types = bundle.shape.token_types > 1
    files = hub_tokenizer(text, bundle.length_of(corpus), types, finds_masks=False)
    graph, head = Graph("float32" if dtype == "int8" else dtype), model.heads[described.head]
    try:
        hidden, table = add_encoder(
            graph, model.encoder, bundle.active_set(corpus), files.rows, task.head in FIRST_ONLY
        )
    except NotDenseError as error:
        raise InputError(f"corpus {corpus!r} of {bundle.variant}: no graph is known for {error}", bundle.file) from None
    logits = add_head(graph, hidden, head, task, table, text.vocabulary.mask)
    names = ("input_ids", "attention_mask", *(["token_type_ids"] if types else []))
    inputs: dict[str, tuple[str | int, ...]] = dict.fromkeys(names, ("batch", "length"))
    if task.head is ExportHead.WORDS:
        inputs["words"] = ("batch", 2)
    shape = _SHAPES.get(task.head, ("batch", "outputs"))
    if dtype == "int8":
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            graph.write(logits, inputs, shape, Path(beside, MODEL))
            quantize(Path(beside, MODEL), folder / MODEL)
    else:
        graph.write(logits, inputs, shape, folder / MODEL)
    (folder / "tokenizer.json").write_text(files.json, encoding="utf-8")
    config = {"decoding": decoding_settings(reading, task)}
    (folder / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    copy_scripts(task, "onnx", folder)
    exported = OnnxFolder(folder, task)
    scored = (
        None if task.head is ExportHead.MASKED else partial(ScoredModel, folder=exported)
    )  # which masks differently
    return Written(exported, graph.parameters, onnx_usage(task), task.notes, scored)
